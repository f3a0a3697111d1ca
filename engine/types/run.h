// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/engine_options.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace colibri {

struct RunRequest {
    std::vector<TokenId> prompt; ///< at least one id; with prompt.size() < context
    std::uint32_t maxTokens = 128; ///< generated ones, over all advance() calls
    SamplingOptions sampling;
    bool ignoreEndOfText = false; ///< go on after an end-of-text token
};

/// Why advance() returned.
enum class StopReason : std::uint8_t {
    Paused, ///< the asked number of tokens was made; there is more to make
    MaxTokens, ///< the request's maxTokens are made
    EndOfText, ///< the last token is one of the model's end-of-text ids
    ContextFull, ///< no position is left
    Cancelled, ///< asked to stop; the interrupted step left no trace, advance() can go on
};
std::string_view name(StopReason reason); ///< "paused", "max_tokens", "end_of_text", "context_full", "cancelled"

/// Durations in seconds, of a whole run so far.
struct RunTimings {
    double firstTokenS = 0; ///< from the first advance() to the first generated token
    double prefillS = 0; ///< computing, without waits between calls
    double decodeS = 0;
    std::uint32_t prefillTokens = 0;
    std::uint32_t decodeTokens = 0; ///< steps of one token
};

struct SessionMemory {
    std::uint64_t arenaBytes = 0; ///< the planner's exact sum
    std::uint64_t kvBytes = 0; ///< of which KV cache
};

} // namespace colibri
