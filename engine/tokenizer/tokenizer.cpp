// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/tokenizer.h"

#include "memory/mapped_file.h"
#include "tokenizer/tokenizer_reader.h"
#include "tokenizer/unicode.h"
#include "tokenizer/utf8.h"
#include "tokenizer/utf8stream.h"

namespace colibri {

namespace {

constexpr std::size_t maxTextBytes = std::size_t{1} << 30;

/// One text on its way to ids; the working memory lives as long as the call.
class Encoding {
public:
    explicit Encoding(const TokenizerParts& parts)
        : m_parts(parts)
    {
    }

    Result<void> add(std::string_view text)
    {
        for (const auto& [stretch, token] : m_parts.rawAdded.split(text)) {
            if (token)
                m_ids.push_back(*token);
            else if (auto done = addStretch(stretch); !done)
                return done;
        }
        return {};
    }
    std::vector<TokenId> take() { return std::move(m_ids); }

private:
    Result<void> addStretch(std::string_view text)
    {
        std::string normalized;
        if (m_parts.nfc) {
            auto made = toNfc(text);
            if (!made)
                return made.error();
            normalized = std::move(*made);
            text = normalized;
        }
        for (const auto& [stretch, token] : m_parts.normalizedAdded.split(text)) {
            if (token)
                m_ids.push_back(*token);
            else if (auto done = addWords(stretch); !done)
                return done;
        }
        return {};
    }

    Result<void> addWords(std::string_view text)
    {
        m_pieces.assign(1, text);
        for (const SplitPattern& pattern : m_parts.patterns) {
            m_finerPieces.clear();
            for (const std::string_view piece : m_pieces)
                if (auto done = pattern.split(piece, m_finerPieces); !done)
                    return done;
            m_pieces.swap(m_finerPieces);
        }
        for (const std::string_view piece : m_pieces) {
            const auto whole = m_parts.ignoreMerges ? m_parts.vocabulary.idOfBytes(piece) : std::nullopt;
            if (whole)
                m_ids.push_back(*whole);
            else
                m_parts.merger.append(piece, m_scratch, m_ids);
        }
        return {};
    }

    const TokenizerParts& m_parts;
    std::vector<std::string_view> m_pieces;
    std::vector<std::string_view> m_finerPieces;
    BytePairMerger::Scratch m_scratch;
    std::vector<TokenId> m_ids;
};

} // namespace

struct Tokenizer::Impl {
    TokenizerParts parts;
};

Tokenizer::Tokenizer(std::unique_ptr<const Impl> impl)
    : m_impl(std::move(impl))
{
}

Tokenizer::~Tokenizer() = default;

Result<std::shared_ptr<const Tokenizer>> Tokenizer::load(const std::string& file)
{
    const auto mapped = MappedFile::open(file);
    if (!mapped)
        return mapped.error();
    const auto bytes = (*mapped)->bytes();
    return parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
}

Result<std::shared_ptr<const Tokenizer>> Tokenizer::parse(std::string_view json, const std::string& file)
{
    auto parts = readTokenizer(json, file);
    if (!parts)
        return parts.error();
    auto impl = std::make_unique<const Impl>(Impl{std::move(*parts)});
    return std::shared_ptr<const Tokenizer>(new Tokenizer(std::move(impl)));
}

Result<std::vector<TokenId>> Tokenizer::encode(std::string_view text) const
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
    Encoding encoding(m_impl->parts);
    if (auto done = encoding.add(text); !done)
        return done.error();
    return encoding.take();
}

std::string_view Tokenizer::bytes(TokenId id) const
{
    return m_impl->parts.vocabulary.bytes(id);
}

bool Tokenizer::isSpecial(TokenId id) const
{
    return m_impl->parts.vocabulary.isSpecial(id);
}

std::string Tokenizer::decode(std::span<const TokenId> ids) const
{
    std::string text;
    Utf8Stream stream;
    for (const TokenId id : ids)
        if (!isSpecial(id))
            text += stream.push(bytes(id));
    text += stream.finish();
    return text;
}

std::uint32_t Tokenizer::vocabularySize() const
{
    return m_impl->parts.vocabulary.size();
}

std::optional<TokenId> Tokenizer::idOf(std::string_view token) const
{
    return m_impl->parts.vocabulary.idOfName(token);
}

} // namespace colibri
