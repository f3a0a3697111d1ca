// SPDX-License-Identifier: Apache-2.0
// A configuration, step by step: numbers and special tokens here, dimensions and rules in the files beside it.
#include "model/config_keys.h"

#include <algorithm>

namespace colibri {
namespace {

class Reader {
public:
    Reader(const ModelSource& source, const ArchitectureSpec& spec)
        : m_source(source)
        , m_spec(spec)
        , m_keys(source, spec)
    {
        m_config.architecture = spec.id;
    }

    Result<ModelConfig> read()
    {
        for (const auto step : {&Reader::readSizes, &Reader::checkFixed, &Reader::readNumbers, &Reader::readPositions,
                 &Reader::readRouting, &Reader::readScales, &Reader::readSpecialTokens, &Reader::readAddBegin})
            if (auto done = (this->*step)(); !done)
                return done.error();
        noteSampling();
        m_config.unusedKeys = m_keys.unusedKeys();
        m_config.origins = m_keys.takeOrigins();
        return std::move(m_config);
    }

private:
    Result<void> checkFixed()
    {
        for (const FixedKey& fixed : m_spec.fixed) {
            const FoundKey found = m_keys.find({fixed.key, {}, {fixed.key}});
            if (found && valueText(*found.value) != fixed.only)
                return m_keys.fail(Errc::Unsupported, found.value,
                    found.key + " is " + valueText(*found.value) + ", this version computes only "
                        + std::string(fixed.only));
        }
        return {};
    }

    Result<void> readNumbers()
    {
        const auto positive = [&](const KeyNames& names, double& number) -> Result<void> {
            const auto found = m_keys.number(names, number);
            if (!found)
                return found.error();
            if (number <= 0)
                return m_keys.refuse(*found, "above 0");
            if (m_config.numHeads)
                m_keys.note(std::string(names.name), numberText(number), *found);
            return {};
        };
        double epsilon = m_spec.defaults.rmsNormEps;
        if (auto done = positive({"rms_norm_eps", {}, {"attention.layer_norm_rms_epsilon"}}, epsilon); !done)
            return done;
        m_config.rmsNormEps = static_cast<float>(epsilon);
        m_config.ropeTheta = m_spec.defaults.ropeTheta;
        return positive({"rope_theta", {"rope_parameters.rope_theta"}, {"rope.freq_base"}}, m_config.ropeTheta);
    }

    Result<void> readSizes() { return readDimensions(m_keys, m_config); }
    Result<void> readPositions() { return m_config.numHeads ? readPositionRules(m_keys, m_config) : Result<void>{}; }
    Result<void> readRouting() { return readRoutingRules(m_keys, m_config); }
    Result<void> readScales() { return m_keys.isGguf() ? Result<void>{} : readQuantization(m_keys, m_config); }

    Result<void> readSpecialTokens()
    {
        const auto tied = m_keys.flag({"tie_word_embeddings", {}, {}}, m_config.tiedEmbeddings);
        if (!tied)
            return tied.error();
        const bool gguf = m_keys.isGguf();
        std::vector<TokenId> begin;
        if (auto done = readIds(m_keys.findExactly(gguf ? "tokenizer.ggml.bos_token_id" : "bos_token_id"), begin);
            !done)
            return done;
        if (!begin.empty())
            m_config.beginOfText = begin.front();
        if (gguf) {
            const auto output = [](const TensorInfo& tensor) { return tensor.name == "output.weight"; };
            m_config.tiedEmbeddings = m_source.allNamed && std::ranges::none_of(m_source.tensors, output);
            for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"})
                if (auto done = readIds(m_keys.findExactly(key), m_config.endOfText); !done)
                    return done;
            return {};
        }
        // generation_config.json knows all ids that end a text, config.json often only one.
        const JsonValue* ends = m_source.generationConfig ? m_source.generationConfig->find("eos_token_id") : nullptr;
        return readIds(ends && !ends->isNull() ? FoundKey{ends, "eos_token_id"} : m_keys.findExactly("eos_token_id"),
            m_config.endOfText);
    }

    /// tokenizer_config.json's add_bos_token decides (a Colibri config.json carries the same key, GGUF one of its own).
    /// Without it a text gets the id in front only where one id both ends and begins documents, as in models trained on
    /// a stream of documents; families with a begin-of-text id of their own then add none. llama.cpp adds one for every
    /// SentencePiece vocabulary.
    Result<void> readAddBegin()
    {
        ModelConfig& c = m_config;
        bool add = c.beginOfText && c.endOfText.size() == 1 && c.endOfText.front() == *c.beginOfText;
        FoundKey stated = m_keys.findExactly(m_keys.isGguf() ? "tokenizer.ggml.add_bos_token" : "add_bos_token");
        if (m_source.tokenizerConfig) {
            const JsonValue* value = m_source.tokenizerConfig->find("add_bos_token");
            stated = value && !value->isNull() ? FoundKey{value, "add_bos_token"} : FoundKey{};
        }
        if (m_keys.isGguf()) {
            const FoundKey kind = m_keys.findExactly("tokenizer.ggml.model");
            add = kind && valueText(*kind.value) == "llama";
        }
        if (stated && !stated.value->boolean())
            return m_keys.fail(Errc::Malformed, stated.value,
                stated.key + " is a " + std::string(stated.value->typeName()) + ", it has to be true or false");
        if (stated)
            add = *stated.value->boolean();
        c.addBeginOfText = add && c.beginOfText;
        if (c.beginOfText)
            m_keys.note("add_bos_token", c.addBeginOfText ? "true" : "false", stated);
        return {};
    }

    /// What the files recommend for sampling. A fact to show: a run takes its own options.
    void noteSampling()
    {
        struct SamplingKey {
            std::string_view folder; ///< in generation_config.json
            std::string_view gguf;
        };
        constexpr SamplingKey keys[]{{"do_sample", ""}, {"temperature", "general.sampling.temp"},
            {"top_k", "general.sampling.top_k"}, {"top_p", "general.sampling.top_p"},
            {"min_p", "general.sampling.min_p"}, {"repetition_penalty", "general.sampling.penalty_repeat"}};
        for (const auto& [folder, gguf] : keys) {
            FoundKey found = m_keys.isGguf() ? m_keys.findExactly(gguf) : FoundKey{};
            if (m_source.generationConfig)
                if (const JsonValue* value = m_source.generationConfig->find(folder); value && !value->isNull())
                    found = {value, "generation_config.json: " + std::string(folder)};
            if (found)
                m_keys.note("sampling." + std::string(folder), valueText(*found.value), found);
        }
    }

    Result<void> readIds(const FoundKey& found, std::vector<TokenId>& ids) const
    {
        if (!found)
            return {};
        const std::span<const JsonValue> values =
            found.value->array() ? std::span<const JsonValue>(*found.value->array()) : std::span(found.value, 1);
        for (const JsonValue& one : values) {
            const auto id = one.unsignedInteger();
            if (!id || *id >= std::max(1u, m_config.vocabSize))
                return m_keys.fail(Errc::OutOfRange, &one,
                    found.key + " is " + valueText(one) + ", it has to be below vocab_size "
                        + std::to_string(m_config.vocabSize));
            if (std::ranges::find(ids, *id) == ids.end())
                ids.push_back(static_cast<TokenId>(*id));
        }
        return {};
    }

    const ModelSource& m_source;
    const ArchitectureSpec& m_spec;
    ConfigKeys m_keys;
    ModelConfig m_config;
};

/// Where a source names its architecture, and the name that a row has there.
struct ArchitectureName {
    std::string_view key;
    std::string_view (*of)(const ArchitectureSpec&);
};

ArchitectureName architectureName(std::string_view format)
{
    if (format == "gguf")
        return {"general.architecture", [](const ArchitectureSpec& spec) { return spec.ggufName; }};
    if (format == "huggingface")
        return {"model_type", [](const ArchitectureSpec& spec) { return spec.huggingFaceType; }};
    return {"architecture", [](const ArchitectureSpec& spec) { return name(spec.id); }};
}

Error unknownArchitecture(const ModelSource& source, const JsonValue* at, const std::string& given)
{
    const ArchitectureName names = architectureName(source.format);
    std::string known;
    for (const ArchitectureSpec& spec : architectures())
        if (const std::string_view one = names.of(spec); !one.empty())
            known += (known.empty() ? "" : ", ") + std::string(one);
    return Error{Errc::Unsupported, "read the configuration", source.configFile,
        at ? std::optional(at->offset) : std::nullopt,
        "architecture " + given + " is not known, this version knows " + known};
}

} // namespace

Result<ModelConfig> readConfig(const ModelSource& source)
{
    const ArchitectureName names = architectureName(source.format);
    const JsonValue* type = source.config.find(names.key);
    if (!type || !type->string())
        return unknownArchitecture(
            source, type, type ? valueText(*type) : "(no key \"" + std::string(names.key) + "\")");
    for (const ArchitectureSpec& spec : architectures())
        if (*type->string() == names.of(spec) && !type->string()->empty())
            return Reader(source, spec).read();
    return unknownArchitecture(source, type, "\"" + *type->string() + "\"");
}

} // namespace colibri
