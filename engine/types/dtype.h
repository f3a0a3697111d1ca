// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace colibri {

/// How the elements of a tensor are stored. Int8 is symmetric with one f32 scale for each group of 32 along a row (a
/// row's last group may be shorter); all scales of a tensor stand in front of its bytes, padded to 64. Q4_0 to the end
/// are the blocks of GGUF files, scales inside. I8 to Bool are plain numbers.
// clang-format off
enum class DType : std::uint8_t {
    F32, F16, BF16, Int8, F64, F8_E4M3, F8_E5M2, I8, I16, I32, I64, U8, U16, U32, U64, Bool,
    F8_E8M0, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, IQ4_NL, IQ4_XS, MXFP4,
    Q8_1, Q8_K, IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S, TQ1_0, TQ2_0, NVFP4,
    Q1_0, Q2_0, Unknown
};
// clang-format on

/// What there is to know about a type before looking at bytes. A row is a whole number of blocks.
struct DTypeTraits {
    std::string_view name;
    std::uint32_t blockElements; ///< along a row; 1 for plain numbers
    std::uint32_t blockBytes;
    bool computed; ///< whether the kernels take matrices of it
};

/// [dtype]
inline constexpr auto dtypeTraits = std::to_array<DTypeTraits>({
    {"f32", 1, 4, true}, {"f16", 1, 2, true}, {"bf16", 1, 2, true}, {"int8", 1, 1, true}, {"f64", 1, 8, true},
    {"f8_e4m3", 1, 1, true}, {"f8_e5m2", 1, 1, true}, {"i8", 1, 1, true}, {"i16", 1, 2, true}, {"i32", 1, 4, true},
    {"i64", 1, 8, true}, {"u8", 1, 1, false}, {"u16", 1, 2, false}, {"u32", 1, 4, false}, {"u64", 1, 8, false},
    {"bool", 1, 1, false}, {"f8_e8m0", 1, 1, false}, {"q4_0", 32, 18, true}, {"q4_1", 32, 20, true},
    {"q5_0", 32, 22, true}, {"q5_1", 32, 24, true}, {"q8_0", 32, 34, true}, {"q2_k", 256, 84, true},
    {"q3_k", 256, 110, true}, {"q4_k", 256, 144, true}, {"q5_k", 256, 176, true}, {"q6_k", 256, 210, true},
    {"iq4_nl", 32, 18, true}, {"iq4_xs", 256, 136, true}, {"mxfp4", 32, 17, true}, {"q8_1", 32, 36, false},
    {"q8_k", 256, 292, false}, {"iq1_s", 256, 50, false}, {"iq1_m", 256, 56, false}, {"iq2_xxs", 256, 66, false},
    {"iq2_xs", 256, 74, false}, {"iq2_s", 256, 82, false}, {"iq3_xxs", 256, 98, false}, {"iq3_s", 256, 110, false},
    {"tq1_0", 256, 54, false}, {"tq2_0", 256, 66, false}, {"nvfp4", 64, 36, false}, {"q1_0", 128, 18, false},
    {"q2_0", 64, 18, false}, {"unknown", 1, 0, false}, // a type that a file names and this program cannot size
});
inline constexpr int dtypeCount = static_cast<int>(dtypeTraits.size());
static_assert(dtypeCount == static_cast<int>(DType::Unknown) + 1);
inline constexpr std::uint32_t int8GroupSize = 32;

/// Types that weights can be converted to. Version 1 of the export holds them and types of blocks.
inline constexpr std::array exportDTypes{DType::F32, DType::F16, DType::BF16, DType::Int8};

/// row_major: a row's elements lie side by side; column_major: a column's do.
enum class Layout : std::uint8_t { RowMajor, ColumnMajor };

constexpr const DTypeTraits& traits(DType dtype)
{
    return dtypeTraits[static_cast<std::size_t>(dtype)];
}
constexpr std::string_view name(DType dtype)
{
    return traits(dtype).name;
}
std::string_view name(Layout layout); ///< "row_major", "column_major"
std::optional<DType> dtypeNamed(std::string_view name);
std::optional<DType> exportDTypeNamed(std::string_view name); ///< among exportDTypes
std::optional<Layout> layoutNamed(std::string_view name);

/// Whether a type is of blocks of several elements, as GGUF files have them.
constexpr bool isBlocks(DType dtype)
{
    return traits(dtype).blockElements > 1;
}

/// Bytes of one element without its share of scales; 0 for types of blocks, whose elements have no address.
constexpr std::uint32_t elementBytes(DType dtype)
{
    return traits(dtype).blockElements == 1 ? traits(dtype).blockBytes : 0;
}

/// Whether rows of this many elements are whole blocks.
constexpr bool isWholeBlocks(DType dtype, std::uint64_t rowElements)
{
    return rowElements % traits(dtype).blockElements == 0;
}

/// Exact bytes of a tensor with these dimensions (the last one varies fastest, "along a row"; none means one element);
/// empty when the number does not fit in 64 bits, or a row is not whole blocks.
std::optional<std::uint64_t> tensorBytes(DType dtype, std::span<const std::uint64_t> shape);

/// Of an int8 tensor: bytes from its start to its first element, which are the scales and their padding. 0 for others.
std::optional<std::uint64_t> scaleBytes(DType dtype, std::span<const std::uint64_t> shape);

} // namespace colibri
