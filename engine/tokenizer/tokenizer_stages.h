// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/json.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/pretokenizer.h"
#include "tokenizer/tokentexts.h"

#include <string>
#include <vector>

namespace colibri {

/// The parts of a tokenizer.json around its model.
struct TokenizerStages {
    Normalizer normalizer;
    PreTokenizer preTokenizer;
    bool byteLevel = false; ///< the pieces become bytes in byte-level spelling
    TextRules texts;
    const JsonValue* frame = nullptr; ///< the post_processor of type TemplateProcessing, null when there is none
};

/// Reads normalizer, pre_tokenizer, post_processor and decoder. What is not supported is refused by name.
Result<TokenizerStages> readStages(const JsonValue& root, const std::string& file);

} // namespace colibri
