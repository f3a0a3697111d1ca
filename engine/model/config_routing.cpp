// SPDX-License-Identifier: Apache-2.0
// Rules of routing, from whatever a source calls them.
#include "model/config_keys.h"
#include "model/find_tensor.h"

#include <algorithm>

namespace colibri {
namespace {

class RoutingReader {
public:
    RoutingReader(ConfigKeys& keys, ModelConfig& config)
        : m_keys(keys)
        , m_config(config)
        , m_rules(config.routing)
    {
        m_rules = keys.spec().defaults.routing;
        if (keys.isGguf())
            m_rules.normalize = keys.spec().defaults.ggufNormalize;
    }

    Result<void> read()
    {
        for (const auto step : {&RoutingReader::scoring, &RoutingReader::weights, &RoutingReader::correction,
                 &RoutingReader::groups, &RoutingReader::checkGroups, &RoutingReader::target})
            if (auto done = (this->*step)(); !done)
                return done;
        return {};
    }

private:
    Result<void> scoring()
    {
        const KeyNames names{"routing.scoring", {"scoring_func"}, {"expert_gating_func"}};
        const auto found = m_keys.isGguf()
            ? gatingFunction(names)
            : choice(m_keys, names, m_rules.scoring, {Scoring::Softmax, Scoring::Sigmoid});
        if (!found)
            return found.error();
        m_keys.note("routing.scoring", std::string(name(m_rules.scoring)), *found);
        const auto order = choice(m_keys, {"routing.order", {}, {}}, m_rules.order,
            {ScoreOrder::ScoreThenSelect, ScoreOrder::SelectThenScore});
        if (!order)
            return order.error();
        m_keys.note("routing.order", std::string(name(m_rules.order)), *order);
        return {};
    }

    /// llama.cpp's numbers: 1 softmax, 2 sigmoid; 3 is the softmax of the chosen ones, which its family has anyway.
    Result<FoundKey> gatingFunction(const KeyNames& names)
    {
        std::uint32_t number = 0;
        auto found = m_keys.count(names, number, 3);
        if (!found || !*found || number == 0)
            return found;
        m_rules.scoring = number == 2 ? Scoring::Sigmoid : Scoring::Softmax;
        if (number == 3)
            m_rules.order = ScoreOrder::SelectThenScore;
        return found;
    }

    Result<void> weights()
    {
        const auto normalize =
            m_keys.flag({"routing.normalize", {"norm_topk_prob"}, {"expert_weights_norm"}}, m_rules.normalize);
        if (!normalize)
            return normalize.error();
        m_keys.note("routing.normalize", m_rules.normalize ? "true" : "false", *normalize);
        if (auto done =
                notNegative({"routing.weight_sum_floor", {}, {}}, "routing.weight_sum_floor", m_rules.weightSumFloor);
            !done)
            return done;
        auto done = notNegative(
            {"routing.scale", {"routed_scaling_factor"}, {"expert_weights_scale"}}, "routing.scale", m_rules.scale);
        if (m_keys.isGguf() && m_rules.scale == 0.f)
            m_rules.scale = 1.f;
        return done;
    }

    Result<void> notNegative(const KeyNames& names, const char* rule, float& value)
    {
        double number = static_cast<double>(value);
        const auto found = m_keys.number(names, number);
        if (!found)
            return found.error();
        if (number < 0)
            return m_keys.refuse(*found, "0 or more");
        value = static_cast<float>(number);
        m_keys.note(rule, *found ? valueText(*found->value) : numberText(number), *found);
        return {};
    }

    /// GGUF says it with the tensor, DeepSeek's folders with the method.
    Result<void> correction()
    {
        if (m_keys.isGguf()) {
            const auto slots = m_keys.spec().tensors;
            const auto slot = std::ranges::find_if(slots, [](const TensorSlot& one) {
                const auto* at = std::get_if<Vector LayerWeights::*>(&one.place);
                return at && *at == &LayerWeights::correction;
            });
            m_rules.correctionBias = slot != slots.end() && findTensor(m_keys.source(), *slot, m_config.denseLayers, 0);
            if (m_rules.correctionBias || m_keys.source().allNamed) // else nothing says it
                m_keys.note("routing.correction_bias", m_rules.correctionBias ? "true" : "false", Origin::Tensors);
            return {};
        }
        std::string method;
        const auto stated = m_keys.text({"", {"topk_method"}, {}}, method);
        if (!stated)
            return stated.error();
        if (*stated && method != "greedy" && method != "group_limited_greedy" && method != "noaux_tc")
            return m_keys.fail(Errc::Unsupported, stated->value,
                "topk_method is " + method + ", this version computes greedy, group_limited_greedy and noaux_tc");
        if (*stated) {
            m_rules.correctionBias = method == "noaux_tc";
            m_rules.groupScore = method == "noaux_tc" ? GroupScore::TwoBest : GroupScore::Best;
        }
        m_grouped = method != "greedy" && (*stated || m_rules.groupScore == GroupScore::TwoBest);
        m_method = *stated;
        const auto flag = m_keys.flag({"routing.correction_bias", {}, {}}, m_rules.correctionBias);
        if (!flag)
            return flag.error();
        m_keys.note("routing.correction_bias", m_rules.correctionBias ? "true" : "false", *flag ? *flag : *stated);
        return {};
    }

    Result<void> groups()
    {
        const bool ours = static_cast<bool>(m_keys.findExactly("routing.groups"));
        if (!m_keys.isGguf() && !ours && !m_grouped)
            return {};
        const auto count =
            m_keys.count({"routing.groups", {"n_group"}, {"expert_group_count"}}, m_rules.groups, groupLimit);
        if (!count)
            return count.error();
        const auto kept = m_keys.count(
            {"routing.groups_kept", {"topk_group"}, {"expert_group_used_count"}}, m_rules.groupsKept, groupLimit);
        if (!kept)
            return kept.error();
        if (m_keys.isGguf())
            m_rules.groupScore = GroupScore::TwoBest;
        const auto score = choice(
            m_keys, {"routing.group_score", {}, {}}, m_rules.groupScore, {GroupScore::Best, GroupScore::TwoBest});
        if (!score)
            return score.error();
        if (m_rules.groups <= 1)
            m_rules.groups = m_rules.groupsKept = 1;
        m_keys.note("routing.groups", std::to_string(m_rules.groups), *count);
        m_keys.note("routing.groups_kept", std::to_string(m_rules.groupsKept), *kept);
        if (m_rules.groups > 1)
            m_keys.note("routing.group_score", std::string(name(m_rules.groupScore)), *score ? *score : m_method);
        return {};
    }

    Result<void> checkGroups()
    {
        const std::uint32_t experts = m_config.numExperts;
        const auto fail = [&](const std::string& why) { return m_keys.fail(Errc::OutOfRange, nullptr, why); };
        if (experts % m_rules.groups)
            return fail("routing.groups is " + std::to_string(m_rules.groups) + ", it has to divide num_experts "
                + std::to_string(experts));
        if (m_rules.groupsKept == 0 || m_rules.groupsKept > m_rules.groups)
            return fail("routing.groups_kept is " + std::to_string(m_rules.groupsKept) + ", it has to be from 1 to "
                + std::to_string(m_rules.groups));
        const std::uint32_t open = experts / m_rules.groups * m_rules.groupsKept;
        if (open < m_config.numActiveExperts)
            return fail("routing.groups_kept is " + std::to_string(m_rules.groupsKept) + ", that leaves "
                + std::to_string(open) + " experts to choose " + std::to_string(m_config.numActiveExperts) + " from");
        return {};
    }

    Result<void> target()
    {
        const FoundKey found = m_keys.findExactly("routing.weight_applies_to");
        if (found && valueText(*found.value) != "output")
            return m_keys.fail(Errc::Unsupported, found.value,
                found.key + " is " + valueText(*found.value) + ", this version computes only output");
        return {};
    }

    ConfigKeys& m_keys;
    ModelConfig& m_config;
    RoutingRules& m_rules;
    bool m_grouped = false; ///< a folder's n_group counts
    FoundKey m_method;
};

} // namespace

Result<void> readRoutingRules(ConfigKeys& keys, ModelConfig& config)
{
    return RoutingReader(keys, config).read();
}

} // namespace colibri
