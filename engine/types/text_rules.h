// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace colibri {

/// How the texts of tokens become one text.
struct TextRules {
    /// The texts are bytes, and all of them together are UTF-8 with U+FFFD for each maximal ill-formed part. Else they
    /// are characters, but for bytes by fallback.
    bool byteLevel = true;
    /// Tokens named <0x00> to <0xFF> are bytes. A run of them that is no UTF-8 as a whole gives U+FFFD for each byte.
    bool byteFallback = false;
    std::vector<std::pair<std::string, std::string>> replacements; ///< in each token, one after the other
    bool firstWithoutSpaces = false; ///< the first token loses all its spaces
    std::string strip; ///< one character, so often at most leaves the front of the whole text
    std::uint32_t stripCount = 0;
};

} // namespace colibri
