// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/json.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace colibri {

/// A config.json as read: its path and its root, which is an object.
struct ConfigFile {
    std::string path;
    JsonValue root;
};

/// Larger configurations are refused: their values would take many times the file's size in memory.
inline constexpr std::uint64_t maxConfigBytes = 100'000'000;

/// Reads `folder`/config.json. Fails with NotFound when there is none.
Result<ConfigFile> readConfigFile(const std::string& folder);

/// `folder` and a relative name as one path.
std::string joinPath(const std::string& folder, std::string_view name);

/// The non-negative integer under `key`, within [least, most]. `where` names the object in errors ("router_table.");
/// empty is the root.
Result<std::uint64_t> readUnsigned(const JsonValue& object, std::string_view key, std::uint64_t least,
    std::uint64_t most, const std::string& file, const std::string& where);
/// The string under `key`.
Result<std::string> readString(
    const JsonValue& object, std::string_view key, const std::string& file, const std::string& where);

} // namespace colibri
