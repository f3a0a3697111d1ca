// SPDX-License-Identifier: Apache-2.0
#include "types/model_config.h"

#include <array>

namespace colibri {
namespace {

constexpr std::array<std::string_view, 7> architectures{
    "linear_moe", "qwen3_moe", "mixtral", "qwen2_moe", "olmoe", "deepseek2", "gpt_oss"};
constexpr std::array<std::string_view, 2> scorings{"softmax", "sigmoid"};
constexpr std::array<std::string_view, 2> orders{"score_then_select", "select_then_score"};
constexpr std::array<std::string_view, 2> groupScores{"best", "two_best"};
constexpr std::array<std::string_view, 2> pairings{"halves", "neighbours"};
constexpr std::array<std::string_view, 2> activations{"swiglu", "clamped_swiglu"};
constexpr std::array<std::string_view, 2> indices{"token", "position"};
constexpr std::array<std::string_view, 5> origins{"config", "family default", "option", "file size", "tensors"};

} // namespace

std::string_view name(Architecture architecture)
{
    return architectures[static_cast<std::size_t>(architecture)];
}
std::string_view name(Scoring scoring)
{
    return scorings[static_cast<std::size_t>(scoring)];
}
std::string_view name(ScoreOrder order)
{
    return orders[static_cast<std::size_t>(order)];
}
std::string_view name(GroupScore score)
{
    return groupScores[static_cast<std::size_t>(score)];
}
std::string_view name(RopePairs pairs)
{
    return pairings[static_cast<std::size_t>(pairs)];
}
std::string_view name(Activation activation)
{
    return activations[static_cast<std::size_t>(activation)];
}
std::string_view name(TableIndex index)
{
    return indices[static_cast<std::size_t>(index)];
}
std::string_view name(Origin origin)
{
    return origins[static_cast<std::size_t>(origin)];
}

std::optional<TableIndex> tableIndexNamed(std::string_view text)
{
    for (std::size_t i = 0; i < indices.size(); ++i)
        if (indices[i] == text)
            return static_cast<TableIndex>(i);
    return std::nullopt;
}

} // namespace colibri
