// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/model.h"
#include "types/run_record.h"
#include "types/timing_event.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace colibri {

struct RunRequest {
    std::vector<TokenId> prompt;      ///< at least one id; with prompt.size() < context
    std::uint32_t maxTokens = 128;    ///< generated ones, over all advance() calls
    SamplingOptions sampling;
    bool ignoreEndOfText = false;     ///< go on after an end-of-text token
};

/// Why advance() returned.
enum class StopReason : std::uint8_t {
    Paused,      ///< the asked number of tokens was made; there is more to make
    MaxTokens,   ///< the request's maxTokens are made
    EndOfText,   ///< the last token is one of the model's end-of-text ids
    ContextFull, ///< no position is left
    Cancelled,   ///< asked to stop; the interrupted step left no trace, advance() can go on
};

/// Durations in seconds, of a whole run so far.
struct RunTimings {
    double firstTokenS = 0;  ///< from the first advance() to the first generated token
    double prefillS = 0;     ///< computing, without waits between calls
    double decodeS = 0;
    std::uint32_t prefillTokens = 0;
    std::uint32_t decodeTokens = 0; ///< steps of one token
};

struct SessionMemory {
    std::uint64_t arenaBytes = 0; ///< the planner's exact sum
    std::uint64_t kvBytes = 0;    ///< of which KV cache
};

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

    /// A record with room for this session's context.
    std::shared_ptr<RunRecord> makeRecord() const;

    /// Starts a run: checks the request, forgets the run before. Computes nothing. `record` and `timings` may be null and
    /// are filled by advance(); a record is used for one run.
    Result<void> begin(RunRequest request, std::shared_ptr<RunRecord> record, std::shared_ptr<TimingRing> timings = {});
    /// Makes up to `tokens` further tokens (the prompt is computed first when it was not yet). `onToken` is called after
    /// each, on this thread. Errors end the run (Lost, NonFinite, OutOfRange); cancelling does not.
    Result<StopReason> advance(std::uint32_t tokens, std::stop_token stop, const std::function<void(TokenId)>& onToken = {});
    std::span<const TokenId> generated() const; ///< ids made since begin()
    RunTimings timings() const;

    /// Called with the output rows of a stretch of positions: rows [count][outputSize], the first at `position`.
    /// Returns false to stop (Errc::Cancelled).
    using RowSink = std::function<bool(std::uint32_t position, std::uint32_t count, std::span<const float> rows)>;
    /// Reads `tokens` from position 0 and hands out an output row (logits) for each. Ends a run that was under way.
    Result<void> evaluate(std::span<const TokenId> tokens, std::shared_ptr<RunRecord> record, std::stop_token stop, const RowSink& sink);

    /// Replaces the engine's own computation of one expert: input and output are [rows][hiddenSize]. Null restores it.
    using ExpertFunction = void (*)(const float* input, float* output, int rows, int hiddenSize);
    Result<void> setExpertFunction(std::uint32_t layer, std::uint32_t expert, ExpertFunction function);

private:
    struct Impl;
    explicit Session(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace colibri
