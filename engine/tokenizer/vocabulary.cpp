// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/vocabulary.h"

#include "tokenizer/utf8.h"

#include <array>

namespace colibri {

namespace {

constexpr std::uint32_t spelledBytes = 256 + 68; // the last of the 68 that are not spelled as themselves is U+0143
constexpr std::int16_t noByte = -1;

/// Bytes that are printable in Latin-1 are spelled as themselves, all others as U+0100, U+0101, ... in ascending order.
constexpr std::array<std::int16_t, spelledBytes> byteOfCharacter = [] {
    std::array<std::int16_t, spelledBytes> table{};
    table.fill(noByte);
    std::int16_t next = 0x100;
    for (std::int16_t byte = 0; byte < 256; ++byte) {
        const bool printable = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
        table[static_cast<std::size_t>(printable ? byte : next++)] = byte;
    }
    return table;
}();

} // namespace

std::optional<std::string> bytesOfByteLevel(std::string_view name)
{
    std::string bytes;
    bytes.reserve(name.size());
    while (!name.empty()) {
        const char32_t character = firstCharacter(name);
        if (character >= spelledBytes || byteOfCharacter[character] == noByte)
            return std::nullopt;
        bytes += static_cast<char>(byteOfCharacter[character]);
        name.remove_prefix(utf8Size(character));
    }
    return bytes;
}

Vocabulary::Vocabulary(TokenId highestId, std::size_t nameBytes)
    : m_tokens(std::size_t{highestId} + 1)
{
    m_pool.reserve(2 * nameBytes); // a token's bytes are no longer than its name, and some names are kept beside them
    m_byBytes.reserve(m_tokens.size());
}

std::string_view Vocabulary::store(std::string_view bytes)
{
    const std::size_t begin = m_pool.size();
    m_pool.insert(m_pool.end(), bytes.begin(), bytes.end());
    return {m_pool.data() + begin, bytes.size()};
}

bool Vocabulary::add(std::string_view name, TokenId id, Kind kind)
{
    Token& token = m_tokens[id];
    const auto spelled = bytesOfByteLevel(name);
    const std::string_view meaning = spelled ? std::string_view(*spelled) : name;
    const auto present = idOfName(name);
    if (present ? *present != id : token.known)
        return false;
    if (!token.known) {
        const std::string_view stored = store(meaning);
        token = {static_cast<std::uint64_t>(stored.data() - m_pool.data()), static_cast<std::uint32_t>(stored.size()),
            kind, true};
        if (spelled && kind == Kind::Base)
            m_byBytes.emplace(stored, id);
        else
            m_byName.emplace(meaning == name ? stored : store(name), id);
    }
    token.kind = kind;
    return true;
}

std::string_view Vocabulary::bytes(TokenId id) const
{
    if (id >= m_tokens.size())
        return {};
    return {m_pool.data() + m_tokens[id].begin, m_tokens[id].size};
}

std::optional<TokenId> Vocabulary::idOfBytes(std::string_view bytes) const
{
    const auto at = m_byBytes.find(bytes);
    return at == m_byBytes.end() ? std::nullopt : std::optional(at->second);
}

std::optional<TokenId> Vocabulary::idOfName(std::string_view name) const
{
    if (const auto at = m_byName.find(name); at != m_byName.end())
        return at->second;
    const auto spelled = bytesOfByteLevel(name);
    return spelled ? idOfBytes(*spelled) : std::nullopt;
}

} // namespace colibri
