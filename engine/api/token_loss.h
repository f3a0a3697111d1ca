// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/model_config.h"

#include <span>

namespace colibri {

/// -log softmax(logits)[target], natural, in double. `target` is below the number of logits, so that there is one.
double tokenLoss(std::span<const float> logits, TokenId target);

} // namespace colibri
