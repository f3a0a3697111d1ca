// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tokenizer/splitpattern.h"
#include "types/result.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace colibri {

/// What cuts a normalized text into the pieces that are tokenized by themselves, step after step. Immutable; any
/// thread.
class PreTokenizer {
public:
    struct Split {
        SplitPattern pattern;
        SplitBehavior behavior = SplitBehavior::Isolated;
        bool invert = false; ///< what does not match counts as the match
    };
    /// Where a space is put in front: of every piece, of one that begins the whole text, of none.
    enum class Prepend : std::uint8_t { Always, First, Never };
    /// Spaces become visible characters, as in SentencePiece.
    struct Metaspace {
        std::string replacement;
        Prepend prepend = Prepend::Always; ///< never in front of a replacement
        bool split = true; ///< cut in front of every replacement
    };
    /// A space in front of a piece that does not begin with one.
    struct PrefixSpace { };
    using Step = std::variant<Split, Metaspace, PrefixSpace>;

    struct Piece {
        std::string_view text;
        bool first = false; ///< begins where the whole text begins
    };
    /// The pieces of one text, and what keeps those alive that are no views of it.
    struct Pieces {
        std::vector<Piece> list;
        std::deque<std::string> made;
    };

    void add(Step step) { m_steps.push_back(std::move(step)); }
    /// Cuts the pieces that are there further.
    Result<void> apply(Pieces& pieces) const;

private:
    std::vector<Step> m_steps;
};

} // namespace colibri
