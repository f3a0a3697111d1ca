// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/model_config.h"

namespace colibri::test {

/// Binds a small configuration to tensors of zeros, as many and as large as it asks for, and makes a few tokens or
/// outputs, so that a sanitizer sees sizes that do not fit together. Does nothing with a large one.
void runConfig(const ModelConfig& config);

} // namespace colibri::test
