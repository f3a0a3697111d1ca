// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/tokenizer.h"

#include "memory/mapped_file.h"
#include "tokenizer/tokenizer_reader.h"
#include "tokenizer/tokenstream.h"
#include "tokenizer/utf8.h"

namespace colibri {

namespace {

constexpr std::size_t maxTextBytes = std::size_t{1} << 30;

/// One text on its way to ids; the working memory lives as long as the call.
class Encoding {
public:
    Encoding(const TokenizerParts& parts, AddedTokens::Look look)
        : m_parts(parts)
        , m_look(look)
    {
    }

    Result<void> add(std::string_view text)
    {
        for (const auto& [stretch, token] : m_parts.rawAdded.split(text, m_look)) {
            if (token)
                m_ids.push_back(*token);
            else if (auto done = addStretch(stretch, stretch.data() == text.data()); !done)
                return done;
        }
        return {};
    }
    std::vector<TokenId> take() { return std::move(m_ids); }

private:
    /// `first`: it begins the text.
    Result<void> addStretch(std::string_view text, bool first)
    {
        std::string normalized;
        if (!m_parts.normalizer.empty()) {
            auto made = m_parts.normalizer.apply(text);
            if (!made)
                return made.error();
            normalized = std::move(*made);
            text = normalized;
        }
        for (const auto& [stretch, token] : m_parts.normalizedAdded.split(text, m_look)) {
            if (token)
                m_ids.push_back(*token);
            else if (auto done = addPieces(stretch, first && stretch.data() == text.data()); !done)
                return done;
        }
        return {};
    }

    Result<void> addPieces(std::string_view text, bool first)
    {
        m_pieces.made.clear();
        m_pieces.list.assign(1, {text, first});
        if (auto done = m_parts.preTokenizer.apply(m_pieces); !done)
            return done;
        for (const auto& piece : m_pieces.list)
            m_parts.model.append(piece.text, m_parts.vocabulary, m_scratch, m_ids);
        return {};
    }

    const TokenizerParts& m_parts;
    AddedTokens::Look m_look;
    PreTokenizer::Pieces m_pieces;
    BytePairModel::Scratch m_scratch;
    std::vector<TokenId> m_ids;
};

} // namespace

Tokenizer::Tokenizer(TokenizerParts parts)
    : m_parts(std::move(parts))
{
}

Result<std::shared_ptr<const Tokenizer>> Tokenizer::load(const std::string& file, const JsonValue* tokenizerConfig)
{
    const auto mapped = MappedFile::open(file);
    if (!mapped)
        return mapped.error();
    const auto bytes = (*mapped)->bytes();
    return parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file, tokenizerConfig);
}

Result<std::shared_ptr<const Tokenizer>> Tokenizer::parse(
    std::string_view json, const std::string& file, const JsonValue* tokenizerConfig)
{
    const auto root = parseJson(json, file);
    return root ? make(*root, json.size(), file, tokenizerConfig) : root.error();
}

Result<std::shared_ptr<const Tokenizer>> Tokenizer::make(
    const JsonValue& root, std::size_t bytes, const std::string& file, const JsonValue* tokenizerConfig)
{
    auto parts = readTokenizer(root, bytes, file, tokenizerConfig ? frameConfigOf(*tokenizerConfig) : FrameConfig());
    if (!parts)
        return parts.error();
    return std::shared_ptr<const Tokenizer>(new Tokenizer(std::move(*parts)));
}

Result<std::vector<TokenId>> Tokenizer::encode(std::string_view text, AddedTokens::Look look) const
{
    const auto failed = [](Errc code, std::optional<std::uint64_t> at, std::string why) {
        return Error{code, "tokenize the text", {}, at, std::move(why)};
    };
    if (text.size() > maxTextBytes)
        return failed(Errc::OutOfRange, {},
            "it has " + std::to_string(text.size()) + " bytes, at most " + std::to_string(maxTextBytes) + " are taken");
    if (const std::size_t bad = findIllFormedUtf8(text); bad != text.npos)
        return failed(Errc::Malformed, bad,
            "the byte " + std::to_string(static_cast<unsigned char>(text[bad])) + " at offset " + std::to_string(bad)
                + " begins no UTF-8 character");
    Encoding encoding(m_parts, look);
    if (auto done = encoding.add(text); !done)
        return done.error();
    return encoding.take();
}

const TextFrame& Tokenizer::frame() const
{
    return m_parts.frame;
}

std::string_view Tokenizer::bytes(TokenId id) const
{
    return m_parts.texts.bytes(id);
}

bool Tokenizer::isSpecial(TokenId id) const
{
    return m_parts.texts.isSpecial(id);
}

const TokenTexts& Tokenizer::texts() const
{
    return m_parts.texts;
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool specials) const
{
    std::string text;
    TokenStream stream(m_parts.texts, specials);
    for (const TokenId id : ids)
        text += stream.push(id);
    text += stream.finish();
    return text;
}

std::uint32_t Tokenizer::vocabularySize() const
{
    return m_parts.vocabulary.size();
}

std::optional<TokenId> Tokenizer::idOf(std::string_view token) const
{
    return m_parts.vocabulary.idOfName(token);
}

} // namespace colibri
