// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/engine_options.h"
#include "types/run.h"
#include "types/run_record.h"
#include "types/timing_event.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace colibri {

/// A run with everything that is needed to show it again: what was asked for, how it came about and what it decided.
/// While it is being saved its record may still grow.
struct SavedRun {
    EngineInfo info;
    std::string modelPath; ///< what openModel takes
    bool promptIsText = true; ///< false: the prompt was given as ids, which are the record's first tokens
    std::string promptText; ///< UTF-8; empty when the prompt was given as ids
    std::uint32_t maxTokens = 0;
    bool ignoreEndOfText = false;
    SamplingOptions sampling;
    EngineOptions engine;
    double pace = 0; ///< tokens a second; 0: full speed
    StopReason reason = StopReason::Paused; ///< Paused: it had not ended
    std::string error; ///< why it failed; empty: it did not
    std::uint64_t arenaBytes = 0;
    std::uint64_t kvBytes = 0; ///< of which KV cache
    std::vector<TimingEvent> timings; ///< in order of time and position, each position in one event at most
    std::uint64_t droppedTimings = 0; ///< steps that have no event
    std::string counterNote; ///< events of the hardware that the timings do not count and why; empty: all are
    std::shared_ptr<const RunRecord> record;
};

} // namespace colibri
