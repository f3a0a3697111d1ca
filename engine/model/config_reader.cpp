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

/// A dimension: its name in Colibri's config.json, the names that Hugging Face and GGUF use (the latter behind the
/// architecture's prefix), and where it goes.
struct DimensionKey {
    std::string_view name;
    std::string_view otherName;
    std::string_view ggufName;
    std::uint32_t ModelConfig::*member;
    std::uint64_t limit;
};
constexpr DimensionKey dimensions[]{
    {"vocab_size", "", "vocab_size", &ModelConfig::vocabSize, dimensionLimit},
    {"hidden_size", "", "embedding_length", &ModelConfig::hiddenSize, dimensionLimit},
    {"output_size", "", "", &ModelConfig::outputSize, dimensionLimit},
    {"num_layers", "num_hidden_layers", "block_count", &ModelConfig::numLayers, layerLimit},
    {"num_attention_heads", "", "attention.head_count", &ModelConfig::numHeads, 4096},
    {"num_key_value_heads", "", "attention.head_count_kv", &ModelConfig::numKvHeads, 4096},
    {"head_dim", "", "attention.key_length", &ModelConfig::headDim, 65536},
    {"num_experts", "num_local_experts", "expert_count", &ModelConfig::numExperts, expertLimit},
    {"num_active_experts", "num_experts_per_tok", "expert_used_count", &ModelConfig::numActiveExperts, expertLimit},
    {"moe_intermediate_size", "", "expert_feed_forward_length", &ModelConfig::expertFfnSize, dimensionLimit},
    {"max_seq_len", "max_position_embeddings", "context_length", &ModelConfig::maxSeqLen, dimensionLimit},
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
constexpr FixedKey fixedGgufKeys[]{
    // behind the architecture's prefix
    {"rope.scaling.type", "none"},
    {"expert_shared_count", "0"},
    {"expert_group_count", "1"},
    {"leading_dense_block_count", "0"},
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
        , m_prefix(source.format == "gguf" ? std::string(spec.ggufType) + "." : std::string())
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

    bool isGguf() const { return !m_prefix.empty(); }

    /// The key under which this source would state something: GGUF's, or that of a config.json.
    std::string keyOf(std::string_view json, std::string_view gguf) const
    {
        return isGguf() ? gguf.empty() ? std::string() : m_prefix + std::string(gguf) : std::string(json);
    }

    /// The key of a dimension, the one that is there where there are two.
    std::string keyOf(const DimensionKey& dimension) const
    {
        const bool other = !find(dimension.name) && !dimension.otherName.empty() && find(dimension.otherName);
        return keyOf(other ? dimension.otherName : dimension.name, dimension.ggufName);
    }
    std::string keyOf(std::string_view dimension) const
    {
        const auto found = std::ranges::find(dimensions, dimension, &DimensionKey::name);
        return keyOf(*found);
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
            const std::string key = keyOf(dimension);
            const JsonValue* value = find(key);
            if (!value && dimension.name == "vocab_size" && isGguf() && vocabularyFromEmbedding())
                continue;
            if (!value) {
                if (std::ranges::find(m_spec.required, dimension.name) != m_spec.required.end())
                    return fail(Errc::Malformed, nullptr,
                        "key \"" + key + "\""
                            + (dimension.otherName.empty() || isGguf()
                                    ? ""
                                    : " (or \"" + std::string(dimension.otherName) + "\")")
                            + " is missing, " + std::string(name(m_spec.id)) + " needs it");
                continue;
            }
            const auto number = value->unsignedInteger();
            if (!number || *number > dimension.limit)
                return fail(Errc::OutOfRange, value,
                    key + " is " + textOf(*value) + ", it has to be an integer up to "
                        + std::to_string(dimension.limit));
            m_config.*dimension.member = static_cast<std::uint32_t>(*number);
            note(std::string(dimension.name), std::to_string(*number), key);
        }
        return {};
    }

    /// GGUF need not state the size of its vocabulary; the embedding has as many rows.
    bool vocabularyFromEmbedding()
    {
        const auto found = std::ranges::find(m_source.tensors, "token_embd.weight", &TensorInfo::name);
        if (found == m_source.tensors.end() || found->shape.size() != 2 || found->shape[0] > dimensionLimit)
            return false;
        m_config.vocabSize = static_cast<std::uint32_t>(found->shape[0]);
        m_config.origins.push_back(
            {"vocab_size", std::to_string(m_config.vocabSize), Origin::TensorShape, found->name});
        return true;
    }

    /// What follows from other dimensions when it is not stated, and what has to hold between them.
    Result<void> completeDimensions()
    {
        ModelConfig& c = m_config;
        for (const std::string_view key : m_spec.required)
            for (const DimensionKey& dimension : dimensions)
                if (dimension.name == key && c.*dimension.member == 0 && key != "vocab_size")
                    return fail(
                        Errc::OutOfRange, find(keyOf(dimension)), keyOf(dimension) + " is 0, it has to be at least 1");
        if (c.numHeads) {
            if (!c.numKvHeads)
                inherit("num_key_value_heads", c.numKvHeads, c.numHeads);
            if (!c.headDim)
                inherit("head_dim", c.headDim, c.hiddenSize / c.numHeads);
            if (c.numHeads % c.numKvHeads)
                return fail(Errc::Mismatch, find(keyOf("num_key_value_heads")),
                    "num_attention_heads is " + std::to_string(c.numHeads) + ", no multiple of num_key_value_heads "
                        + std::to_string(c.numKvHeads));
            if (c.headDim == 0 || c.headDim % 2)
                return fail(Errc::OutOfRange, find(keyOf("head_dim")),
                    "head_dim is " + std::to_string(c.headDim) + ", rotary positions need an even number above 0");
        }
        if (c.numActiveExperts > c.numExperts)
            return fail(Errc::OutOfRange, find(keyOf("num_active_experts")),
                "num_active_experts is " + std::to_string(c.numActiveExperts) + ", more than num_experts "
                    + std::to_string(c.numExperts));
        if (c.outputSize == 0)
            c.outputSize = c.vocabSize ? c.vocabSize : c.hiddenSize;
        c.qkNorm = c.architecture == Architecture::Qwen3Moe;
        if (c.architecture == Architecture::LinearMoe && c.numLayers != 1)
            return fail(Errc::Unsupported, find(keyOf("num_layers")),
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
            const JsonValue* value = object.find(isGguf() ? prefix + std::string(fixed.key) : std::string(fixed.key));
            if (value && !value->isNull() && textOf(*value) != fixed.only)
                return fail(Errc::Unsupported, value,
                    prefix + std::string(fixed.key) + " is " + textOf(*value) + ", this version computes only "
                        + std::string(fixed.only));
        }
        return {};
    }

    Result<void> checkFixedKeys()
    {
        if (isGguf())
            return checkGguf();
        if (auto done = checkFixed(m_source.config, fixedKeys, ""); !done)
            return done;
        const JsonValue* routing = find("routing");
        return routing ? checkFixed(*routing, fixedRoutingKeys, "routing.") : Result<void>{};
    }

    /// Keys that may only repeat what follows from others.
    Result<void> checkGguf() const
    {
        for (const std::string_view key : {"attention.value_length", "rope.dimension_count"}) {
            const JsonValue* value = find(m_prefix + std::string(key));
            if (value && value->unsignedInteger() != m_config.headDim)
                return fail(Errc::Unsupported, value,
                    m_prefix + std::string(key) + " is " + textOf(*value)
                        + ", this version computes only the head size " + std::to_string(m_config.headDim));
        }
        return checkFixed(m_source.config, fixedGgufKeys, m_prefix);
    }

    Result<void> readNumbers()
    {
        const auto positive = [&](const std::string& rule, std::string_view gguf, double& number) -> Result<void> {
            const std::string key = keyOf(rule, gguf);
            const JsonValue* value = find(key);
            if (value) {
                const auto given = value->number();
                if (!given || !std::isfinite(*given) || *given <= 0)
                    return fail(Errc::OutOfRange, value, key + " is " + textOf(*value) + ", it has to be above 0");
                number = *given;
            }
            if (m_config.numHeads)
                note(rule, std::to_string(number), value ? key : "");
            return {};
        };
        double epsilon = 1e-6;
        if (auto done = positive("rms_norm_eps", "attention.layer_norm_rms_epsilon", epsilon); !done)
            return done;
        m_config.rmsNormEps = static_cast<float>(epsilon);
        return positive("rope_theta", "rope.freq_base", m_config.ropeTheta);
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
        const JsonValue* normalize =
            routing ? routing->find("normalize") : find(keyOf("norm_topk_prob", "expert_weights_norm"));
        const std::string key = routing ? "routing.normalize" : keyOf("norm_topk_prob", "expert_weights_norm");
        rules.normalize = isGguf() ? m_spec.normalizeInGguf : m_spec.normalizeByDefault;
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
        if (isGguf())
            return readGgufTokens();
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

    /// The ids of GGUF's tokenizer. A text gets the first one in front where the file says so.
    Result<void> readGgufTokens()
    {
        ModelConfig& c = m_config;
        std::vector<TokenId> begin;
        for (const auto& [key, ids] :
            {std::pair("tokenizer.ggml.bos_token_id", &begin), std::pair("tokenizer.ggml.eos_token_id", &c.endOfText),
                std::pair("tokenizer.ggml.eot_token_id", &c.endOfText)})
            if (auto done = readIds(find(key), key, *ids); !done)
                return done;
        if (!begin.empty())
            c.beginOfText = begin.front();
        bool add = false;
        const std::string key = "tokenizer.ggml.add_bos_token";
        if (auto done = readFlag(find(key), key, add); !done)
            return done;
        c.addBeginOfText = add && c.beginOfText;
        c.tiedEmbeddings =
            std::ranges::find(m_source.tensors, "output.weight", &TensorInfo::name) == m_source.tensors.end();
        if (c.beginOfText)
            note("add_bos_token", c.addBeginOfText ? "true" : "false", find(key) ? key : "");
        return {};
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
    std::string m_prefix; ///< of GGUF's keys; empty for other formats
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

/// How a format says which architecture it holds.
struct FormatNames {
    std::string_view format;
    std::string_view key;
    std::string_view (*of)(const ArchitectureSpec&);
};
constexpr FormatNames formatNames[]{
    {"huggingface", "model_type", [](const ArchitectureSpec& spec) { return spec.huggingFaceType; }},
    {"gguf", "general.architecture", [](const ArchitectureSpec& spec) { return spec.ggufType; }},
    {"", "architecture", [](const ArchitectureSpec& spec) { return name(spec.id); }}, // Colibri's own
};

const FormatNames& namesOf(std::string_view format)
{
    const auto found = std::ranges::find(formatNames, format, &FormatNames::format);
    return found == std::end(formatNames) ? formatNames[std::size(formatNames) - 1] : *found;
}

} // namespace

Result<ModelConfig> readConfig(const ModelSource& source)
{
    const FormatNames& names = namesOf(source.format);
    const JsonValue* type = source.config.find(names.key);
    if (!type || !type->string())
        return unknownArchitecture(source, type, type ? textOf(*type) : "(no key \"" + std::string(names.key) + "\")");
    for (const ArchitectureSpec& spec : architectures())
        if (*type->string() == names.of(spec))
            return Reader(source, spec).read();
    return unknownArchitecture(source, type, "\"" + *type->string() + "\"");
}

} // namespace colibri
