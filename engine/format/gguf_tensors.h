// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/gguf.h"

namespace colibri {

/// Where the tensor directory of a GGUF file stands, for gguf.cpp only.
struct GgufTensors {
    std::span<const std::byte> bytes; ///< the whole file
    std::size_t at = 0; ///< its first byte
    const std::string& file;
    std::uint32_t fileIndex = 0;
    std::uint64_t count = 0;
    std::uint32_t alignment = 32;
    std::vector<Error>* refusals = nullptr; ///< see parseGguf
};

/// Reads and checks the directory into head.tensors and head.dataStart.
Result<void> readGgufTensors(const GgufTensors& from, GgufHead& head, std::vector<std::string>& notes);

} // namespace colibri
