// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/tokenizer_stages.h"

#include "tokenizer/tokenizer_json.h"

namespace colibri {

namespace {

/// The pattern that a ByteLevel pre-tokenizer applies when it is told to split.
constexpr std::string_view byteLevelPattern =
    R"('(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

using Stages = std::vector<const JsonValue*>;

class StagesReader : private TokenizerJson {
public:
    StagesReader(const JsonValue& root, const std::string& file)
        : TokenizerJson(file)
        , m_root(root)
    {
    }

    Result<void> readNormalizer();
    Result<void> readPreTokenizer();
    Result<void> checkOutput() const;
    TokenizerStages take() { return std::move(m_result); }

private:
    Result<Stages> stages(const char* part, const char* listKey) const;
    Result<void> flatten(const JsonValue& value, const std::string& part, const char* listKey, Stages& into) const;
    Result<void> readSplit(const JsonValue& stage);
    Result<void> readByteLevel(const JsonValue& stage);
    Result<void> addPattern(std::string_view pattern, const JsonValue& at);

    const JsonValue& m_root;
    TokenizerStages m_result;
};

Result<void> StagesReader::flatten(
    const JsonValue& value, const std::string& part, const char* listKey, Stages& into) const
{
    if (!isType(value, "Sequence")) {
        into.push_back(&value);
        return {};
    }
    const JsonValue* const list = value.find(listKey);
    if (!list || !list->array())
        return failed(Errc::Malformed, list ? *list : value,
            part + "." + listKey + " is " + (list ? shortText(*list) : "missing") + ", it must be an array");
    for (const JsonValue& stage : *list->array())
        if (auto done = flatten(stage, part, listKey, into); !done)
            return done;
    return {};
}

/// The stages of one part, sequences of sequences laid flat; none when the part is null or missing.
Result<Stages> StagesReader::stages(const char* part, const char* listKey) const
{
    Stages result;
    const JsonValue* const value = m_root.find(part);
    if (value && !value->isNull())
        if (const auto done = flatten(*value, part, listKey, result); !done)
            return done.error();
    return result;
}

Result<void> StagesReader::readNormalizer()
{
    const auto found = stages("normalizer", "normalizers");
    if (!found)
        return found.error();
    for (const JsonValue* const stage : *found)
        if (!isType(*stage, "NFC"))
            return unsupported("normalizer", *stage, "NFC, or none");
    m_result.nfc = !found->empty();
    return {};
}

Result<void> StagesReader::readPreTokenizer()
{
    const auto found = stages("pre_tokenizer", "pretokenizers");
    if (!found)
        return found.error();
    const JsonValue* last = nullptr;
    for (const JsonValue* const stage : *found) {
        if (last && isType(*last, "ByteLevel"))
            return failed(
                Errc::Unsupported, *stage, "pre_tokenizer has a stage behind ByteLevel, which must be the last one");
        const bool split = isType(*stage, "Split");
        if (!split && !isType(*stage, "ByteLevel"))
            return unsupported("pre_tokenizer", *stage, "Split and ByteLevel, alone or in a Sequence");
        if (auto done = split ? readSplit(*stage) : readByteLevel(*stage); !done)
            return done;
        last = stage;
    }
    if (!last || !isType(*last, "ByteLevel"))
        return failed(
            Errc::Unsupported, m_root, "pre_tokenizer has no stage ByteLevel at its end, supported is byte-level BPE");
    return {};
}

Result<void> StagesReader::readSplit(const JsonValue& stage)
{
    const JsonValue* const pattern = stage.find("pattern");
    const JsonValue* const regex = pattern ? pattern->find("Regex") : nullptr;
    if (!regex || !regex->string())
        return failed(Errc::Unsupported, pattern ? *pattern : stage,
            "pre_tokenizer Split.pattern has no text \"Regex\", supported is only that");
    const JsonValue* const behavior = stage.find("behavior");
    if (!behavior || !behavior->string() || *behavior->string() != "Isolated")
        return failed(Errc::Unsupported, behavior ? *behavior : stage,
            "pre_tokenizer Split.behavior is " + (behavior ? shortText(*behavior) : "missing")
                + ", supported is \"Isolated\"");
    if (auto plain = refuse(stage, "pre_tokenizer Split", "invert"); !plain)
        return plain;
    return addPattern(*regex->string(), *regex);
}

Result<void> StagesReader::readByteLevel(const JsonValue& stage)
{
    if (auto plain = refuse(stage, "pre_tokenizer ByteLevel", "add_prefix_space"); !plain)
        return plain;
    const auto split = flag(stage, "pre_tokenizer ByteLevel", "use_regex", true);
    if (!split)
        return split.error();
    return *split ? addPattern(byteLevelPattern, stage) : Result<void>();
}

Result<void> StagesReader::addPattern(std::string_view pattern, const JsonValue& at)
{
    auto compiled = SplitPattern::compile(pattern);
    if (!compiled)
        return failed(compiled.error().code, at, "a pattern of pre_tokenizer is refused: " + compiled.error().why);
    m_result.patterns.push_back(std::move(*compiled));
    return {};
}

/// The stages behind the model: ids must not change any more, and decode as bytes.
Result<void> StagesReader::checkOutput() const
{
    const auto processors = stages("post_processor", "processors");
    if (!processors)
        return processors.error();
    for (const JsonValue* const stage : *processors)
        if (!isType(*stage, "ByteLevel"))
            return unsupported("post_processor", *stage, "ByteLevel, or none");
    const auto decoders = stages("decoder", "decoders");
    if (!decoders)
        return decoders.error();
    if (decoders->size() != 1)
        return failed(Errc::Unsupported, m_root,
            "decoder has " + std::to_string(decoders->size()) + " stages, supported is ByteLevel alone");
    return isType(*decoders->front(), "ByteLevel") ? Result<void>()
                                                   : unsupported("decoder", *decoders->front(), "ByteLevel");
}

} // namespace

Result<TokenizerStages> readStages(const JsonValue& root, const std::string& file)
{
    StagesReader reader(root, file);
    if (const auto done = reader.readNormalizer(); !done)
        return done.error();
    if (const auto done = reader.readPreTokenizer(); !done)
        return done.error();
    if (const auto done = reader.checkOutput(); !done)
        return done.error();
    return reader.take();
}

} // namespace colibri
