// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace colibri {

/// Split patterns are written for the properties of Unicode 16; Oniguruma 6.9.8 knows those of Unicode 14 and utf8proc
/// 2.8 those of 15. A character that was assigned since then is looked up by a stand-in: an older character with the
/// same general category, with the script Han when it is Han, and as long in UTF-8. Normalization has no stand-ins:
/// compositions and combining classes that Unicode 16 added are not applied.

/// The stand-in of a character, itself when it needs none.
char32_t standIn(char32_t character);

/// Well-formed text with stand-ins in place, offsets unchanged; empty when no character needs one.
std::optional<std::string> withStandIns(std::string_view text);

} // namespace colibri
