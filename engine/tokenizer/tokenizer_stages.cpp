// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/tokenizer_stages.h"

#include "tokenizer/tokenizer_json.h"

#include <algorithm>
#include <array>
#include <span>

namespace colibri {

namespace {

/// The pattern that a ByteLevel pre-tokenizer applies when it is told to split.
constexpr std::string_view byteLevelPattern =
    R"('(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

constexpr std::size_t maxContentBytes = 16; ///< of what is put into a text: it bounds how much a text grows
constexpr std::size_t maxPatternBytes = 65'536;

template <class Value>
struct Named {
    std::string_view name;
    Value value;
};

constexpr std::array<Named<NormalizationForm>, 4> forms{{{"NFC", NormalizationForm::C}, {"NFD", NormalizationForm::D},
    {"NFKC", NormalizationForm::KC}, {"NFKD", NormalizationForm::KD}}};
constexpr std::array<Named<SplitBehavior>, 5> behaviors{{{"Isolated", SplitBehavior::Isolated},
    {"Removed", SplitBehavior::Removed}, {"MergedWithPrevious", SplitBehavior::MergedWithPrevious},
    {"MergedWithNext", SplitBehavior::MergedWithNext}, {"Contiguous", SplitBehavior::Contiguous}}};
constexpr std::array<Named<PreTokenizer::Prepend>, 3> prependSchemes{{{"always", PreTokenizer::Prepend::Always},
    {"first", PreTokenizer::Prepend::First}, {"never", PreTokenizer::Prepend::Never}}};

template <class Table>
auto findNamed(const Table& table, const JsonValue* value)
{
    const std::string* const name = value ? value->string() : nullptr;
    const auto at =
        std::find_if(table.begin(), table.end(), [&](const auto& row) { return name && row.name == *name; });
    return at == table.end() ? nullptr : &at->value;
}

class StagesReader : private TokenizerJson {
public:
    StagesReader(const JsonValue& root, const std::string& file)
        : TokenizerJson(file)
        , m_root(root)
    {
    }

    Result<void> readNormalizer();
    Result<void> readPreTokenizer();
    Result<void> readPostProcessor();
    Result<void> readDecoder();
    TokenizerStages take() { return std::move(m_result); }

private:
    using Step = Result<void> (StagesReader::*)(const JsonValue& stage);
    Result<void> readEach(const char* part, const char* listKey, std::span<const Named<Step>> steps);
    Result<SplitPattern> pattern(const JsonValue& stage, const std::string& part) const;
    Result<SplitPattern> compiled(
        std::string_view text, SplitPattern::Kind kind, const JsonValue& at, const std::string& part) const;
    Result<void> checkOrder(const JsonValue& stage) const;
    Result<void> checkJoined(const JsonValue& stage, bool joined) const;
    Result<PreTokenizer::Prepend> prependScheme(const JsonValue& stage, const std::string& part) const;

    Result<void> readForm(const JsonValue& stage);
    Result<void> readPrepend(const JsonValue& stage);
    Result<void> readReplace(const JsonValue& stage);

    Result<void> readSplit(const JsonValue& stage);
    Result<void> readDigits(const JsonValue& stage);
    Result<void> readMetaspace(const JsonValue& stage);
    Result<void> readByteLevel(const JsonValue& stage);

    Result<void> checkOffsets(const JsonValue& stage);
    Result<void> readTemplate(const JsonValue& stage);

    Result<void> textsAreBytes(const JsonValue& stage);
    Result<void> readTextReplace(const JsonValue& stage);
    Result<void> readTextMetaspace(const JsonValue& stage);
    Result<void> readFallback(const JsonValue& stage);
    Result<void> readFuse(const JsonValue& stage);
    Result<void> readStrip(const JsonValue& stage);

    const JsonValue& m_root;
    TokenizerStages m_result;
    bool m_fused = false; ///< the decoder has joined the tokens
};

/// Hands each stage of a part to the reader of its type.
Result<void> StagesReader::readEach(const char* part, const char* listKey, std::span<const Named<Step>> steps)
{
    const auto found = stages(m_root, part, listKey);
    if (!found)
        return found.error();
    for (const JsonValue* const stage : *found) {
        const Step* const step = findNamed(steps, stage->find("type"));
        if (!step) {
            std::string names;
            for (const auto& row : steps)
                names += (names.empty() ? "" : ", ") + std::string(row.name);
            return unsupported(part, *stage, names);
        }
        if (auto done = (this->**step)(*stage); !done)
            return done;
    }
    return {};
}

Result<void> StagesReader::readNormalizer()
{
    static constexpr Step form = &StagesReader::readForm;
    static constexpr std::array<Named<Step>, 6> steps{{{"NFC", form}, {"NFD", form}, {"NFKC", form}, {"NFKD", form},
        {"Prepend", &StagesReader::readPrepend}, {"Replace", &StagesReader::readReplace}}};
    return readEach("normalizer", "normalizers", steps);
}

Result<void> StagesReader::readForm(const JsonValue& stage)
{
    m_result.normalizer.add(*findNamed(forms, stage.find("type")));
    return {};
}

Result<void> StagesReader::readPrepend(const JsonValue& stage)
{
    auto prepended = text(stage, "normalizer Prepend", "prepend", 1, maxContentBytes);
    if (!prepended)
        return prepended.error();
    m_result.normalizer.add(Normalizer::Prepend{std::move(*prepended)});
    return {};
}

Result<void> StagesReader::readReplace(const JsonValue& stage)
{
    auto content = text(stage, "normalizer Replace", "content", 0, maxContentBytes);
    if (!content)
        return content.error();
    auto found = pattern(stage, "normalizer Replace");
    if (!found)
        return found.error();
    m_result.normalizer.add(Normalizer::Replace{std::move(*found), std::move(*content)});
    return {};
}

Result<void> StagesReader::readPreTokenizer()
{
    static constexpr std::array<Named<Step>, 4> steps{
        {{"Split", &StagesReader::readSplit}, {"Digits", &StagesReader::readDigits},
            {"Metaspace", &StagesReader::readMetaspace}, {"ByteLevel", &StagesReader::readByteLevel}}};
    return readEach("pre_tokenizer", "pretokenizers", steps);
}

Result<SplitPattern> StagesReader::compiled(
    std::string_view text, SplitPattern::Kind kind, const JsonValue& at, const std::string& part) const
{
    auto made = SplitPattern::compile(text, kind);
    if (!made)
        return failed(made.error().code, at, part + ".pattern is refused: " + made.error().why);
    return made;
}

/// {"Regex": "..."} or {"String": "..."}.
Result<SplitPattern> StagesReader::pattern(const JsonValue& stage, const std::string& part) const
{
    const JsonValue* const value = stage.find("pattern");
    for (const auto& [key, kind] :
        {std::pair("Regex", SplitPattern::Kind::Regex), std::pair("String", SplitPattern::Kind::Literal)})
        if (const JsonValue* const text = value ? value->find(key) : nullptr; text && text->string())
            return compiled(*text->string(), kind, *text, part);
    return failed(Errc::Malformed, value ? *value : stage,
        part + ".pattern is " + (value ? shortText(*value) : "missing")
            + ", it must have a text \"Regex\" or \"String\"");
}

Result<void> StagesReader::readSplit(const JsonValue& stage)
{
    if (auto last = checkOrder(stage); !last)
        return last;
    auto found = pattern(stage, "pre_tokenizer Split");
    if (!found)
        return found.error();
    const JsonValue* const behavior = stage.find("behavior");
    const SplitBehavior* const known = findNamed(behaviors, behavior);
    if (!known)
        return failed(Errc::Malformed, behavior ? *behavior : stage,
            "pre_tokenizer Split.behavior is " + (behavior ? shortText(*behavior) : "missing")
                + ", it must be Isolated, Removed, MergedWithPrevious, MergedWithNext or Contiguous");
    const auto invert = flag(stage, "pre_tokenizer Split", "invert", false);
    if (!invert)
        return invert.error();
    m_result.preTokenizer.add(PreTokenizer::Split{std::move(*found), *known, *invert});
    return {};
}

/// Numbers become pieces, or each of their digits does.
Result<void> StagesReader::readDigits(const JsonValue& stage)
{
    if (auto last = checkOrder(stage); !last)
        return last;
    const auto individual = flag(stage, "pre_tokenizer Digits", "individual_digits", false);
    if (!individual)
        return individual.error();
    auto number = compiled("\\p{N}", SplitPattern::Kind::Regex, stage, "pre_tokenizer Digits");
    if (!number)
        return number.error();
    const auto behavior = *individual ? SplitBehavior::Isolated : SplitBehavior::Contiguous;
    m_result.preTokenizer.add(PreTokenizer::Split{std::move(*number), behavior});
    return {};
}

/// "prepend_scheme", or "add_prefix_space" in files from before it.
Result<PreTokenizer::Prepend> StagesReader::prependScheme(const JsonValue& stage, const std::string& part) const
{
    const JsonValue* const value = stage.find("prepend_scheme");
    const auto space = flag(stage, part, "add_prefix_space", true);
    if (!space)
        return space.error();
    if (!value || value->isNull())
        return *space ? PreTokenizer::Prepend::Always : PreTokenizer::Prepend::Never;
    const PreTokenizer::Prepend* const known = findNamed(prependSchemes, value);
    if (!known)
        return failed(Errc::Malformed, *value,
            part + ".prepend_scheme is " + shortText(*value) + ", it must be always, first or never");
    if (!*space && *known != PreTokenizer::Prepend::Never)
        return failed(Errc::Mismatch, *value,
            part + ".prepend_scheme is " + shortText(*value) + ", but add_prefix_space is false");
    return *known;
}

Result<void> StagesReader::readMetaspace(const JsonValue& stage)
{
    if (auto last = checkOrder(stage); !last)
        return last;
    auto replacement = text(stage, "pre_tokenizer Metaspace", "replacement", 1, 4);
    if (!replacement)
        return replacement.error();
    const auto prepend = prependScheme(stage, "pre_tokenizer Metaspace");
    if (!prepend)
        return prepend.error();
    const auto split = flag(stage, "pre_tokenizer Metaspace", "split", true);
    if (!split)
        return split.error();
    m_result.preTokenizer.add(PreTokenizer::Metaspace{std::move(*replacement), *prepend, *split});
    return {};
}

/// What stands behind ByteLevel would see its spelling, not the text.
Result<void> StagesReader::checkOrder(const JsonValue& stage) const
{
    if (!m_result.byteLevel)
        return {};
    return failed(Errc::Unsupported, stage, "pre_tokenizer has a stage behind ByteLevel, which must be the last one");
}

Result<void> StagesReader::readByteLevel(const JsonValue& stage)
{
    if (auto last = checkOrder(stage); !last)
        return last;
    const auto space = flag(stage, "pre_tokenizer ByteLevel", "add_prefix_space", false);
    if (!space)
        return space.error();
    const auto split = flag(stage, "pre_tokenizer ByteLevel", "use_regex", true);
    if (!split)
        return split.error();
    m_result.byteLevel = true;
    if (*space)
        m_result.preTokenizer.add(PreTokenizer::PrefixSpace());
    if (!*split)
        return {};
    auto words = compiled(byteLevelPattern, SplitPattern::Kind::Regex, stage, "pre_tokenizer ByteLevel");
    if (!words)
        return words.error();
    m_result.preTokenizer.add(PreTokenizer::Split{std::move(*words)});
    return {};
}

Result<void> StagesReader::readPostProcessor()
{
    static constexpr std::array<Named<Step>, 2> steps{
        {{"ByteLevel", &StagesReader::checkOffsets}, {"TemplateProcessing", &StagesReader::readTemplate}}};
    return readEach("post_processor", "processors", steps);
}

/// It changes where tokens are said to lie in the text, not which they are.
Result<void> StagesReader::checkOffsets(const JsonValue&)
{
    return {};
}

Result<void> StagesReader::readTemplate(const JsonValue& stage)
{
    if (m_result.frame)
        return failed(Errc::Unsupported, stage, "post_processor has two stages TemplateProcessing, supported is one");
    m_result.frame = &stage;
    return {};
}

Result<void> StagesReader::readDecoder()
{
    static constexpr std::array<Named<Step>, 6> steps{
        {{"ByteLevel", &StagesReader::textsAreBytes}, {"Replace", &StagesReader::readTextReplace},
            {"Metaspace", &StagesReader::readTextMetaspace}, {"ByteFallback", &StagesReader::readFallback},
            {"Fuse", &StagesReader::readFuse}, {"Strip", &StagesReader::readStrip}}};
    m_result.texts.byteLevel = false;
    if (auto done = readEach("decoder", "decoders", steps); !done)
        return done;
    if (m_result.texts.byteLevel != m_result.byteLevel)
        return failed(Errc::Unsupported, m_root,
            m_result.byteLevel ? "pre_tokenizer is ByteLevel but decoder is not"
                               : "decoder is ByteLevel but pre_tokenizer has no stage ByteLevel at its end");
    return {};
}

Result<void> StagesReader::textsAreBytes(const JsonValue& stage)
{
    m_result.texts.byteLevel = true;
    const auto all = stages(m_root, "decoder", "decoders");
    if (all && all->size() != 1)
        return failed(Errc::Unsupported, stage,
            "decoder has " + std::to_string(all->size()) + " stages, supported is ByteLevel alone or without it");
    return {};
}

/// Tokens may change until they are bytes or joined, the whole text only after that.
Result<void> StagesReader::checkJoined(const JsonValue& stage, bool joined) const
{
    if (m_fused == joined && (joined || !m_result.texts.byteFallback))
        return {};
    return failed(Errc::Unsupported, stage,
        "decoder has a stage of type " + shortText(*stage.find("type"))
            + (joined ? " in front of Fuse" : " behind ByteFallback or Fuse"));
}

Result<void> StagesReader::readTextReplace(const JsonValue& stage)
{
    if (auto placed = checkJoined(stage, false); !placed)
        return placed;
    const JsonValue* const found = stage.find("pattern");
    if (!found || !found->object())
        return failed(Errc::Malformed, stage, "decoder Replace.pattern is missing, it must be an object");
    auto from = text(*found, "decoder Replace.pattern", "String", 1, maxPatternBytes);
    if (!from)
        return from.error();
    auto to = text(stage, "decoder Replace", "content", 0, from->size());
    if (!to)
        return to.error();
    m_result.texts.replacements.emplace_back(std::move(*from), std::move(*to));
    return {};
}

Result<void> StagesReader::readTextMetaspace(const JsonValue& stage)
{
    if (auto placed = checkJoined(stage, false); !placed)
        return placed;
    auto replacement = text(stage, "decoder Metaspace", "replacement", 1, 4);
    if (!replacement)
        return replacement.error();
    const auto prepend = prependScheme(stage, "decoder Metaspace");
    if (!prepend)
        return prepend.error();
    m_result.texts.replacements.emplace_back(std::move(*replacement), " ");
    m_result.texts.firstWithoutSpaces = *prepend != PreTokenizer::Prepend::Never;
    return {};
}

Result<void> StagesReader::readFallback(const JsonValue& stage)
{
    if (auto placed = checkJoined(stage, false); !placed)
        return placed;
    m_result.texts.byteFallback = true;
    return {};
}

Result<void> StagesReader::readFuse(const JsonValue&)
{
    m_fused = true;
    return {};
}

/// One character so often at most from the front of the whole text.
Result<void> StagesReader::readStrip(const JsonValue& stage)
{
    if (auto placed = checkJoined(stage, true); !placed)
        return placed;
    auto content = text(stage, "decoder Strip", "content", 1, 4);
    if (!content)
        return content.error();
    const auto number = [&](const char* key) {
        const JsonValue* const value = stage.find(key);
        return value ? value->unsignedInteger() : std::nullopt;
    };
    const auto start = number("start");
    if (!start || *start > UINT32_MAX || number("stop") != 0 || m_result.texts.stripCount)
        return failed(
            Errc::Unsupported, stage, "decoder Strip must have a number start and a stop of 0, and stand there once");
    m_result.texts.strip = std::move(*content);
    m_result.texts.stripCount = static_cast<std::uint32_t>(*start);
    return {};
}

} // namespace

Result<TokenizerStages> readStages(const JsonValue& root, const std::string& file)
{
    StagesReader reader(root, file);
    for (const auto step : {&StagesReader::readNormalizer, &StagesReader::readPreTokenizer,
             &StagesReader::readPostProcessor, &StagesReader::readDecoder})
        if (const auto done = (reader.*step)(); !done)
            return done.error();
    return reader.take();
}

} // namespace colibri
