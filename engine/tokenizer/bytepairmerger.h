// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/model_config.h"

#include <cstdint>
#include <span>
#include <vector>

namespace colibri {

/// Joins the symbols of a piece of text to tokens: the pair of neighbours whose merge stands first in the list is
/// joined, the leftmost of equal ones, until there is none. Takes n log n steps for n symbols. Immutable; any thread.
class BytePairMerger {
public:
    struct Merge {
        TokenId left = 0;
        TokenId right = 0;
        TokenId merged = 0;
    };
    /// Working memory of one caller, kept from piece to piece.
    class Scratch;

    BytePairMerger() = default;
    /// All ids are below `tokens`. Of equal pairs the last one counts.
    BytePairMerger(std::span<const Merge> merges, std::uint32_t tokens);

    /// Appends the tokens that less than 2^32 symbols, tokens themselves, become.
    void append(std::span<const TokenId> symbols, Scratch& scratch, std::vector<TokenId>& ids) const;

private:
    struct Rule {
        TokenId right;
        std::uint32_t rank;
        TokenId merged;
    };
    const Rule* find(TokenId left, TokenId right) const;
    void consider(std::uint32_t left, Scratch& scratch) const;

    std::vector<std::uint32_t>
        m_first; ///< [tokens + 1] the rules that begin with a token are m_rules[m_first[t] .. m_first[t + 1])
    std::vector<Rule> m_rules; ///< for each left token in ascending order of the right one
};

class BytePairMerger::Scratch {
    friend class BytePairMerger;

    static constexpr std::uint32_t none = UINT32_MAX;

    /// A linked list over the piece: what was joined into its left neighbour has no token.
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
