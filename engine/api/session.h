// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/model.h"
#include "types/run.h"
#include "types/run_record.h"
#include "types/timing_event.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace colibri {

/// One model with the memory and threads of a run. Used by one thread at a time; nothing is allocated between the first
/// and the last token. The Model must not be unloaded meanwhile, which the shared pointer sees to.
class Session {
public:
    /// Fails when an option is out of range or the memory cannot be had.
    static Result<std::unique_ptr<Session>> create(ModelPtr model, const EngineOptions& options);
    ~Session();

    const ModelPtr& model() const;
    const EngineInfo& info() const;
    std::uint32_t context() const;
    SessionMemory memory() const;
    /// Which events of the hardware TimingEvent does not count here and why, in one sentence; empty: it counts all.
    /// They are counted for the thread that made the session and the session's own.
    const std::string& counterNote() const;

    /// A record with room for this session's context.
    std::shared_ptr<RunRecord> makeRecord() const;

    /// Starts a run: checks the request, forgets the run before. Computes nothing. `record` and `timings` may be null
    /// and are filled by advance(); a record is used for one run.
    Result<void> begin(RunRequest request, std::shared_ptr<RunRecord> record, std::shared_ptr<TimingRing> timings = {});
    /// Makes up to `tokens` further tokens (the prompt is computed first when it was not yet). `onToken` is called
    /// after each, on this thread. Errors end the run (Lost, NonFinite, OutOfRange); cancelling does not.
    Result<StopReason> advance(
        std::uint32_t tokens, std::stop_token stop, const std::function<void(TokenId)>& onToken = {});
    std::span<const TokenId> generated() const; ///< ids made since begin()
    RunTimings timings() const;

    /// Called with the output rows of a stretch of positions: rows [count][outputSize], the first at `position`.
    /// Returns false to stop (Errc::Cancelled).
    using RowSink = std::function<bool(std::uint32_t position, std::uint32_t count, std::span<const float> rows)>;
    /// Reads `tokens` from position 0 and hands out an output row (logits) for each. Ends a run that was under way.
    Result<void> evaluate(
        std::span<const TokenId> tokens, std::shared_ptr<RunRecord> record, std::stop_token stop, const RowSink& sink);

    /// Replaces the engine's own computation of one expert: input and output are [rows][hiddenSize], and
    /// an expert of another output is not replaced. Null restores it.
    using ExpertFunction = void (*)(const float* input, float* output, int rows, int hiddenSize);
    Result<void> setExpertFunction(std::uint32_t layer, std::uint32_t expert, ExpertFunction function);

private:
    struct Impl;
    explicit Session(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace colibri
