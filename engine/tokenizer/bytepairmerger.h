// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/model_config.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace colibri {

/// Joins the bytes of a word to tokens: the pair of neighbours whose merge stands first in the list is joined, the
/// leftmost of equal ones, until there is none. Takes n log n steps for n bytes. Immutable; any thread.
class BytePairMerger {
public:
    struct Merge {
        TokenId left = 0;
        TokenId right = 0;
        TokenId merged = 0;
    };
    /// Working memory of one caller, kept from word to word.
    class Scratch;

    BytePairMerger() = default;
    /// `byteTokens`: the token of each single byte. All ids are below `tokens`. Of equal pairs the last one counts.
    BytePairMerger(const std::array<TokenId, 256>& byteTokens, std::span<const Merge> merges, std::uint32_t tokens);

    /// Appends the tokens of a word of less than 2^32 bytes.
    void append(std::string_view word, Scratch& scratch, std::vector<TokenId>& ids) const;

private:
    struct Rule {
        TokenId right;
        std::uint32_t rank;
        TokenId merged;
    };
    const Rule* find(TokenId left, TokenId right) const;
    void consider(std::uint32_t left, Scratch& scratch) const;

    std::array<TokenId, 256> m_byteTokens{};
    std::vector<std::uint32_t>
        m_first; ///< [tokens + 1] the rules that begin with a token are m_rules[m_first[t] .. m_first[t + 1])
    std::vector<Rule> m_rules; ///< for each left token in ascending order of the right one
};

class BytePairMerger::Scratch {
    friend class BytePairMerger;

    static constexpr std::uint32_t none = UINT32_MAX;

    /// A linked list over the word: what was joined into its left neighbour has no token.
    struct Symbol {
        TokenId token;
        std::uint32_t previous;
        std::uint32_t next;
    };
    struct Candidate {
        std::uint32_t rank;
        std::uint32_t left; ///< index of the pair's left symbol
        TokenId leftToken;
        TokenId rightToken;
        TokenId merged;
        /// Whether `other` is to be joined before this one.
        bool operator<(const Candidate& other) const
        {
            return rank != other.rank ? rank > other.rank : left > other.left;
        }
    };

    std::vector<Symbol> m_symbols;
    std::vector<Candidate> m_candidates; ///< a heap
};

} // namespace colibri
