// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory/arena.h"
#include "model/activations.h"
#include "types/model_config.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace colibri {

/// What the memory of a run depends on beside the model.
struct WorkspacePlan {
    std::uint32_t threads = 1;
    std::uint32_t batch = 1; ///< tokens that go through the layers together
    std::uint32_t context = 1; ///< positions of the KV cache
    KvType kv = KvType::F32;
    FormatSet rounded{}; ///< copies of activations that are needed
};

/// A product of rows with one matrix, a unit of parallel work.
struct ProductJob {
    const Matrix* matrix = nullptr;
    Rows rows;
    float* out = nullptr;
    std::uint32_t outStride = 0;
    std::uint32_t firstItem = 0; ///< of the numbered pieces of all jobs
};

/// Everything a run writes, in one arena. B batch, S = B * k expert slots, H hidden, O output of experts, C context, D
/// and V the components of a cached key and value (cachedKeyDim, cachedValueDim).
struct Workspace {
    std::span<float> residual; ///< [B][H]
    ActivationRows normed; ///< [B][H]
    std::span<float> query; ///< [B][numHeads * headDim]
    std::span<float> key; ///< [B][numKvHeads * D]
    std::span<float> value; ///< [B][numKvHeads * V]
    ActivationRows queryDown; ///< [B][queryRank]
    ActivationRows plainQuery; ///< MLA: [numHeads][B][headDim - ropeDim], the unrotated parts
    std::span<float> latentQuery; ///< MLA: [B][numHeads * D], in the space of latent vectors
    ActivationRows latentMix; ///< MLA: [numHeads][B][latentRank]
    ActivationRows attended; ///< [B][numHeads * valueDim]
    std::span<float> projected; ///< [B][H]
    std::span<float> scores; ///< [threads][C]
    std::span<float> cosine; ///< [C][ropeDim / 2]
    std::span<float> sine; ///< [C][ropeDim / 2]
    std::span<std::byte> keys; ///< [numLayers][numKvHeads][C][D] of kv
    std::span<std::byte> values; ///< [numLayers][numKvHeads][C][V] of kv; none with a latent vector, which is both
    std::span<float> routerLogits; ///< [B][numExperts]
    std::span<std::uint16_t> chosen; ///< [B][k]
    std::span<float> chosenWeights; ///< [B][k]
    std::span<std::uint32_t> expertBegin; ///< [numExperts + 1], slots of an expert
    std::span<std::uint32_t> slotOf; ///< [B][k], slot of a token's rank
    std::span<std::uint32_t> slotToken; ///< [S]
    ActivationRows gathered; ///< [S][H]
    std::span<float> up; ///< [S][expertFfnSize]
    ActivationRows gate; ///< [S][expertFfnSize]
    std::span<float> expertOut; ///< [S][O]
    std::span<std::uint8_t> slotBad; ///< [S], 1: not finite
    std::span<float> wideUp; ///< [B][largest width of a network that every token takes]
    ActivationRows wideGate; ///< likewise
    std::span<float> shared; ///< [B][H], what the shared network gave
    std::span<float> sharedWeights; ///< [B]
    std::span<ProductJob> jobs; ///< [max(3, 2 * numExperts, numHeads)]
    std::span<float> rows; ///< [rowCapacity][outputSize], logits
    std::uint32_t rowCapacity = 0; ///< output rows made together

    std::size_t kvBytes() const { return keys.size() + values.size(); }
};

/// Bytes that a workspace needs: the planner's exact sum; empty when it does not fit in 64 bits.
std::optional<std::uint64_t> workspaceBytes(const ModelConfig& config, const WorkspacePlan& plan);
/// Lays the workspace out in an arena of at least workspaceBytes and fills the tables of rotary angles.
Workspace makeWorkspace(const ModelConfig& config, const WorkspacePlan& plan, Arena& arena);

} // namespace colibri
