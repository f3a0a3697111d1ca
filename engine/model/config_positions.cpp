// SPDX-License-Identifier: Apache-2.0
// Rules of positions, windows and activations, from whatever a source calls them.
#include "model/config_keys.h"

#include "kernels/math.h"

namespace colibri {
namespace {

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
        const auto pairs =
            choice(m_keys, {"rope_pairs", {}, {}}, c.ropePairs, {RopePairs::Halves, RopePairs::Neighbours});
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
        if (auto known = m_keys.isGguf() ? ggufOnly(text == "yarn") : Result<void>{}; !known)
            return known;
        if (!ours && none)
            return kind ? Result<void>{} : unnamedScaling();
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

    /// An object that names no kind, and llama.cpp's linear scaling, which is meant where there is a factor and no
    /// kind.
    Result<void> unnamedScaling() const
    {
        const FoundKey scaling = m_keys.isGguf() ? m_keys.find({"", {}, {"rope.scaling.factor", "rope.scale_linear"}})
                                                 : m_keys.findExactly("rope_scaling");
        const double factor = scaling ? scaling.value->number().value_or(0) : 1;
        return factor == 1 || (m_keys.isGguf() && factor == 0) ? Result<void>{} : unsupported(scaling);
    }

    /// Keys of llama.cpp whose other values would ask for something else; below 0 means what is usual.
    Result<void> ggufOnly(bool yarn) const
    {
        constexpr std::string_view factors[]{
            "rope.scaling.yarn_attn_factor", "rope.scaling.yarn_ext_factor", "rope.scaling.attn_factor"};
        for (const std::string_view name : std::span(factors).first(yarn ? 2 : 3)) { // yarn takes the last one
            double number = 1;
            const auto found = m_keys.number({"", {}, {name}}, number);
            if (!found)
                return found.error();
            const bool off = !yarn && number == 0 && name == factors[1];
            if (number >= 0 && number != 1 && !off)
                return m_keys.fail(Errc::Unsupported, found->value,
                    found->key + " is " + valueText(*found->value) + ", this version computes only 1");
        }
        return {};
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
            {{"yarn.beta_fast", {"rope_scaling.beta_fast", "rope_parameters.beta_fast"},
                 {"rope.scaling.yarn_beta_fast"}},
                &YarnRules::betaFast},
            {{"yarn.beta_slow", {"rope_scaling.beta_slow", "rope_parameters.beta_slow"},
                 {"rope.scaling.yarn_beta_slow"}},
                &YarnRules::betaSlow},
        };
        for (const Number& number : numbers) {
            const auto found = m_keys.number(number.names, rules.*number.member);
            if (!found)
                return found.error();
            if (rules.*number.member <= 0)
                return m_keys.fail(
                    Errc::OutOfRange, found->value, std::string(number.names.name) + " has to be above 0");
            m_keys.note(std::string(number.names.name), numberText(rules.*number.member), *found);
        }
        const auto whole =
            m_keys.flag({"yarn.truncate", {"rope_scaling.truncate", "rope_parameters.truncate"}, {}}, rules.truncate);
        return whole ? Result<void>{} : whole.error();
    }

    Result<void> rotationScale()
    {
        const auto found = m_keys.number({"yarn.rotation_scale", {}, {}}, m_config.yarn.rotationScale);
        return found ? Result<void>{} : found.error();
    }

    /// Rotations are scaled by 0.1 ln(factor) + 1, or as the source says. DeepSeek scales the products of queries and
    /// keys instead.
    Result<void> yarnScales() { return m_keys.isGguf() ? ggufScales() : folderScales(); }

    /// What YaRN scales by, for a multiplier of the logarithm.
    double scale(double multiplier) const { return 0.1 * multiplier * naturalLog(m_config.yarn.factor) + 1; }

    /// llama.cpp multiplies cosines and sines by attn_factor whatever else is said.
    Result<void> ggufScales()
    {
        YarnRules& rules = m_config.yarn;
        double logMultiplier = 0;
        const auto log = m_keys.number({"", {}, {"rope.scaling.yarn_log_multiplier"}}, logMultiplier);
        if (!log)
            return log.error();
        if (logMultiplier != 0 && !m_config.latentRank)
            return m_keys.fail(Errc::Unsupported, log->value,
                log->key + " is " + valueText(*log->value) + ", this version computes it with latent attention only");
        double factor = 1;
        const auto found = m_keys.number({"", {}, {"rope.scaling.attn_factor"}}, factor);
        if (!found)
            return found.error();
        if (factor <= 0)
            return m_keys.refuse(*found, "above 0");
        rules.rotationScale = factor * (logMultiplier != 0 ? 1 : scale(1));
        if (logMultiplier != 0)
            scaleProducts(10 * logMultiplier, *log);
        m_keys.note("yarn.rotation_scale", numberText(rules.rotationScale), *found ? *found : *log);
        return {};
    }

    /// Of queries and keys.
    void scaleProducts(double multiplier, const FoundKey& said)
    {
        m_config.attentionFactor = static_cast<float>(scale(multiplier) * scale(multiplier));
        m_keys.note("attention_factor", numberText(static_cast<double>(m_config.attentionFactor)), said);
    }

    /// transformers takes the quotient of both multipliers or none; DeepSeek's own code takes 1 and 0 for those that
    /// are not there. Where the two differ nothing is computed.
    Result<void> folderScales()
    {
        YarnRules& rules = m_config.yarn;
        double given = 0;
        double allDimensions = 0;
        double stated = 0;
        const auto one = m_keys.number({"", {"rope_scaling.mscale", "rope_parameters.mscale"}, {}}, given);
        const auto all =
            m_keys.number({"", {"rope_scaling.mscale_all_dim", "rope_parameters.mscale_all_dim"}, {}}, allDimensions);
        const auto factor =
            m_keys.number({"", {"rope_scaling.attention_factor", "rope_parameters.attention_factor"}, {}}, stated);
        for (const auto* found : {&one, &all, &factor})
            if (!*found)
                return found->error();
        if (*factor && stated <= 0)
            return m_keys.refuse(*factor, "above 0");
        const bool both = given > 0 && allDimensions > 0;
        const bool none = (!*one || given == 1) && allDimensions == 0;
        if (!both && !none)
            return m_keys.fail(Errc::Unsupported, (*one ? *one : *all).value,
                "mscale is " + (*one ? valueText(*one->value) : "missing") + " and mscale_all_dim is "
                    + (*all ? valueText(*all->value) : "missing") + ", this version computes both above 0, or none");
        rules.rotationScale = *factor ? stated : both ? scale(given) / scale(allDimensions) : scale(1);
        if (both && m_config.latentRank)
            scaleProducts(allDimensions, *all);
        m_keys.note("yarn.rotation_scale", numberText(rules.rotationScale), *factor ? *factor : *one);
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
        const auto kind =
            choice(m_keys, {"activation", {}, {}}, c.activation, {Activation::Swiglu, Activation::ClampedSwiglu});
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

Result<void> readPositionRules(ConfigKeys& keys, ModelConfig& config)
{
    return PositionReader(keys, config).read();
}

} // namespace colibri
