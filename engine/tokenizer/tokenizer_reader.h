// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tokenizer/addedtokens.h"
#include "tokenizer/bytepairmerger.h"
#include "tokenizer/splitpattern.h"
#include "tokenizer/vocabulary.h"
#include "types/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace colibri {

/// What a tokenizer.json says, in the order in which a text goes through it.
struct TokenizerParts {
    AddedTokens rawAdded; ///< matched in the text as it is
    bool nfc = false; ///< then each stretch between them is brought to normalization form C
    AddedTokens normalizedAdded; ///< matched in that
    std::vector<SplitPattern> patterns; ///< each cuts all pieces of the one before
    bool ignoreMerges = false; ///< a piece that is a token is not built from its bytes
    BytePairMerger merger;
    Vocabulary vocabulary;
};

/// Fails with Unsupported, naming the part and its type, on everything that is no byte-level BPE of this form.
Result<TokenizerParts> readTokenizer(std::string_view json, const std::string& file);

} // namespace colibri
