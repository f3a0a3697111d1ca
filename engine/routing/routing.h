// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/routing_rules.h"

#include <cstdint>
#include <span>

namespace colibri {

/// One token's decision in one layer, written into the caller's buffers.
struct RoutingDecision {
    std::span<std::uint16_t> experts; ///< [k], best first
    std::span<float> weights; ///< [k], in the order of `experts`
    float margin = 0.f; ///< see RunRecord::margin
};

/// What a router says about one token.
struct RouterOutput {
    std::span<const float> logits; ///< [experts]
    std::span<const float> bias = {}; ///< [experts], the correction of the selection; empty unless the rules have one
};

/// Chooses by the router's output. Selection is a total order: selection score descending, then id ascending; a NaN
/// counts as minus infinity, so that nothing ever selects out of range. The selection score is the logit for plain
/// softmax (which is monotone), else the score plus its correction; the margin is in its units. With groups, only
/// experts of the best groups are looked at, groups ordered as experts are. Weights are scores without correction:
/// softmax over all experts (score_then_select) or over the chosen ones (select_then_score), or the sigmoid; then, by
/// rule, divided by their sum, which is at least weightSumFloor; then scaled. Always finite. At least k experts, in the
/// kept groups too. Pure; allocates nothing.
void routeByLogits(const RoutingRules& rules, const RouterOutput& router, RoutingDecision& decision);

/// Takes the choice of a table row [k]. Weights follow the rules over the router's logits at the table's ids; without a
/// router (empty logits) each is 1 / k. The margin is NaN: nothing was weighed against anything.
void routeByTable(const RoutingRules& rules, std::span<const std::uint16_t> row, std::span<const float> logits,
    RoutingDecision& decision);

} // namespace colibri
