// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/json.h"
#include "tokenizer/tokenizer_parts.h"
#include "types/result.h"

#include <optional>
#include <string>

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

/// The ids around a single text, from a post_processor TemplateProcessing, null when there is none, and what
/// tokenizer_config.json makes of them. `bytes`: the size of the file, which bounds the ids.
Result<TextFrame> readFrame(const JsonValue* frame, const FrameConfig& config, const Vocabulary& vocabulary,
    std::size_t bytes, const std::string& file);

} // namespace colibri
