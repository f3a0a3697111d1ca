// SPDX-License-Identifier: Apache-2.0
#include "format/gguf_types.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace colibri {
namespace {

/// ggml's type numbers. The gaps are types that were removed.
constexpr std::pair<std::uint32_t, DType> types[]{
    {0, DType::F32},
    {1, DType::F16},
    {2, DType::Q4_0},
    {3, DType::Q4_1},
    {6, DType::Q5_0},
    {7, DType::Q5_1},
    {8, DType::Q8_0},
    {9, DType::Q8_1},
    {10, DType::Q2_K},
    {11, DType::Q3_K},
    {12, DType::Q4_K},
    {13, DType::Q5_K},
    {14, DType::Q6_K},
    {15, DType::Q8_K},
    {16, DType::IQ2_XXS},
    {17, DType::IQ2_XS},
    {18, DType::IQ3_XXS},
    {19, DType::IQ1_S},
    {20, DType::IQ4_NL},
    {21, DType::IQ3_S},
    {22, DType::IQ2_S},
    {23, DType::IQ4_XS},
    {24, DType::I8},
    {25, DType::I16},
    {26, DType::I32},
    {27, DType::I64},
    {28, DType::F64},
    {29, DType::IQ1_M},
    {30, DType::BF16},
    {34, DType::TQ1_0},
    {35, DType::TQ2_0},
    {39, DType::MXFP4},
    {40, DType::NVFP4},
    {41, DType::Q1_0},
    {42, DType::Q2_0},
};

constexpr std::pair<std::uint32_t, std::string_view> others[]{
    {4, "q4_2 (removed)"},
    {5, "q4_3 (removed)"},
    {31, "q4_0_4_4 (removed)"},
    {32, "q4_0_4_8 (removed)"},
    {33, "q4_0_8_8 (removed)"},
    {36, "iq4_nl_4_4 (removed)"},
    {37, "iq4_nl_4_8 (removed)"},
    {38, "iq4_nl_8_8 (removed)"},
};

} // namespace

std::optional<DType> ggmlType(std::uint32_t number)
{
    const auto found = std::ranges::find(types, number, &std::pair<std::uint32_t, DType>::first);
    return found == std::end(types) ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint32_t> ggmlNumber(DType dtype)
{
    const auto found = std::ranges::find(types, dtype, &std::pair<std::uint32_t, DType>::second);
    return found == std::end(types) ? std::nullopt : std::optional(found->first);
}

std::string ggmlTypeText(std::uint32_t number)
{
    const auto found = std::ranges::find(others, number, &std::pair<std::uint32_t, std::string_view>::first);
    return found == std::end(others) ? "type " + std::to_string(number) : std::string(found->second);
}

} // namespace colibri
