// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tokenizer/bytepairmerger.h"
#include "tokenizer/vocabulary.h"

#include <array>
#include <string_view>
#include <vector>

namespace colibri {

/// Makes tokens of a piece of text: first of each byte or character one, then the merges. Immutable; any thread.
struct BytePairModel {
    BytePairMerger merger;
    bool ignoreMerges = false; ///< a piece that is a token is not built from its symbols
    /// Of each byte that well-formed UTF-8 has: in byte-level spelling the symbols, else what byteFallback needs.
    std::array<TokenId, 256> byteTokens{};
    bool byteFallback = false; ///< a character without a token becomes those of its bytes
    TokenId unknown = 0; ///< what it becomes otherwise
    bool fuseUnknown = false; ///< one for a whole run of them

    /// Working memory of one caller, kept from piece to piece.
    struct Scratch {
        BytePairMerger::Scratch merges;
        std::vector<TokenId> symbols;
    };
    /// Appends the tokens of a piece of less than 2^32 bytes of well-formed UTF-8.
    void append(
        std::string_view piece, const Vocabulary& vocabulary, Scratch& scratch, std::vector<TokenId>& ids) const;

private:
    void spell(std::string_view piece, const Vocabulary& vocabulary, std::vector<TokenId>& symbols) const;
};

} // namespace colibri
