// SPDX-License-Identifier: Apache-2.0
// Rules of routing and of positions, from whatever a source calls them.
#include "model/config_keys.h"

#include "kernels/math.h"

#include <algorithm>

namespace colibri {
namespace {

/// The value of E that is called `text`.
template <class E>
std::optional<E> named(std::string_view text, std::initializer_list<E> values)
{
    for (const E value : values)
        if (name(value) == text)
            return value;
    return std::nullopt;
}

template <class E>
Result<FoundKey> choice(const ConfigKeys& keys, const KeyNames& names, E& value, std::initializer_list<E> values)
{
    std::string text;
    auto found = keys.text(names, text);
    if (!found || !*found)
        return found;
    const auto one = named(text, values);
    if (!one) {
        std::string known;
        for (const E each : values)
            known += (known.empty() ? "" : " or ") + std::string(name(each));
        return keys.fail(
            Errc::Unsupported, found->value, found->key + " is " + text + ", this version computes " + known);
    }
    value = *one;
    return found;
}

std::string numberText(double number)
{
    std::string text = std::to_string(number);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text + "0" : text;
}

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
        const auto found = m_keys.isGguf() ? gatingFunction(names)
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
        if (auto done = notNegative({"routing.weight_sum_floor", {}, {}}, "routing.weight_sum_floor", m_rules.weightSumFloor);
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
        const auto count = m_keys.count({"routing.groups", {"n_group"}, {"expert_group_count"}}, m_rules.groups, groupLimit);
        if (!count)
            return count.error();
        const auto kept =
            m_keys.count({"routing.groups_kept", {"topk_group"}, {"expert_group_used_count"}}, m_rules.groupsKept, groupLimit);
        if (!kept)
            return kept.error();
        if (m_keys.isGguf())
            m_rules.groupScore = GroupScore::TwoBest;
        const auto score = choice(m_keys, {"routing.group_score", {}, {}}, m_rules.groupScore,
            {GroupScore::Best, GroupScore::TwoBest});
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

class PositionReader {
public:
    PositionReader(ConfigKeys& keys, ModelConfig& config)
        : m_keys(keys)
        , m_config(config)
    {
        const FamilyDefaults& family = keys.spec().defaults;
        m_config.ropePairs = keys.isGguf() ? family.ggufPairs : family.folderPairs;
        m_config.activation = family.activation;
        m_config.activationLimit = family.activationLimit;
        m_config.windowPeriod = family.windowPeriod;
    }

    Result<void> read()
    {
        for (const auto step : {&PositionReader::rotation, &PositionReader::yarn, &PositionReader::attentionFactor,
                 &PositionReader::window, &PositionReader::activation})
            if (auto done = (this->*step)(); !done)
                return done;
        return {};
    }

private:
    Result<void> rotation()
    {
        ModelConfig& c = m_config;
        const auto pairs = choice(
            m_keys, {"rope_pairs", {}, {}}, c.ropePairs, {RopePairs::Halves, RopePairs::Neighbours});
        if (!pairs)
            return pairs.error();
        m_keys.note("rope_pairs", std::string(name(c.ropePairs)), *pairs);
        if (c.latentRank)
            return {};
        const auto dim = m_keys.count({"rope_dim", {}, {"rope.dimension_count"}}, c.ropeDim, c.headDim);
        if (!dim)
            return dim.error();
        if (c.ropeDim == 0 || c.ropeDim % 2)
            return m_keys.refuse(*dim, "even and above 0");
        if (*dim)
            m_keys.note("rope_dim", std::to_string(c.ropeDim), *dim);
        return {};
    }

    /// "yarn" in a Colibri config.json has every number; others name a kind of scaling first.
    Result<void> yarn()
    {
        YarnRules& rules = m_config.yarn;
        const FoundKey ours = m_keys.isGguf() ? FoundKey{} : m_keys.findExactly("yarn.factor");
        FoundKey kind = m_keys.find({"", {"rope_scaling.type", "rope_scaling.rope_type"}, {"rope.scaling.type"}});
        if (!kind)
            kind = m_keys.find({"", {"rope_parameters.rope_type"}, {}});
        const std::string text = kind ? valueText(*kind.value) : "none";
        const bool none = text == "none" || text == "default";
        if (!ours && none) {
            const FoundKey scaling = m_keys.isGguf() ? FoundKey{} : m_keys.findExactly("rope_scaling");
            return kind || !scaling ? Result<void>{} : unsupported(scaling);
        }
        if (!ours && text != "yarn")
            return unsupported(kind);
        const auto factor = m_keys.number(
            {"yarn.factor", {"rope_scaling.factor", "rope_parameters.factor"}, {"rope.scaling.factor"}}, rules.factor);
        if (!factor)
            return factor.error();
        if (!*factor)
            return m_keys.fail(Errc::Malformed, kind.value, "yarn needs a factor, there is none");
        if (rules.factor < 1)
            return m_keys.refuse(*factor, "1 or more");
        m_keys.note("yarn.factor", numberText(rules.factor), *factor);
        if (auto done = yarnNumbers(); !done)
            return done;
        return ours ? rotationScale() : yarnScales();
    }

    Error unsupported(const FoundKey& key) const
    {
        return m_keys.fail(Errc::Unsupported, key.value,
            key.key + " is " + valueText(*key.value) + ", this version computes only yarn");
    }

    Result<void> yarnNumbers()
    {
        YarnRules& rules = m_config.yarn;
        rules.originalContext = m_config.maxSeqLen;
        struct Number {
            KeyNames names;
            double YarnRules::*member;
        };
        const Number numbers[]{
            {{"yarn.original_context",
                 {"rope_scaling.original_max_position_embeddings", "rope_parameters.original_max_position_embeddings"},
                 {"rope.scaling.original_context_length"}},
                &YarnRules::originalContext},
            {{"yarn.beta_fast", {"rope_scaling.beta_fast", "rope_parameters.beta_fast"}, {"rope.scaling.yarn_beta_fast"}},
                &YarnRules::betaFast},
            {{"yarn.beta_slow", {"rope_scaling.beta_slow", "rope_parameters.beta_slow"}, {"rope.scaling.yarn_beta_slow"}},
                &YarnRules::betaSlow},
        };
        for (const Number& number : numbers) {
            const auto found = m_keys.number(number.names, rules.*number.member);
            if (!found)
                return found.error();
            if (rules.*number.member <= 0)
                return m_keys.fail(Errc::OutOfRange, found->value, std::string(number.names.name) + " has to be above 0");
            m_keys.note(std::string(number.names.name), numberText(rules.*number.member), *found);
        }
        const auto whole = m_keys.flag(
            {"yarn.truncate", {"rope_scaling.truncate", "rope_parameters.truncate"}, {}}, rules.truncate);
        return whole ? Result<void>{} : whole.error();
    }

    Result<void> rotationScale()
    {
        const auto found = m_keys.number({"yarn.rotation_scale", {}, {}}, m_config.yarn.rotationScale);
        return found ? Result<void>{} : found.error();
    }

    /// Rotations are scaled by 0.1 ln(factor) + 1, or as the source says. DeepSeek scales the products of queries and keys
    /// instead.
    Result<void> yarnScales()
    {
        YarnRules& rules = m_config.yarn;
        const double log = naturalLog(rules.factor);
        double given = 0;
        double allDimensions = 0;
        double stated = 0;
        double logMultiplier = 0;
        const std::pair<KeyNames, double*> numbers[]{
            {{"", {"rope_scaling.mscale", "rope_parameters.mscale"}, {}}, &given},
            {{"", {"rope_scaling.mscale_all_dim", "rope_parameters.mscale_all_dim"}, {}}, &allDimensions},
            {{"", {"rope_scaling.attention_factor", "rope_parameters.attention_factor"}, {}}, &stated},
            {{"", {}, {"rope.scaling.yarn_log_multiplier"}}, &logMultiplier},
        };
        for (const auto& [names, number] : numbers)
            if (const auto found = m_keys.number(names, *number); !found)
                return found.error();
        const auto scale = [log](double multiplier) { return 0.1 * multiplier * log + 1; };
        rules.rotationScale = scale(1);
        if (logMultiplier != 0 && m_config.latentRank) {
            rules.rotationScale = 1;
            m_config.attentionFactor = static_cast<float>(scale(10 * logMultiplier) * scale(10 * logMultiplier));
            return {};
        }
        if (stated != 0)
            rules.rotationScale = stated;
        else if (given != 0 && allDimensions != 0)
            rules.rotationScale = scale(given) / scale(allDimensions);
        if (allDimensions != 0 && m_config.latentRank)
            m_config.attentionFactor = static_cast<float>(scale(allDimensions) * scale(allDimensions));
        return {};
    }

    Result<void> attentionFactor()
    {
        double factor = static_cast<double>(m_config.attentionFactor);
        const auto found = m_keys.number({"attention_factor", {}, {}}, factor);
        if (!found)
            return found.error();
        m_config.attentionFactor = static_cast<float>(factor);
        if (m_config.attentionFactor != 1.f)
            m_keys.note("attention_factor", numberText(factor), *found);
        return {};
    }

    Result<void> window()
    {
        ModelConfig& c = m_config;
        if (c.slidingWindow == 0)
            return {};
        const auto period = m_keys.count({"window_period", {}, {}}, c.windowPeriod, c.numLayers);
        if (!period)
            return period.error();
        if (c.windowPeriod == 0)
            return m_keys.refuse(*period, "1 or more");
        m_keys.note("window_period", std::to_string(c.windowPeriod), *period);
        const FoundKey types = m_keys.isGguf() ? FoundKey{} : m_keys.findExactly("layer_types");
        const JsonValue::Array* list = types ? types.value->array() : nullptr;
        for (std::size_t layer = 0; list && layer < list->size(); ++layer)
            if ((valueText((*list)[layer]) == "sliding_attention") != isWindowed(c, static_cast<std::uint32_t>(layer)))
                return m_keys.fail(Errc::Unsupported, &(*list)[layer],
                    "layer_types[" + std::to_string(layer) + "] is " + valueText((*list)[layer])
                        + ", this version computes a window in every layer whose number is a multiple of "
                        + std::to_string(c.windowPeriod));
        return {};
    }

    Result<void> activation()
    {
        ModelConfig& c = m_config;
        const auto kind = choice(
            m_keys, {"activation", {}, {}}, c.activation, {Activation::Swiglu, Activation::ClampedSwiglu});
        if (!kind)
            return kind.error();
        if (c.activation == Activation::Swiglu)
            return {};
        m_keys.note("activation", std::string(name(c.activation)), *kind);
        double limit = static_cast<double>(c.activationLimit);
        const auto found = m_keys.number({"activation_limit", {"swiglu_limit"}, {}}, limit);
        if (!found)
            return found.error();
        if (limit <= 0)
            return m_keys.refuse(*found, "above 0");
        c.activationLimit = static_cast<float>(limit);
        m_keys.note("activation_limit", numberText(limit), *found);
        return {};
    }

    ConfigKeys& m_keys;
    ModelConfig& m_config;
};

} // namespace

Result<void> readRoutingRules(ConfigKeys& keys, ModelConfig& config)
{
    return RoutingReader(keys, config).read();
}

Result<void> readPositionRules(ConfigKeys& keys, ModelConfig& config)
{
    return PositionReader(keys, config).read();
}

} // namespace colibri
