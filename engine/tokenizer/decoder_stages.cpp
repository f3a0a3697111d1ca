// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/decoder_stages.h"

#include "tokenizer/stage_reader.h"

namespace colibri {

namespace {

constexpr std::size_t maxPatternBytes = 65'536;

/// The way back from tokens to a text.
class DecoderReader : private StageReader {
public:
    using StageReader::StageReader;

    Result<void> read(bool byteLevel);
    TextRules take() { return std::move(m_rules); }

private:
    Result<void> checkTokens(const JsonValue& stage) const;
    Result<void> checkWhole(const JsonValue& stage) const;
    Error misplaced(const JsonValue& stage, const char* place) const;

    Result<void> readByteLevel(const JsonValue& stage);
    Result<void> readReplace(const JsonValue& stage);
    Result<void> readMetaspace(const JsonValue& stage);
    Result<void> readFallback(const JsonValue& stage);
    Result<void> readFuse(const JsonValue& stage);
    Result<void> readStrip(const JsonValue& stage);
    Result<std::uint64_t> stripped(const JsonValue& stage, const char* end, std::uint64_t most) const;

    TextRules m_rules;
    bool m_fused = false; ///< the tokens are joined
};

Result<void> DecoderReader::read(bool byteLevel)
{
    static constexpr auto tokens = &DecoderReader::checkTokens;
    static constexpr auto whole = &DecoderReader::checkWhole;
    static constexpr StageType<DecoderReader> types[]{{"ByteLevel", &DecoderReader::readByteLevel},
        {"Replace", &DecoderReader::readReplace, tokens}, {"Metaspace", &DecoderReader::readMetaspace, tokens},
        {"ByteFallback", &DecoderReader::readFallback, tokens}, {"Fuse", &DecoderReader::readFuse},
        {"Strip", &DecoderReader::readStrip, whole}};
    m_rules.byteLevel = false;
    if (auto done = readEach(*this, "decoder", "decoders", types); !done)
        return done;
    if (m_rules.byteLevel != byteLevel)
        return failed(Errc::Unsupported, root(),
            byteLevel ? "pre_tokenizer is ByteLevel but decoder is not"
                      : "decoder is ByteLevel but pre_tokenizer has no stage ByteLevel at its end");
    return {};
}

Result<void> DecoderReader::readByteLevel(const JsonValue& stage)
{
    m_rules.byteLevel = true;
    const auto all = stages(root(), "decoder", "decoders");
    if (all && all->size() != 1)
        return failed(Errc::Unsupported, stage,
            "decoder has " + std::to_string(all->size()) + " stages, supported is ByteLevel alone or without it");
    return {};
}

Error DecoderReader::misplaced(const JsonValue& stage, const char* place) const
{
    return failed(
        Errc::Unsupported, stage, "decoder has a stage of type " + shortText(*stage.find("type")) + " " + place);
}

/// Tokens may change until they are bytes or joined.
Result<void> DecoderReader::checkTokens(const JsonValue& stage) const
{
    if (m_fused || m_rules.byteFallback)
        return misplaced(stage, "behind ByteFallback or Fuse");
    return {};
}

/// The whole text may change when it is one.
Result<void> DecoderReader::checkWhole(const JsonValue& stage) const
{
    if (!m_fused)
        return misplaced(stage, "in front of Fuse");
    return {};
}

Result<void> DecoderReader::readReplace(const JsonValue& stage)
{
    const JsonValue* const found = stage.find("pattern");
    if (!found || !found->object())
        return failed(Errc::Malformed, found ? *found : stage,
            "decoder Replace.pattern is " + (found ? shortText(*found) : "missing") + ", it must be an object");
    auto from = text(*found, "decoder Replace.pattern", "String", 1, maxPatternBytes);
    if (!from)
        return from.error();
    auto to = text(stage, "decoder Replace", "content", 0, from->size());
    if (!to)
        return to.error();
    m_rules.replacements.emplace_back(std::move(*from), std::move(*to));
    return {};
}

Result<void> DecoderReader::readMetaspace(const JsonValue& stage)
{
    auto made = metaspace(stage, "decoder Metaspace");
    if (!made)
        return made.error();
    m_rules.replacements.emplace_back(std::move(made->replacement), " ");
    m_rules.firstWithoutSpaces = made->prepend != PreTokenizer::Prepend::Never;
    return {};
}

Result<void> DecoderReader::readFallback(const JsonValue&)
{
    m_rules.byteFallback = true;
    return {};
}

Result<void> DecoderReader::readFuse(const JsonValue&)
{
    m_fused = true;
    return {};
}

/// One character so often at most from the front of the whole text.
Result<void> DecoderReader::readStrip(const JsonValue& stage)
{
    auto content = text(stage, "decoder Strip", "content", 1, 4);
    if (!content)
        return content.error();
    const auto start = stripped(stage, "start", UINT32_MAX);
    if (!start)
        return start.error();
    if (const auto stop = stripped(stage, "stop", 0); !stop)
        return stop.error();
    if (m_rules.stripCount)
        return failed(Errc::Unsupported, stage, "decoder has a second stage of type \"Strip\", supported is one");
    m_rules.strip = std::move(*content);
    m_rules.stripCount = static_cast<std::uint32_t>(*start);
    return {};
}

/// How many characters a stage Strip takes from one end.
Result<std::uint64_t> DecoderReader::stripped(const JsonValue& stage, const char* end, std::uint64_t most) const
{
    const JsonValue* const value = stage.find(end);
    const auto number = value ? value->unsignedInteger() : std::nullopt;
    if (!number || *number > most)
        return failed(Errc::Unsupported, value ? *value : stage,
            "decoder Strip." + std::string(end) + " is " + (value ? shortText(*value) : "missing") + ", supported is "
                + (most ? "an integer up to " + std::to_string(most) : std::string("0")));
    return *number;
}

} // namespace

Result<TextRules> readDecoder(const JsonValue& root, const std::string& file, bool byteLevel)
{
    DecoderReader reader(root, file);
    if (auto done = reader.read(byteLevel); !done)
        return done.error();
    return reader.take();
}

} // namespace colibri
