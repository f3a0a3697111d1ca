// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace colibri {

/// One key of a model's metadata as a user sees it: of GGUF's key-value pairs, or of the JSON files of a folder.
struct MetadataEntry {
    std::string key; ///< of an object in a file of JSON: "rope_scaling.factor"
    std::string type; ///< "u32", "string", "array of string"; of JSON "number"
    std::string value; ///< long texts and arrays are cut
    std::string file;
    std::uint64_t offset = 0; ///< of the value, see JsonValue::offset
};

} // namespace colibri
