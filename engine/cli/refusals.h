// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace colibri::cli {

inline constexpr const char* notAvailable = "not available in this version";

/// Whether the design names a value of an option that this version does not have, such as "--load" "stream".
bool isLaterChoice(std::string_view option, std::string_view value);

/// Refuses a command that is not in the table: one that comes later, or an unknown one with the nearest known name.
Error commandRefused(const std::string& name);

/// Refuses an argument that `command` does not take. `own` are the option names that it does take.
Error argumentRefused(std::string_view command, const std::string& argument, const std::vector<std::string>& own);

/// The number of letters to insert, delete, replace or swap with their neighbour to make `b` of `a`.
std::size_t editDistance(std::string_view a, std::string_view b);

/// The name nearest to `name`; empty when none is near.
std::string nearest(std::string_view name, const std::vector<std::string>& names);

} // namespace colibri::cli
