// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace colibri {

/// IEEE 754 binary16 -> binary32, exact for all 65,536 values. A NaN keeps its sign and payload and becomes quiet, as
/// the conversion instructions do.
constexpr float f16ToF32(std::uint16_t half)
{
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1Fu;
    const std::uint32_t mantissa = half & 0x3FFu;
    if (exponent == 0x1F) {
        const std::uint32_t quiet = mantissa ? 0x400000u : 0u;
        return std::bit_cast<float>(sign | 0x7F800000u | quiet | (mantissa << 13));
    }
    if (exponent != 0)
        return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f; // subnormal or zero; the product is exact
    return sign ? -magnitude : magnitude;
}

/// binary32 -> binary16, to nearest, ties to even; overflow gives infinity, NaN stays NaN.
constexpr std::uint16_t f32ToF16(float value)
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u)
        return static_cast<std::uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x1FFu));
    if (magnitude >= 0x477FF000u) // 65520 and above round to infinity
        return static_cast<std::uint16_t>(sign | 0x7C00u);
    if (magnitude < 0x38800000u) { // below 2^-14: subnormal; adding 0.5 rounds at 2^-24
        const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
        return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(aligned) - 0x3F000000u));
    }
    const std::uint32_t odd = (magnitude >> 13) & 1u;
    return static_cast<std::uint16_t>(sign | ((magnitude + 0xFFFu + odd - 0x38000000u) >> 13));
}

/// bfloat16 -> binary32, exact.
constexpr float bf16ToF32(std::uint16_t half)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
}

/// binary32 -> bfloat16, to nearest, ties to even; NaN stays NaN.
constexpr std::uint16_t f32ToBf16(float value)
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

} // namespace colibri
