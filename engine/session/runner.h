// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/threadpool.h"
#include "memory/arena.h"
#include "model/forward.h"
#include "model/loaded_model.h"
#include "model/stage_clock.h"
#include "model/workspace.h"
#include "session/sampler.h"
#include "session/step_counters.h"
#include "types/run.h"
#include "types/run_record.h"
#include "types/timing_event.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace colibri {

/// The memory, threads and state of runs over one model; api/session.h states the contract of each call.
class Runner {
public:
    static Result<std::unique_ptr<Runner>> create(const LoadedModel& model, const EngineOptions& options);

    const EngineOptions& options() const { return m_options; } ///< with every default resolved
    Isa isa() const { return m_isa; }
    const std::string& counterNote() const { return m_counters.note(); }
    SessionMemory memory() const { return {m_arena.used(), m_workspace.kvBytes()}; }

    Result<void> begin(RunRequest request, std::shared_ptr<RunRecord> record, std::shared_ptr<TimingRing> timings);
    Result<StopReason> advance(
        std::uint32_t tokens, const std::stop_token& stop, const std::function<void(TokenId)>& onToken);
    using RowSink = std::function<bool(std::uint32_t position, std::uint32_t count, std::span<const float> rows)>;
    Result<void> evaluate(std::span<const TokenId> tokens, std::shared_ptr<RunRecord> record,
        const std::stop_token& stop, const RowSink& sink);

    std::span<const TokenId> generated() const { return std::span(m_tokens).subspan(m_promptTokens); }
    const RunTimings& timings() const { return m_timings; }
    Forward& forward() { return *m_forward; }

private:
    Runner(const LoadedModel& model, const EngineOptions& options, const KernelTable& kernels);
    Result<void> allocate();
    static Result<void> checkFloatEnvironment();
    Result<void> checkTokens(std::span<const TokenId> tokens) const;
    Result<void> checkTable(std::span<const TokenId> tokens, std::uint32_t position) const;
    /// Runs the tokens from m_position on through the layers, a batch at a time; complete batches stay when stopped.
    Result<void> feed(std::span<const TokenId> tokens, const std::stop_token& stop, bool prefill);
    Result<TokenId> sample();
    std::optional<StopReason> finished() const;
    void finishStep(std::uint64_t headNs, std::uint64_t samplingNs);

    const LoadedModel& m_model;
    EngineOptions m_options;
    Isa m_isa;
    const KernelTable& m_kernels;
    WorkspacePlan m_plan;
    Arena m_arena;
    Workspace m_workspace;
    std::span<Candidate> m_candidates; ///< [outputSize]
    StepCounters m_counters; ///< before the pool, whose threads it counts
    ThreadPool m_pool;
    std::unique_ptr<Forward> m_forward;

    // ---- the run under way ----
    RunRequest m_request;
    std::shared_ptr<RunRecord> m_record;
    std::shared_ptr<TimingRing> m_timingRing;
    std::optional<Sampler> m_sampler; ///< empty: no run
    std::vector<TokenId> m_tokens; ///< prompt and generated; capacity is the context
    std::uint32_t m_promptTokens = 0;
    std::uint32_t m_position = 0; ///< positions that went through the layers
    std::uint32_t m_lastBatch = 0; ///< tokens of the last step, whose residual rows are in the workspace
    std::uint64_t m_startNs = 0; ///< of the first advance(); 0: not yet
    TimingEvent m_event; ///< of the step under way
    StageTimes m_stages; ///< of the step under way
    RunTimings m_timings;
};

} // namespace colibri
