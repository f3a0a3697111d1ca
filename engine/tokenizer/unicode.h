// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace colibri {

enum class NormalizationForm : std::uint8_t { C, D, KC, KD };

/// A normalization form of well-formed UTF-8. Fails with Unsupported on absurdly long runs of combining marks, whose
/// ordering takes quadratic time.
Result<std::string> normalized(std::string_view text, NormalizationForm form);

/// \w of regular expressions: letters, marks, decimal digits, connectors, joiners.
bool isWordCharacter(char32_t character);
/// The Unicode property White_Space.
bool isWhiteSpace(char32_t character);

/// Bytes of the white space at the start and at the end of well-formed UTF-8.
std::size_t leadingSpace(std::string_view text);
std::size_t trailingSpace(std::string_view text);

} // namespace colibri
