// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/model_source.h"

#include <cstdint>
#include <stop_token>
#include <string>

namespace colibri {

struct LogitLimits {
    std::uint32_t layers = 0; ///< that route
    std::uint32_t experts = 0;
};

/// Reads "router_logits" of a config.json (at `configFile`), maps its file and appends both to `source`, whose table
/// has been read. Layers and experts have to be those of `limits`, rows those of the table if there is one, the size of
/// the file exact, and every scale and offset finite, the scale not negative.
Result<void> readRouterLogits(const JsonValue& object, const std::string& configFile, LogitLimits limits,
    ModelSource& source, const std::stop_token& stop);

} // namespace colibri
