// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/model_config.h"

#include <string>

namespace colibri {

/// The configuration as the text of one JSON object with the keys of a Colibri config.json, in a fixed order: equal
/// models give equal texts, whatever they were read from. readConfig reads it back to the same values.
std::string canonicalConfig(const ModelConfig& config);

} // namespace colibri
