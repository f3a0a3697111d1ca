// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/json.h"
#include "tokenizer/tokenizer_parts.h"
#include "types/result.h"

#include <string>
#include <string_view>

namespace colibri {

/// What a Hugging Face tokenizer_config.json says about a text's first and last ids. Names empty: not stated.
struct FrameConfig {
    std::optional<bool> addBegin;
    std::optional<bool> addEnd;
    std::string beginToken;
    std::string endToken;
    bool rewrites =
        false; ///< its tokenizer_class lets these switches replace what tokenizer.json's post_processor adds
};
/// From the root object of tokenizer_config.json.
FrameConfig frameConfigOf(const JsonValue& tokenizerConfig);

/// Reads what a tokenizer.json says from its root. `bytes`: the size of the file, which bounds the ids. Fails with
/// Unsupported, naming the part and its type, on everything that is no BPE of a form that is known here.
Result<TokenizerParts> readTokenizer(
    const JsonValue& root, std::size_t bytes, const std::string& file, const FrameConfig& config = {});

} // namespace colibri
