// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace colibri {

/// Types of metadata values, numbered as in GGUF files.
enum class GgufType : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };
inline constexpr std::uint32_t ggufTypeCount = 13;
std::string_view name(GgufType type); ///< "u8" ... "bool", "string", "array"

/// A value of the metadata where it lies in the mapped file; nothing is copied, so it lives as long as the mapping.
struct GgufValue {
    GgufType type = GgufType::U8;
    GgufType elementType = GgufType::U8; ///< of an array
    std::uint64_t count = 0; ///< elements of an array
    std::span<const std::byte> bytes; ///< the number, the characters, or the elements as they stand in the file
    std::uint64_t offset = 0; ///< from the start of the file to the first of `bytes`

    std::optional<std::uint64_t> unsignedInteger() const; ///< a non-negative integer of any width
    std::optional<std::int64_t> signedInteger() const; ///< an integer of any width that fits
    std::optional<double> number() const; ///< any number
    std::optional<bool> boolean() const;
    std::optional<std::string_view> string() const; ///< any bytes, UTF-8 by the format's rules
};

/// One key of the metadata, with the place of the key itself.
struct GgufEntry {
    std::string_view key; ///< in the mapping
    std::uint64_t offset = 0;
    GgufValue value;
};

/// The elements of an array, one after another. Ends early, without an error, where the bytes no longer hold an element
/// (a file may change under its mapping after it was checked).
class GgufElements {
public:
    explicit GgufElements(const GgufValue& array);
    std::optional<GgufValue> next();

private:
    GgufValue m_array;
    std::uint64_t m_index = 0;
    std::size_t m_at = 0; ///< bytes of m_array already taken
};

/// Reads one value of a type from `bytes` at `at`, which moves behind it. `base` is the offset of bytes[0] in the file.
/// The error has an offset and a reason; file and key are the caller's.
Result<GgufValue> readGgufValue(
    std::span<const std::byte> bytes, std::size_t& at, std::uint64_t base, std::uint32_t type, int depth = 0);

/// The value in words: numbers and texts as they are, both cut after about `most` characters; of an array its first
/// elements and how many there are.
std::string describe(const GgufValue& value, std::size_t most = 160);

} // namespace colibri
