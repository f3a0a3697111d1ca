// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/model_config.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

/// How the names of tokens are written.
enum class Spelling : std::uint8_t {
    ByteLevel, ///< each byte as one printable character: itself, or one from U+0100 on
    Plain, ///< as they are
};

/// Appends the bytes that a name in byte-level spelling stands for. Returns false, and appends nothing, when a
/// character is none of these 256.
bool appendByteLevel(std::string_view name, std::string& bytes);

/// All tokens, by id, by name and by what they stand for. Immutable once filled; any thread.
class Vocabulary {
    static constexpr TokenId none = UINT32_MAX;

public:
    enum class Kind : std::uint8_t {
        Base, ///< from the model's vocabulary
        Added, ///< matched in the text before it is split
        Special, ///< the same, and left out of decoded text
    };

    Vocabulary() = default;
    Vocabulary(Vocabulary&&) = default;
    Vocabulary& operator=(Vocabulary&&) = default;

    /// Tokens with ids from 0 to `highestId`, `count` of them, of names that have `nameBytes` in all.
    Vocabulary(Spelling spelling, TokenId highestId, std::size_t count, std::size_t nameBytes);
    /// Takes one token. Ids are at most the highest; an id that is there already changes its kind only. Returns false
    /// when it is there under another name, or the name under another id, or when all names have 2^31 bytes or more.
    bool add(std::string_view name, TokenId id, Kind kind);

    std::uint32_t size() const { return static_cast<std::uint32_t>(m_tokens.size()); } ///< highest id + 1
    bool contains(TokenId id) const { return id < m_tokens.size() && m_tokens[id].known; }
    /// What the id stands for: bytes in byte-level spelling, else its name; empty when there is no such token.
    std::string_view bytes(TokenId id) const;
    bool isSpecial(TokenId id) const { return id < m_tokens.size() && m_tokens[id].kind == Kind::Special; }
    /// A token of the model's vocabulary that stands for these bytes. `guess` is looked at first.
    std::optional<TokenId> idOfBytes(std::string_view bytes, TokenId guess = none) const;
    /// A token by its name in the file.
    std::optional<TokenId> idOfName(std::string_view name) const;
    Spelling spelling() const { return m_spelling; }

private:
    struct Token {
        std::uint32_t begin = 0; ///< into m_pool
        std::uint32_t size = 0;
        Kind kind = Kind::Base;
        bool known = false;
        bool spelled = false; ///< its name is in byte-level spelling
        bool addedOnly = false; ///< not in the model's vocabulary
    };
    /// Of a hash table with open addressing. It says where the text lies, so that a look-up needs no token.
    struct Slot {
        std::uint32_t hash = 0;
        TokenId token = none;
        std::uint32_t begin = 0; ///< into m_pool
        std::uint32_t size : 31 = 0;
        std::uint32_t addedOnly : 1 = 0; ///< not in the model's vocabulary
    };
    std::uint32_t hashOf(std::string_view text, bool spelled) const;
    /// The slot of a token with this meaning, or the free one where it belongs.
    std::size_t slotOf(std::string_view text, std::uint32_t hash) const;

    Spelling m_spelling = Spelling::Plain;
    std::string m_pool;
    std::vector<Token> m_tokens;
    std::vector<Slot> m_slots; ///< a power of two, at most half of them taken
};

} // namespace colibri
