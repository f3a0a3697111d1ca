// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/json.h"
#include "tokenizer/tokenizer_frame.h"
#include "tokenizer/tokenizer_parts.h"
#include "types/result.h"

#include <string>

namespace colibri {

/// Reads what a tokenizer.json says from its root. `bytes`: the size of the file, which bounds the ids. Fails with
/// Unsupported, naming the part and its type, on everything that is no BPE of a form that is known here.
Result<TokenizerParts> readTokenizer(
    const JsonValue& root, std::size_t bytes, const std::string& file, const FrameConfig& config = {});

} // namespace colibri
