// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/model_config.h"

#include <cstdint>
#include <span>

namespace colibri {

/// One token's decision in one layer, written into the caller's buffers.
struct RoutingDecision {
    std::span<std::uint16_t> experts; ///< [k], best first
    std::span<float> weights; ///< [k], in the order of `experts`
    float margin = 0.f; ///< see RunRecord::margin
};

/// Chooses by the router's logits. Selection is a total order: logit descending, then id ascending; a NaN counts as
/// minus infinity, so that nothing ever selects out of range. Softmax is monotone, hence logits are compared and the
/// margin is in logit units. Weights: softmax over all experts (score_then_select) or over the chosen ones
/// (select_then_score); then, by rule, divided by their sum, which is at least weightSumFloor; then scaled. Always
/// finite. logits [experts], at least k of them. Pure; allocates nothing.
void routeByLogits(const RoutingRules& rules, std::span<const float> logits, RoutingDecision& decision);

/// Takes the choice of a table row [k]. Weights follow the rules over the router's logits at the table's ids; without a
/// router (empty logits) each is 1 / k. The margin is NaN: nothing was weighed against anything.
void routeByTable(const RoutingRules& rules, std::span<const std::uint16_t> row, std::span<const float> logits,
    RoutingDecision& decision);

} // namespace colibri
