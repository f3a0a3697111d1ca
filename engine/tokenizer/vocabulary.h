// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/model_config.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace colibri {

/// The bytes that a name in byte-level spelling stands for (each byte is written as one printable character: itself, or
/// one from U+0100 on); empty when a character is none of these 256.
std::optional<std::string> bytesOfByteLevel(std::string_view name);

/// All tokens, by id and by bytes. Immutable once filled; any thread.
class Vocabulary {
public:
    enum class Kind : std::uint8_t {
        Base, ///< from the model's vocabulary
        Added, ///< matched in the text before it is split
        Special, ///< the same, and left out of decoded text
    };

    Vocabulary() = default;
    Vocabulary(Vocabulary&&) = default;
    Vocabulary& operator=(Vocabulary&&) = default;

    /// Tokens with ids from 0 to `highestId`, of names that have `nameBytes` in all.
    Vocabulary(TokenId highestId, std::size_t nameBytes);
    /// Takes one token. Ids are at most the highest; an id that is there already changes its kind only. Returns false
    /// when it is there under another name, or the name under another id.
    bool add(std::string_view name, TokenId id, Kind kind);

    std::uint32_t size() const { return static_cast<std::uint32_t>(m_tokens.size()); } ///< highest id + 1
    /// What the id decodes to; empty when there is no such token.
    std::string_view bytes(TokenId id) const;
    bool isSpecial(TokenId id) const { return id < m_tokens.size() && m_tokens[id].kind == Kind::Special; }
    /// A token of the model's vocabulary that stands for these bytes.
    std::optional<TokenId> idOfBytes(std::string_view bytes) const;
    /// A token by its name in the file.
    std::optional<TokenId> idOfName(std::string_view name) const;

private:
    struct Token {
        std::uint64_t begin = 0; ///< into m_pool
        std::uint32_t size = 0;
        Kind kind = Kind::Base;
        bool known = false;
    };
    using Index = std::unordered_map<std::string_view, TokenId>; // keys are views of m_pool

    std::string_view store(std::string_view bytes);

    std::vector<char> m_pool; ///< never grows beyond what was reserved
    std::vector<Token> m_tokens;
    Index m_byBytes; ///< base tokens in byte-level spelling
    Index m_byName; ///< all others, by the name itself
};

} // namespace colibri
