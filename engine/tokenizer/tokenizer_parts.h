// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tokenizer/addedtokens.h"
#include "tokenizer/bytepairmodel.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/pretokenizer.h"
#include "tokenizer/tokentexts.h"
#include "tokenizer/vocabulary.h"

#include <vector>

namespace colibri {

/// The ids that stand around a text when it is encoded as a document.
struct TextFrame {
    std::vector<TokenId> begin;
    std::vector<TokenId> end;
    bool stated = false; ///< a file says so; else it is only what nothing was said about
};

/// What a tokenizer consists of, in the order in which a text goes through it.
struct TokenizerParts {
    AddedTokens rawAdded; ///< matched in the text as it is
    Normalizer normalizer; ///< then each stretch between them is normalized
    AddedTokens normalizedAdded; ///< matched in that
    PreTokenizer preTokenizer;
    BytePairModel model;
    Vocabulary vocabulary;
    TextFrame frame;
    TokenTexts texts; ///< the way back
};

} // namespace colibri
