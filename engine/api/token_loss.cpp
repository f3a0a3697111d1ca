// SPDX-License-Identifier: Apache-2.0
#include "api/token_loss.h"

#include <algorithm>
#include <cmath>

namespace colibri {

double tokenLoss(std::span<const float> logits, TokenId target)
{
    const double highest = *std::ranges::max_element(logits);
    double sum = 0;
    for (const float value : logits)
        sum += std::exp(static_cast<double>(value) - highest);
    return highest + std::log(sum) - static_cast<double>(logits[target]);
}

} // namespace colibri
