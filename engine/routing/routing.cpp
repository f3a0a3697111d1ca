// SPDX-License-Identifier: Apache-2.0
#include "routing/routing.h"

#include "kernels/math.h"

#include <algorithm>
#include <limits>

namespace colibri {
namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();

/// The value a logit is compared by: a total order without NaN, and nothing that makes a softmax indefinite.
float comparable(float logit)
{
    if (logit != logit)
        return lowest;
    return std::min(logit, std::numeric_limits<float>::max());
}

/// Inserts (logit, id) into the first `count` places, which are sorted; ids come in ascending order, so an equal logit
/// stays behind the ones before it. Returns the logit that fell out or was not taken.
float insertSorted(
    std::span<std::uint16_t> ids, std::span<float> logits, std::size_t count, float logit, std::uint16_t id)
{
    const bool full = count == ids.size();
    if (full && logit <= logits[count - 1])
        return logit;
    std::size_t at = full ? count - 1 : count;
    const float rejected = full ? logits[count - 1] : lowest;
    for (; at > 0 && logits[at - 1] < logit; --at) {
        logits[at] = logits[at - 1];
        ids[at] = ids[at - 1];
    }
    logits[at] = logit;
    ids[at] = id;
    return rejected;
}

/// Sum over the experts that a softmax covers, of exp(logit - maximum); in double, ascending ids.
double sumOfExponentials(std::span<const float> logits, float maximum)
{
    double sum = 0;
    for (const float logit : logits)
        sum += exactExp(comparable(logit) - maximum);
    return sum;
}

/// `weights` holds the chosen comparable logits and becomes the mixing weights.
void weigh(const RoutingRules& rules, std::span<const float> all, std::span<float> weights)
{
    float maximum = lowest;
    for (const float logit : all)
        maximum = std::max(maximum, comparable(logit));
    if (maximum == lowest) { // no logit says anything
        std::ranges::fill(weights, rules.scale / static_cast<float>(weights.size()));
        return;
    }
    const bool overAll = rules.order == ScoreOrder::ScoreThenSelect;
    const double total = sumOfExponentials(overAll ? all : std::span<const float>(weights), maximum);
    float sum = 0.f;
    for (float& weight : weights) {
        weight = static_cast<float>(exactExp(weight - maximum) / total);
        sum += weight;
    }
    const float divisor = rules.normalize ? std::max(sum, rules.weightSumFloor) : 1.f;
    for (float& weight : weights)
        weight = divisor > 0.f ? weight / divisor * rules.scale : 0.f;
}

} // namespace

void routeByLogits(const RoutingRules& rules, std::span<const float> logits, RoutingDecision& decision)
{
    const std::size_t k = decision.experts.size();
    float firstRejected = lowest;
    for (std::size_t id = 0; id < logits.size(); ++id) {
        const float rejected = insertSorted(decision.experts, decision.weights, std::min(id, k), comparable(logits[id]),
            static_cast<std::uint16_t>(id));
        firstRejected = std::max(firstRejected, rejected);
    }
    decision.margin =
        k < logits.size() ? decision.weights[k - 1] - firstRejected : std::numeric_limits<float>::quiet_NaN();
    weigh(rules, logits, decision.weights);
}

void routeByTable(const RoutingRules& rules, std::span<const std::uint16_t> row, std::span<const float> logits,
    RoutingDecision& decision)
{
    std::ranges::copy(row, decision.experts.begin());
    decision.margin = std::numeric_limits<float>::quiet_NaN();
    if (logits.empty()) {
        std::ranges::fill(decision.weights, 1.f / static_cast<float>(row.size()));
        return;
    }
    for (std::size_t i = 0; i < row.size(); ++i)
        decision.weights[i] = comparable(logits[row[i]]);
    weigh(rules, logits, decision.weights);
}

} // namespace colibri
