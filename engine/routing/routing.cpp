// SPDX-License-Identifier: Apache-2.0
#include "routing/routing.h"

#include "kernels/math.h"

#include <algorithm>
#include <array>
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

/// Scores of the experts of one token, made when asked for.
class Scores {
public:
    Scores(const RoutingRules& rules, const RouterOutput& router)
        : m_rules(rules)
        , m_router(router)
    {
        for (const float logit : router.logits)
            m_maximum = std::max(m_maximum, comparable(logit));
    }

    /// No logit says anything.
    bool silent() const { return m_maximum == lowest; }

    /// In double, ascending.
    double sumOfExponentials(std::span<const float> logits) const
    {
        double sum = 0;
        for (const float logit : logits)
            sum += exactExp(comparable(logit) - m_maximum);
        return sum;
    }

    /// `total` is the sum of exponentials that a softmax divides by.
    float score(float logit, double total) const
    {
        if (m_rules.scoring == Scoring::Sigmoid)
            return 1.f / (1.f + exactExp(-comparable(logit)));
        return static_cast<float>(exactExp(comparable(logit) - m_maximum) / total);
    }

    /// What experts are chosen by.
    float selection(std::size_t id, double total) const
    {
        const float logit = m_router.logits[id];
        if (selectsByLogits(m_rules))
            return comparable(logit);
        const float plain = silent() ? 0.f : score(logit, total);
        return m_rules.correctionBias ? comparable(plain + m_router.bias[id]) : plain;
    }

private:
    const RoutingRules& m_rules;
    const RouterOutput& m_router;
    float m_maximum = lowest;
};

/// The k best of what is offered, in order: score descending, then id ascending. Ids come in ascending order.
class Best {
public:
    Best(std::span<std::uint16_t> ids, std::span<float> scores)
        : m_ids(ids)
        , m_scores(scores)
    {
    }

    void offer(float score, std::uint16_t id)
    {
        const bool full = m_count == m_ids.size();
        if (full && score <= m_scores[m_count - 1]) {
            reject(score);
            return;
        }
        if (full)
            reject(m_scores[m_count - 1]);
        else
            ++m_count;
        std::size_t at = m_count - 1;
        for (; at > 0 && m_scores[at - 1] < score; --at) {
            m_scores[at] = m_scores[at - 1];
            m_ids[at] = m_ids[at - 1];
        }
        m_scores[at] = score;
        m_ids[at] = id;
    }

    /// The last of the best minus the first of the rest; NaN without a rest.
    float margin() const
    {
        return m_rejected ? m_scores[m_count - 1] - m_firstRejected : std::numeric_limits<float>::quiet_NaN();
    }

private:
    void reject(float score)
    {
        m_firstRejected = std::max(m_firstRejected, score);
        m_rejected = true;
    }

    std::span<std::uint16_t> m_ids;
    std::span<float> m_scores;
    std::size_t m_count = 0;
    float m_firstRejected = lowest;
    bool m_rejected = false;
};

/// Which groups' experts may be chosen.
using KeptGroups = std::array<bool, groupLimit>;

float groupScore(GroupScore rule, std::span<const float, 2> best)
{
    return rule == GroupScore::Best || best[1] == lowest ? best[0] : best[0] + best[1];
}

KeptGroups keepGroups(const RoutingRules& rules, const Scores& scores, std::size_t experts, double total)
{
    KeptGroups kept{};
    if (rules.groups == 1) {
        kept[0] = true;
        return kept;
    }
    std::array<std::uint16_t, groupLimit> ids{};
    std::array<float, groupLimit> sums{};
    Best groups({ids.data(), rules.groupsKept}, {sums.data(), rules.groupsKept});
    const std::size_t size = experts / rules.groups;
    for (std::size_t group = 0; group < rules.groups; ++group) {
        std::array<float, 2> best{lowest, lowest};
        for (std::size_t id = group * size; id < (group + 1) * size; ++id) {
            const float score = scores.selection(id, total);
            best[1] = std::max(best[1], std::min(score, best[0]));
            best[0] = std::max(best[0], score);
        }
        groups.offer(groupScore(rules.groupScore, best), static_cast<std::uint16_t>(group));
    }
    for (std::size_t i = 0; i < rules.groupsKept; ++i)
        kept[ids[i]] = true;
    return kept;
}

/// `weights` holds the chosen experts' logits, comparable, and becomes the mixing weights.
void weigh(const RoutingRules& rules, std::span<const float> all, std::span<float> weights)
{
    const RouterOutput router{all};
    const Scores scores(rules, router);
    if (scores.silent() && rules.scoring == Scoring::Softmax) {
        std::ranges::fill(weights, rules.scale / static_cast<float>(weights.size()));
        return;
    }
    const bool overAll = rules.order == ScoreOrder::ScoreThenSelect;
    const double total = rules.scoring == Scoring::Softmax
        ? scores.sumOfExponentials(overAll ? all : std::span<const float>(weights))
        : 1.0;
    float sum = 0.f;
    for (float& weight : weights) {
        weight = scores.score(weight, total);
        sum += weight;
    }
    const float divisor = rules.normalize ? std::max(sum, rules.weightSumFloor) : 1.f;
    for (float& weight : weights)
        weight = divisor > 0.f ? weight / divisor * rules.scale : 0.f;
}

} // namespace

void routeByLogits(const RoutingRules& rules, const RouterOutput& router, RoutingDecision& decision)
{
    const std::size_t experts = router.logits.size();
    const Scores scores(rules, router);
    const bool needsTotal = !selectsByLogits(rules) && rules.scoring == Scoring::Softmax && !scores.silent();
    const double total = needsTotal ? scores.sumOfExponentials(router.logits) : 1.0;
    const KeptGroups kept = keepGroups(rules, scores, experts, total);
    const std::size_t groupSize = experts / rules.groups;
    Best best(decision.experts, decision.weights);
    for (std::size_t id = 0; id < experts; ++id)
        if (kept[id / groupSize])
            best.offer(scores.selection(id, total), static_cast<std::uint16_t>(id));
    decision.margin = best.margin();
    for (std::size_t i = 0; i < decision.experts.size(); ++i)
        decision.weights[i] = comparable(router.logits[decision.experts[i]]);
    weigh(rules, router.logits, decision.weights);
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
