// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/engine_options.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace colibri {

/// What a run is asked for. The prompt is either text or ids.
struct RunSpec {
    QString promptText; ///< tokenized on the engine thread; used when promptIds is empty
    std::vector<TokenId> promptIds;
    std::uint32_t maxTokens = 128;
    bool ignoreEndOfText = false;
    SamplingOptions sampling;
    EngineOptions engine; ///< threads 0: all cores but one, at least 1
    double pace = 0; ///< tokens a second; 0: full speed
};

} // namespace colibri
