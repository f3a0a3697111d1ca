// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace colibri {

/// How a family of byte-level BPE tokenizers splits a text into words, as its tokenizer.json has it.
struct WordSplitting {
    bool nfc = false; ///< the text is normalized first
    bool ignoreMerges = false; ///< a word that is a token is not built by merges
    bool individualDigits = false; ///< behind the patterns: each number character is a word
    bool wordsOfGpt2 = false; ///< last: the pattern of GPT-2
    bool addBegin = false; ///< documents begin with the begin-of-text id when the file says nothing
    std::array<std::string_view, 5> patterns{}; ///< one after the other, each cuts the pieces of the one before
};

/// By the name that GGUF files give it in tokenizer.ggml.pre; null when it is none of those known here.
const WordSplitting* findWordSplitting(std::string_view pre);

} // namespace colibri
