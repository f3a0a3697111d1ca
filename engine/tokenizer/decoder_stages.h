// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/json.h"
#include "types/result.h"
#include "types/text_rules.h"

#include <string>

namespace colibri {

/// The decoder of a tokenizer.json. `byteLevel`: the pre-tokenizer is, so that the decoder has to be. For readStages.
Result<TextRules> readDecoder(const JsonValue& root, const std::string& file, bool byteLevel);

} // namespace colibri
