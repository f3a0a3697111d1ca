// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace colibri {

/// What stands at the start of a run of bytes that should be UTF-8.
struct Utf8Step {
    enum Kind : std::uint8_t {
        Character, ///< a whole character of `size` bytes
        IllFormed, ///< `size` bytes that belong to none: the longest part that could have begun one, else a single byte
        Incomplete, ///< all `size` bytes there are could be the beginning of a character
    };
    Kind kind = IllFormed;
    std::uint32_t size = 1;
};

/// Looks at the start of `bytes`, which must not be empty. Ranges are those of the Unicode Standard, table 3-7.
Utf8Step utf8Step(std::string_view bytes);

/// Offset of the first byte that is part of no character; npos when all is well-formed.
std::size_t findIllFormedUtf8(std::string_view text);

/// The character at the start of well-formed, non-empty text.
char32_t firstCharacter(std::string_view text);
/// The character at the end of well-formed, non-empty text.
char32_t lastCharacter(std::string_view text);
/// Bytes that the encoding of a character takes.
std::size_t utf8Size(char32_t character);

} // namespace colibri
