// SPDX-License-Identifier: Apache-2.0
#include "model/architecture.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace colibri {
namespace {

constexpr std::uint64_t dimensionLimit = 1u << 30;
constexpr std::uint64_t layerLimit = 4096;
constexpr std::uint64_t expertLimit = 0xFFFF; // ids are uint16 and 0xFFFF marks an unused place

/// A dimension: its name in Colibri's config.json, the names other writers use, and where it goes.
struct DimensionKey {
    std::string_view name;
    std::string_view otherName;
    std::uint32_t ModelConfig::*member;
    std::uint64_t limit;
};
constexpr DimensionKey dimensions[]{
    {"vocab_size", "", &ModelConfig::vocabSize, dimensionLimit},
    {"hidden_size", "", &ModelConfig::hiddenSize, dimensionLimit},
    {"output_size", "", &ModelConfig::outputSize, dimensionLimit},
    {"num_layers", "num_hidden_layers", &ModelConfig::numLayers, layerLimit},
    {"num_attention_heads", "", &ModelConfig::numHeads, 4096},
    {"num_key_value_heads", "", &ModelConfig::numKvHeads, 4096},
    {"head_dim", "", &ModelConfig::headDim, 65536},
    {"num_experts", "num_local_experts", &ModelConfig::numExperts, expertLimit},
    {"num_active_experts", "num_experts_per_tok", &ModelConfig::numActiveExperts, expertLimit},
    {"moe_intermediate_size", "", &ModelConfig::expertFfnSize, dimensionLimit},
    {"max_seq_len", "max_position_embeddings", &ModelConfig::maxSeqLen, dimensionLimit},
};

/// A key that may only have the value which the engine computes; absent and null mean that value.
struct FixedKey {
    std::string_view key;
    std::string_view only; ///< as text
};
constexpr FixedKey fixedKeys[]{
    {"hidden_act", "silu"},
    {"decoder_sparse_step", "1"},
    {"attention_bias", "false"},
    {"use_sliding_window", "false"},
    {"rope_scaling", "null"},
    {"mlp_only_layers", "[]"},
};
constexpr FixedKey fixedRoutingKeys[]{
    {"scoring", "softmax"},
    {"groups", "1"},
    {"groups_kept", "1"},
    {"correction_bias", "false"},
    {"weight_applies_to", "output"},
};

std::string textOf(const JsonValue& value)
{
    if (value.isNull())
        return "null";
    if (const bool* flag = value.boolean())
        return *flag ? "true" : "false";
    if (const std::string* text = value.string())
        return *text;
    if (const auto integer = value.unsignedInteger())
        return std::to_string(*integer);
    if (const auto number = value.number())
        return std::to_string(*number);
    if (const auto* array = value.array())
        return array->empty() ? "[]" : "[...]";
    return "{...}";
}

class Reader {
public:
    Reader(const ModelSource& source, const ArchitectureSpec& spec)
        : m_source(source)
        , m_spec(spec)
    {
        m_config.architecture = spec.id;
        m_config.origins = source.origins;
    }

    Result<ModelConfig> read()
    {
        for (const auto step : {&Reader::readDimensions, &Reader::completeDimensions, &Reader::checkFixedKeys,
                 &Reader::readNumbers, &Reader::readRouting, &Reader::readSpecialTokens})
            if (auto done = (this->*step)(); !done)
                return done.error();
        return std::move(m_config);
    }

private:
    Error fail(Errc code, const JsonValue* at, std::string why) const
    {
        return Error{code, "read the configuration", m_source.configFile, at ? std::optional(at->offset) : std::nullopt,
            std::move(why)};
    }

    const JsonValue* find(std::string_view key) const
    {
        const JsonValue* value = key.empty() ? nullptr : m_source.config.find(key);
        return value && !value->isNull() ? value : nullptr;
    }

    void note(std::string rule, std::string value, std::string_view key)
    {
        const auto said = [&](const RuleOrigin& origin) { return origin.rule == rule; };
        if (std::ranges::any_of(m_config.origins, said))
            return; // a raw reader knows better where it is from
        m_config.origins.push_back({std::move(rule), std::move(value),
            key.empty() ? Origin::FamilyDefault : Origin::Config, std::string(key)});
    }

    Result<void> readDimensions()
    {
        for (const DimensionKey& dimension : dimensions) {
            const std::string_view key = find(dimension.name) ? dimension.name : dimension.otherName;
            const JsonValue* value = find(key);
            if (!value) {
                if (std::ranges::find(m_spec.required, dimension.name) != m_spec.required.end())
                    return fail(Errc::Malformed, nullptr,
                        "key \"" + std::string(dimension.name) + "\""
                            + (dimension.otherName.empty() ? "" : " (or \"" + std::string(dimension.otherName) + "\")")
                            + " is missing, " + std::string(name(m_spec.id)) + " needs it");
                continue;
            }
            const auto number = value->unsignedInteger();
            if (!number || *number > dimension.limit)
                return fail(Errc::OutOfRange, value,
                    std::string(key) + " is " + textOf(*value) + ", it has to be an integer up to "
                        + std::to_string(dimension.limit));
            m_config.*dimension.member = static_cast<std::uint32_t>(*number);
            note(std::string(dimension.name), std::to_string(*number), key);
        }
        return {};
    }

    /// What follows from other dimensions when it is not stated, and what has to hold between them.
    Result<void> completeDimensions()
    {
        ModelConfig& c = m_config;
        for (const std::string_view key : m_spec.required)
            for (const DimensionKey& dimension : dimensions)
                if (dimension.name == key && c.*dimension.member == 0 && key != "vocab_size")
                    return fail(Errc::OutOfRange, find(key), std::string(key) + " is 0, it has to be at least 1");
        if (c.numHeads) {
            if (!c.numKvHeads)
                inherit("num_key_value_heads", c.numKvHeads, c.numHeads);
            if (!c.headDim)
                inherit("head_dim", c.headDim, c.hiddenSize / c.numHeads);
            if (c.numHeads % c.numKvHeads)
                return fail(Errc::Mismatch, find("num_key_value_heads"),
                    "num_attention_heads is " + std::to_string(c.numHeads) + ", no multiple of num_key_value_heads "
                        + std::to_string(c.numKvHeads));
            if (c.headDim == 0 || c.headDim % 2)
                return fail(Errc::OutOfRange, find("head_dim"),
                    "head_dim is " + std::to_string(c.headDim) + ", rotary positions need an even number above 0");
        }
        if (c.numActiveExperts > c.numExperts)
            return fail(Errc::OutOfRange, find("num_active_experts"),
                "num_active_experts is " + std::to_string(c.numActiveExperts) + ", more than num_experts "
                    + std::to_string(c.numExperts));
        if (c.outputSize == 0)
            c.outputSize = c.vocabSize ? c.vocabSize : c.hiddenSize;
        c.qkNorm = c.architecture == Architecture::Qwen3Moe;
        if (c.architecture == Architecture::LinearMoe && c.numLayers != 1)
            return fail(Errc::Unsupported, find("num_layers"),
                "num_layers is " + std::to_string(c.numLayers) + ", linear_moe has exactly 1");
        return {};
    }

    void inherit(std::string rule, std::uint32_t& member, std::uint32_t value)
    {
        member = value;
        note(std::move(rule), std::to_string(value), "");
    }

    Result<void> checkFixed(const JsonValue& object, std::span<const FixedKey> keys, const std::string& prefix) const
    {
        for (const FixedKey& fixed : keys) {
            const JsonValue* value = object.find(fixed.key);
            if (value && !value->isNull() && textOf(*value) != fixed.only)
                return fail(Errc::Unsupported, value,
                    prefix + std::string(fixed.key) + " is " + textOf(*value) + ", this version computes only "
                        + std::string(fixed.only));
        }
        return {};
    }

    Result<void> checkFixedKeys()
    {
        if (auto done = checkFixed(m_source.config, fixedKeys, ""); !done)
            return done;
        const JsonValue* routing = find("routing");
        return routing ? checkFixed(*routing, fixedRoutingKeys, "routing.") : Result<void>{};
    }

    Result<void> readNumbers()
    {
        const auto positive = [&](std::string_view key, double& number) -> Result<void> {
            const JsonValue* value = find(key);
            if (value) {
                const auto given = value->number();
                if (!given || !std::isfinite(*given) || *given <= 0)
                    return fail(
                        Errc::OutOfRange, value, std::string(key) + " is " + textOf(*value) + ", it has to be above 0");
                number = *given;
            }
            if (m_config.numHeads)
                note(std::string(key), std::to_string(number), value ? key : "");
            return {};
        };
        double epsilon = 1e-6;
        if (auto done = positive("rms_norm_eps", epsilon); !done)
            return done;
        m_config.rmsNormEps = static_cast<float>(epsilon);
        return positive("rope_theta", m_config.ropeTheta);
    }

    Result<void> readFlag(const JsonValue* value, const std::string& key, bool& flag) const
    {
        if (!value || value->isNull())
            return {};
        if (!value->boolean())
            return fail(Errc::Malformed, value,
                key + " is a " + std::string(value->typeName()) + ", it has to be true or false");
        flag = *value->boolean();
        return {};
    }

    Result<void> readRouting()
    {
        RoutingRules& rules = m_config.routing;
        const JsonValue* routing = find("routing");
        const JsonValue* normalize = routing ? routing->find("normalize") : find("norm_topk_prob");
        const std::string key = routing ? "routing.normalize" : "norm_topk_prob";
        rules.normalize = m_spec.normalizeByDefault;
        if (auto done = readFlag(normalize, key, rules.normalize); !done)
            return done;
        note("routing.scoring", std::string(name(rules.scoring)),
            routing && routing->find("scoring") ? "routing.scoring" : "");
        note("routing.normalize", rules.normalize ? "true" : "false", normalize ? key : "");
        if (!routing)
            return {};
        if (const JsonValue* order = routing->find("order")) {
            const std::string text = textOf(*order);
            if (text != name(ScoreOrder::ScoreThenSelect) && text != name(ScoreOrder::SelectThenScore))
                return fail(Errc::Unsupported, order,
                    "routing.order is " + text + ", it has to be score_then_select or select_then_score");
            rules.order =
                text == name(ScoreOrder::SelectThenScore) ? ScoreOrder::SelectThenScore : ScoreOrder::ScoreThenSelect;
            note("routing.order", text, "routing.order");
        }
        if (auto done = readRoutingNumber(*routing, "weight_sum_floor", rules.weightSumFloor); !done)
            return done;
        return readRoutingNumber(*routing, "scale", rules.scale);
    }

    Result<void> readRoutingNumber(const JsonValue& routing, std::string_view key, float& number)
    {
        const JsonValue* value = routing.find(key);
        if (!value || value->isNull())
            return {};
        const auto given = value->number();
        if (!given || !std::isfinite(*given) || *given < 0)
            return fail(Errc::OutOfRange, value,
                "routing." + std::string(key) + " is " + textOf(*value) + ", it has to be 0 or more");
        number = static_cast<float>(*given);
        note("routing." + std::string(key), textOf(*value), "routing." + std::string(key));
        return {};
    }

    Result<void> readSpecialTokens()
    {
        if (auto done = readFlag(find("tie_word_embeddings"), "tie_word_embeddings", m_config.tiedEmbeddings); !done)
            return done;
        std::vector<TokenId> begin;
        if (auto done = readIds(find("bos_token_id"), "bos_token_id", begin); !done)
            return done;
        if (!begin.empty())
            m_config.beginOfText = begin.front();
        // generation_config.json knows all ids that end a text, config.json often only one.
        const JsonValue* ends = m_source.generationConfig ? m_source.generationConfig->find("eos_token_id") : nullptr;
        if (auto done = readIds(ends ? ends : find("eos_token_id"), "eos_token_id", m_config.endOfText); !done)
            return done;
        return readAddBegin();
    }

    /// tokenizer_config.json's add_bos_token decides (a Colibri config.json carries the same key). Without it a text
    /// gets the id in front only where one id both ends and begins documents, as in models trained on a stream of
    /// documents; families with a begin-of-text id of their own then add none.
    Result<void> readAddBegin()
    {
        ModelConfig& c = m_config;
        const bool oneSeparator = c.beginOfText && c.endOfText.size() == 1 && c.endOfText.front() == *c.beginOfText;
        const JsonValue* stated =
            m_source.tokenizerConfig ? m_source.tokenizerConfig->find("add_bos_token") : find("add_bos_token");
        bool add = oneSeparator;
        if (auto done = readFlag(stated, "add_bos_token", add); !done)
            return done;
        c.addBeginOfText = add && c.beginOfText;
        if (c.beginOfText)
            note("add_bos_token", c.addBeginOfText ? "true" : "false", stated ? "add_bos_token" : "");
        return {};
    }

    Result<void> readIds(const JsonValue* value, const std::string& key, std::vector<TokenId>& ids) const
    {
        if (!value || value->isNull())
            return {};
        const std::span<const JsonValue> values =
            value->array() ? std::span<const JsonValue>(*value->array()) : std::span(value, 1);
        for (const JsonValue& one : values) {
            const auto id = one.unsignedInteger();
            if (!id || *id >= std::max(1u, m_config.vocabSize))
                return fail(Errc::OutOfRange, &one,
                    key + " is " + textOf(one) + ", it has to be below vocab_size "
                        + std::to_string(m_config.vocabSize));
            ids.push_back(static_cast<TokenId>(*id));
        }
        return {};
    }

    const ModelSource& m_source;
    const ArchitectureSpec& m_spec;
    ModelConfig m_config;
};

Error unknownArchitecture(const ModelSource& source, const JsonValue* at, const std::string& given)
{
    std::string known;
    for (const ArchitectureSpec& spec : architectures())
        known += (known.empty() ? "" : ", ") + std::string(name(spec.id));
    return Error{Errc::Unsupported, "read the configuration", source.configFile,
        at ? std::optional(at->offset) : std::nullopt,
        "architecture " + given + " is not known, this version knows " + known};
}

} // namespace

Result<ModelConfig> readConfig(const ModelSource& source)
{
    const bool ours = source.format != "huggingface";
    const JsonValue* type = source.config.find(ours ? "architecture" : "model_type");
    if (!type || !type->string())
        return unknownArchitecture(source, type,
            type ? textOf(*type) : std::string("(no key \"") + (ours ? "architecture" : "model_type") + "\")");
    for (const ArchitectureSpec& spec : architectures())
        if (*type->string() == (ours ? name(spec.id) : spec.huggingFaceType))
            return Reader(source, spec).read();
    return unknownArchitecture(source, type, "\"" + *type->string() + "\"");
}

} // namespace colibri
