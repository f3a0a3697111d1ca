// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/tokenizer_stages.h"

#include "tokenizer/decoder_stages.h"
#include "tokenizer/stage_reader.h"

#include <array>

namespace colibri {

namespace {

/// The pattern that a ByteLevel pre-tokenizer applies when it is told to split.
constexpr std::string_view byteLevelPattern =
    R"('(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

constexpr std::size_t maxContentBytes = 16; ///< of what is put into a text: it bounds how much a text grows

constexpr std::array<StageWord<NormalizationForm>, 4> forms{{{"NFC", NormalizationForm::C},
    {"NFD", NormalizationForm::D}, {"NFKC", NormalizationForm::KC}, {"NFKD", NormalizationForm::KD}}};
constexpr std::array<StageWord<SplitBehavior>, 5> behaviors{{{"Isolated", SplitBehavior::Isolated},
    {"Removed", SplitBehavior::Removed}, {"MergedWithPrevious", SplitBehavior::MergedWithPrevious},
    {"MergedWithNext", SplitBehavior::MergedWithNext}, {"Contiguous", SplitBehavior::Contiguous}}};

class StagesReader : private StageReader {
public:
    using StageReader::StageReader;

    Result<void> readNormalizer();
    Result<void> readPreTokenizer();
    Result<void> readPostProcessor();
    Result<void> readTexts();
    TokenizerStages take() { return std::move(m_result); }

private:
    Result<SplitPattern> pattern(const JsonValue& stage, const std::string& part) const;
    Result<SplitPattern> compiled(
        std::string_view text, SplitPattern::Kind kind, const JsonValue& at, const std::string& part) const;
    Result<void> checkOrder(const JsonValue& stage) const;

    Result<void> readForm(const JsonValue& stage);
    Result<void> readPrepend(const JsonValue& stage);
    Result<void> readReplace(const JsonValue& stage);

    Result<void> readSplit(const JsonValue& stage);
    Result<void> readDigits(const JsonValue& stage);
    Result<void> readMetaspace(const JsonValue& stage);
    Result<void> readByteLevel(const JsonValue& stage);

    Result<void> checkOffsets(const JsonValue& stage);
    Result<void> readTemplate(const JsonValue& stage);

    TokenizerStages m_result;
};

Result<void> StagesReader::readNormalizer()
{
    static constexpr auto form = &StagesReader::readForm;
    static constexpr StageType<StagesReader> types[]{{"NFC", form}, {"NFD", form}, {"NFKC", form}, {"NFKD", form},
        {"Prepend", &StagesReader::readPrepend}, {"Replace", &StagesReader::readReplace}};
    return readEach(*this, "normalizer", "normalizers", types);
}

Result<void> StagesReader::readForm(const JsonValue& stage)
{
    m_result.normalizer.add(*findStageWord(forms, stage.find("type")));
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
    static constexpr auto order = &StagesReader::checkOrder;
    static constexpr StageType<StagesReader> types[]{{"Split", &StagesReader::readSplit, order},
        {"Digits", &StagesReader::readDigits, order}, {"Metaspace", &StagesReader::readMetaspace, order},
        {"ByteLevel", &StagesReader::readByteLevel, order}};
    return readEach(*this, "pre_tokenizer", "pretokenizers", types);
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
    auto found = pattern(stage, "pre_tokenizer Split");
    if (!found)
        return found.error();
    const JsonValue* const behavior = stage.find("behavior");
    const SplitBehavior* const known = findStageWord(behaviors, behavior);
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

Result<void> StagesReader::readMetaspace(const JsonValue& stage)
{
    auto made = metaspace(stage, "pre_tokenizer Metaspace");
    if (!made)
        return made.error();
    const auto split = flag(stage, "pre_tokenizer Metaspace", "split", true);
    if (!split)
        return split.error();
    made->split = *split;
    m_result.preTokenizer.add(std::move(*made));
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
    static constexpr StageType<StagesReader> types[]{
        {"ByteLevel", &StagesReader::checkOffsets}, {"TemplateProcessing", &StagesReader::readTemplate}};
    return readEach(*this, "post_processor", "processors", types);
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

Result<void> StagesReader::readTexts()
{
    auto texts = readDecoder(root(), file(), m_result.byteLevel);
    if (!texts)
        return texts.error();
    m_result.texts = std::move(*texts);
    return {};
}

} // namespace

Result<TokenizerStages> readStages(const JsonValue& root, const std::string& file)
{
    StagesReader reader(root, file);
    for (const auto step : {&StagesReader::readNormalizer, &StagesReader::readPreTokenizer,
             &StagesReader::readPostProcessor, &StagesReader::readTexts})
        if (const auto done = (reader.*step)(); !done)
            return done.error();
    return reader.take();
}

} // namespace colibri
