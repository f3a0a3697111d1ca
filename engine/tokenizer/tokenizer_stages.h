// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/json.h"
#include "tokenizer/splitpattern.h"

#include <string>
#include <vector>

namespace colibri {

/// The parts of a tokenizer.json around its model.
struct TokenizerStages {
    bool nfc = false;
    std::vector<SplitPattern> patterns;
};

/// Reads normalizer and pre_tokenizer, and checks that post_processor changes no ids and decoder joins bytes. What is
/// not supported is refused by name.
Result<TokenizerStages> readStages(const JsonValue& root, const std::string& file);

} // namespace colibri
