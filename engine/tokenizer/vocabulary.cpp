// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/vocabulary.h"

#include "tokenizer/utf8.h"

#include <array>
#include <bit>
#include <functional>

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

bool appendByteLevel(std::string_view name, std::string& bytes)
{
    const std::size_t before = bytes.size();
    while (!name.empty()) {
        const auto lead = static_cast<unsigned char>(name.front());
        const char32_t character = lead < 0x80 ? lead : firstCharacter(name);
        if (character >= spelledBytes || byteOfCharacter[character] == noByte) {
            bytes.resize(before);
            return false;
        }
        bytes += static_cast<char>(byteOfCharacter[character]);
        name.remove_prefix(lead < 0x80 ? 1 : 2);
    }
    return true;
}

Vocabulary::Vocabulary(Spelling spelling, TokenId highestId, std::size_t count, std::size_t nameBytes)
    : m_spelling(spelling)
    , m_tokens(std::size_t{highestId} + 1)
    , m_slots(std::bit_ceil(2 * count + 2))
{
    m_pool.reserve(nameBytes); // no token's meaning is longer than its name
}

/// A text has another hash as a spelled one, so that the two meanings are never taken for each other.
std::uint32_t Vocabulary::hashOf(std::string_view text, bool spelled) const
{
    return static_cast<std::uint32_t>(std::hash<std::string_view>()(text)) ^ (spelled ? 0u : 1u);
}

std::size_t Vocabulary::slotOf(std::string_view text, std::uint32_t hash) const
{
    const std::size_t mask = m_slots.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
        const Slot& slot = m_slots[at];
        if (slot.token == none)
            return at;
        if (slot.hash == hash && std::string_view(m_pool).substr(slot.begin, slot.size) == text)
            return at;
    }
}

bool Vocabulary::add(std::string_view name, TokenId id, Kind kind)
{
    Token& token = m_tokens[id];
    const std::size_t begin = m_pool.size();
    const bool spelled = m_spelling == Spelling::ByteLevel && appendByteLevel(name, m_pool);
    if (!spelled)
        m_pool += name;
    const std::string_view meaning = std::string_view(m_pool).substr(begin);
    const std::uint32_t hash = hashOf(meaning, spelled);
    Slot& slot = m_slots[slotOf(meaning, hash)];
    const bool present = slot.token != none;
    if (m_pool.size() > INT32_MAX || (present ? slot.token != id : token.known))
        return false;
    if (present)
        m_pool.resize(begin);
    else {
        token = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(meaning.size()), kind, true, spelled,
            kind != Kind::Base};
        slot = {hash, id, token.begin, token.size & INT32_MAX, token.addedOnly};
    }
    token.kind = kind;
    return true;
}

std::string_view Vocabulary::bytes(TokenId id) const
{
    if (id >= m_tokens.size())
        return {};
    return std::string_view(m_pool).substr(m_tokens[id].begin, m_tokens[id].size);
}

std::optional<TokenId> Vocabulary::idOfBytes(std::string_view bytes, TokenId guess) const
{
    const bool spelled = m_spelling == Spelling::ByteLevel;
    const auto fits = [&](const Token& token) { return token.known && !token.addedOnly && token.spelled == spelled; };
    if (guess < m_tokens.size() && fits(m_tokens[guess]) && this->bytes(guess) == bytes)
        return guess;
    if (m_slots.empty())
        return std::nullopt;
    const Slot& slot = m_slots[slotOf(bytes, hashOf(bytes, spelled))];
    return slot.token != none && !slot.addedOnly ? std::optional(slot.token) : std::nullopt;
}

std::optional<TokenId> Vocabulary::idOfName(std::string_view name) const
{
    if (m_slots.empty())
        return std::nullopt;
    std::string meaning;
    const bool spelled = m_spelling == Spelling::ByteLevel && appendByteLevel(name, meaning);
    const std::string_view text = spelled ? meaning : name;
    const Slot& slot = m_slots[slotOf(text, hashOf(text, spelled))];
    return slot.token == none ? std::nullopt : std::optional(slot.token);
}

} // namespace colibri
