// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace colibri::cli {

inline constexpr int exitDone = 0;
inline constexpr int exitFailed = 2;
inline constexpr int exitInterrupted = 130;

/// Prints "colibri: what, where: why" to standard error and gives the exit code: 130 for Errc::Cancelled, else 2.
int reportError(const Error& error);

/// An error in what the user typed: `where` names the option or argument.
Error usageError(std::string where, std::string why);

/// Writes to standard output and hands it on at once.
void print(std::string_view text);
/// Prints one JSON value and a line end. Bytes that are no UTF-8 become U+FFFD.
void printJson(const nlohmann::ordered_json& value);

/// Hands on what is buffered; fails when standard output did not take everything (a full disk, a closed pipe).
Result<void> flushOutput();

} // namespace colibri::cli
