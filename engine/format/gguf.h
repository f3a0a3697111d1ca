// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/gguf_value.h"
#include "format/json.h"
#include "types/result.h"
#include "types/tensor_info.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

/// The head of one GGUF file. Keys and values lie in the mapping that was parsed.
struct GgufHead {
    std::uint32_t version = 0; ///< 2 or 3
    std::uint32_t alignment = 32; ///< of tensors, a power of two
    std::uint64_t dataStart = 0; ///< bytes from the start of the file to where tensor offsets count from
    std::vector<GgufEntry> metadata; ///< in the order of the file, keys unique
    std::vector<TensorInfo> tensors; ///< in the order of the file; shapes outermost first

    const GgufEntry* find(std::string_view key) const;
};

/// Reads the head of a GGUF file (little-endian, version 2 or 3): metadata and tensor directory, no weight. Checks
/// counts, lengths, types, duplicates, alignment, ranges and overlaps against the bytes there are. What is only
/// suspicious becomes a note. Takes bytes, so that test, fuzzer and reader share one entry. With `refusals`, a file
/// that ends behind its head but before its data do is no failure, but one entry there; see TensorInfo::presence.
Result<GgufHead> parseGguf(std::span<const std::byte> bytes, const std::string& file, std::uint32_t fileIndex,
    std::vector<std::string>& notes, std::vector<Error>* refusals = nullptr);

/// The metadata as a configuration that code for config.json reads as well: an object with GGUF's own keys
/// ("general.architecture", "qwen3moe.block_count"), offsets included. Arrays of texts, nested arrays and arrays of
/// more than 4,096 elements (vocabularies) stay behind, and those past 65,536 elements in all; `metadata` has them.
JsonValue configOf(std::span<const GgufEntry> metadata);

} // namespace colibri
