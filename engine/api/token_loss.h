// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/model_config.h"

#include <span>

namespace colibri {

/// -log softmax(logits)[target], natural, in double.
double tokenLoss(std::span<const float> logits, TokenId target);

} // namespace colibri
