// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernels.h"
#include "kernels/threadpool.h"
#include "model/loaded_model.h"
#include "model/stage_clock.h"
#include "model/workspace.h"
#include "types/result.h"
#include "types/run_record.h"

#include <span>
#include <stop_token>
#include <vector>

namespace colibri {

/// Stands in for the engine's own computation of an expert: input and output rows [rows][hiddenSize].
using ExpertFunction = void (*)(const float* input, float* output, int rows, int hiddenSize);

/// How a session wants its steps computed; fixed when it is made.
struct ForwardOptions {
    const KernelTable* kernels = nullptr;
    KvType kv = KvType::F32;
    std::uint32_t context = 1;
    RoutingSource routing = RoutingSource::Live;
    Breaker breaker = Breaker::Zero;
};

/// One step: a stretch of tokens that go through the layers together.
struct Step {
    std::span<const TokenId> tokens; ///< at most the workspace's batch
    std::uint32_t position = 0; ///< of the first
    RunRecord* record = nullptr; ///< may be null
    StageTimes* times = nullptr; ///< durations are added; may be null
    std::stop_token stop; ///< looked at in each layer, head and piece of a product
};

/// The forward pass of every architecture: what a layer's weights do not have is skipped. Used by one thread, which
/// works with the pool; allocates nothing.
class Forward {
public:
    Forward(const LoadedModel& model, const ForwardOptions& options, Workspace& workspace, ThreadPool& pool);

    /// Runs the tokens of a step through all layers: fills the KV cache and the record's rows (not published), and
    /// leaves the residual stream in the workspace. Errors: Cancelled, Lost, NonFinite (breaker fatal), OutOfRange (no
    /// table row).
    Result<void> run(const Step& step);
    /// Output rows (logits) of tokens [first, first + count) of the last step into Workspace::rows; count <=
    /// rowCapacity. Fails with Lost.
    Result<void> output(std::uint32_t first, std::uint32_t count);
    /// Of an MoE layer. Null restores the engine's own computation.
    void setExpertFunction(std::uint32_t layer, std::uint32_t expert, ExpertFunction function);

private:
    Result<void> layers(const Step& step);
    Result<void> intact();
    Error stopped() const;
    void embed(const Step& step);
    void norm(const Vector& weights, std::uint32_t tokens);
    void attention(const LayerWeights& layer, std::uint32_t index, const Step& step);
    void project(const LayerWeights& layer, std::uint32_t tokens);
    void projectLatent(const LayerWeights& layer, std::uint32_t tokens);
    void rotate(float* head, std::uint32_t position) const;
    void normHeads(const Vector& norm, std::span<float> heads) const;
    void placeInCache(const LayerWeights& layer, std::uint32_t index, const Step& step);
    void placeLatent(const LayerWeights& layer, std::uint32_t index, const Step& step);
    void latentQueries(const LayerWeights& layer, const Step& step);
    void attendHeads(const LayerWeights& layer, std::uint32_t index, const Step& step);
    void latentOutputs(const LayerWeights& layer, std::uint32_t tokens);
    Result<void> feedForward(const LayerWeights& layer, std::uint32_t index, const Step& step);
    void network(const ExpertWeights& weights, std::uint32_t tokens, float* out);
    void sharedNetwork(const LayerWeights& layer, std::uint32_t tokens);
    Result<void> experts(const LayerWeights& layer, std::uint32_t index, const Step& step);
    Result<void> route(const LayerWeights& layer, std::uint32_t index, const Step& step);
    void group(std::uint32_t tokens);
    void gather();
    void computeExperts(const LayerWeights& layer, std::uint32_t index);
    void activate(const ActivationRows& gate, std::span<float> up, std::uint32_t count);
    void computeReplaced(std::uint32_t index);
    void addExpertBias(const LayerWeights& layer, Vector ExpertWeights::*bias, std::span<float> rows);
    void addToRows(const Vector& bias, std::span<float> rows, std::size_t first, std::size_t last);
    Result<void> breaker(std::uint32_t index, const Step& step);
    void combine(const LayerWeights& layer, const Step& step);

    void quantize(const ActivationRows& rows, std::uint32_t count);
    /// Computes jobs [0, count) of the workspace, their output rows split over the threads.
    void runJobs(std::uint32_t count, bool inDouble = false);
    void product(const Matrix& matrix, const Rows& rows, float* out);
    void addJob(std::uint32_t& count, const Matrix& matrix, const Rows& rows, float* out, std::uint32_t outStride = 0);
    std::size_t cacheAt(std::uint32_t layer, std::uint32_t head, std::uint32_t position, std::uint32_t dim) const;
    ExpertFunction functionOf(std::uint32_t layer, std::uint32_t expert) const;

    const LoadedModel& m_model;
    const ModelConfig& m_config;
    ForwardOptions m_options;
    const KernelTable& m_kernels;
    Workspace& m_w;
    ThreadPool& m_pool;
    std::uint32_t m_expertOut; ///< components of an expert's output
    std::stop_token m_stop; ///< of the step under way
    std::uint64_t m_faults = 0; ///< mappingFaults() when all mappings were last known to be whole
    std::vector<ExpertFunction> m_functions; ///< [MoE layers][experts], empty while none is set
};

} // namespace colibri
