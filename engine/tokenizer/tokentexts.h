// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tokenizer/vocabulary.h"
#include "types/text_rules.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

/// What each token adds to a text, by id. Immutable; any thread.
class TokenTexts {
public:
    TokenTexts() = default;
    TokenTexts(const Vocabulary& vocabulary, TextRules rules);

    /// Bytes of an id, perhaps a part of a character; of a special token its name. Empty for an unknown id.
    std::string_view bytes(TokenId id) const;
    bool isSpecial(TokenId id) const { return id < m_tokens.size() && m_tokens[id].special; }
    /// Whether it is a byte by fallback.
    bool isByte(TokenId id) const { return id < m_tokens.size() && m_tokens[id].byte; }
    const TextRules& rules() const { return m_rules; }

private:
    struct Token {
        std::uint64_t begin = 0; ///< into m_pool
        std::uint32_t size = 0;
        bool special = false;
        bool byte = false;
    };

    TextRules m_rules;
    std::string m_pool;
    std::vector<Token> m_tokens;
};

/// The byte that a token named <0x00> to <0xFF> is; empty for all others.
std::optional<unsigned char> fallbackByte(std::string_view name);

} // namespace colibri
