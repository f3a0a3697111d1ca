// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/model_config.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

/// Tokens that are found in the text itself, before it is split into words. Immutable; any thread.
class AddedTokens {
public:
    /// Which tokens are looked for. Text from outside is read with None, so that it cannot speak in the place of
    /// others.
    enum class Look : std::uint8_t { All, NotSpecial, None };

    struct Token {
        std::string content; ///< not empty, well-formed UTF-8
        TokenId id = 0;
        bool special = false; ///< plain text where only ordinary tokens are looked for
        bool singleWord = false; ///< only where no word character stands beside it
        bool leftStrip = false; ///< takes the white space in front of it
        bool rightStrip = false; ///< takes the white space behind it
    };
    /// A stretch of text, or one of the tokens.
    struct Part {
        std::string_view text; ///< without a token
        std::optional<TokenId> token;
    };

    AddedTokens() = default;
    explicit AddedTokens(std::vector<Token> tokens);

    /// Cuts well-formed text at the tokens in it: the leftmost first, of those that begin at one place the longest.
    /// What is found and not looked for stays text, even where another token begins inside.
    std::vector<Part> split(std::string_view text, Look look = Look::All) const;

private:
    const Token* longestAt(std::string_view text) const;

    std::vector<Token> m_tokens; ///< sorted by content
};

} // namespace colibri
