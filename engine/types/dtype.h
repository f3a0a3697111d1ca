// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace colibri {

/// How the elements of a tensor are stored. Int8 is symmetric with one f32 scale for each group of 32 along a row (a
/// row's last group may be shorter); all scales of a tensor stand in front of its bytes, padded to 64.
enum class DType : std::uint8_t { F32, F16, BF16, Int8 };
inline constexpr int dtypeCount = 4;
inline constexpr std::uint32_t int8GroupSize = 32;

/// row_major: a row's elements lie side by side; column_major: a column's do.
enum class Layout : std::uint8_t { RowMajor, ColumnMajor };

std::string_view name(DType dtype); ///< "f32", "f16", "bf16", "int8"
std::string_view name(Layout layout); ///< "row_major", "column_major"
std::optional<DType> dtypeNamed(std::string_view name);
std::optional<Layout> layoutNamed(std::string_view name);

/// Bytes of one element without its share of scales.
std::uint32_t elementBytes(DType dtype);

/// Exact bytes of a tensor with these dimensions (the last one varies fastest, "along a row"; none means one element);
/// empty when the number does not fit in 64 bits.
std::optional<std::uint64_t> tensorBytes(DType dtype, std::span<const std::uint64_t> shape);

/// Of an int8 tensor: bytes from its start to its first element, which are the scales and their padding. 0 for others.
std::optional<std::uint64_t> scaleBytes(DType dtype, std::span<const std::uint64_t> shape);

} // namespace colibri
