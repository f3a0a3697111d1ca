// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace colibri {

/// How router logits become scores.
enum class Scoring : std::uint8_t { Softmax, Sigmoid };
std::string_view name(Scoring scoring);

/// Whether scores are formed over all experts before the choice, or over the chosen ones after it.
enum class ScoreOrder : std::uint8_t { ScoreThenSelect, SelectThenScore };
std::string_view name(ScoreOrder order); ///< "score_then_select", "select_then_score"

/// What a group of experts is compared by: its best selection score, or the sum of its two best ones.
enum class GroupScore : std::uint8_t { Best, TwoBest };
std::string_view name(GroupScore score); ///< "best", "two_best"

struct RoutingRules {
    Scoring scoring = Scoring::Softmax;
    ScoreOrder order = ScoreOrder::ScoreThenSelect;
    bool normalize = false; ///< divide the chosen weights by their sum
    float weightSumFloor = 0.f; ///< the sum is at least this before dividing
    float scale = 1.f; ///< multiplies the final weights
    std::uint32_t groups = 1; ///< equal stretches of the experts' ids
    std::uint32_t groupsKept = 1; ///< experts of the other groups cannot be chosen
    GroupScore groupScore = GroupScore::TwoBest; ///< of no effect with one group
    bool correctionBias = false; ///< each expert has a number that is added to its score to select, never to weigh
};
inline constexpr std::uint32_t groupLimit = 256;

/// Plain rules select by logits, since softmax keeps their order; all others select by (corrected) scores.
inline bool selectsByLogits(const RoutingRules& rules)
{
    return rules.scoring == Scoring::Softmax && rules.groups == 1 && !rules.correctionBias;
}

} // namespace colibri
