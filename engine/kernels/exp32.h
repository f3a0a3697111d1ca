// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

/// The f32 exponential, the same operations in scalar and vector code; kernels/ORDER.md states their order.
/// exp(x) = 2^n * exp(r), n = round(x / ln 2), |r| <= ln 2 / 2, exp(r) by its Taylor polynomial of degree 7 (the rest
/// is below 6e-9).
namespace colibri::exp32 {

inline constexpr float lowest = -104.f; ///< arguments are clamped to [lowest, highest]: exp is 0 at the one,
inline constexpr float highest = 89.f; ///< infinity at the other
inline constexpr float log2e = 0x1.715476p+0f;
inline constexpr float rounder = 0x1.8p+23f; ///< x + rounder - rounder rounds to the nearest integer, ties to even
inline constexpr float ln2High = 0x1.62e430p-1f;
inline constexpr float ln2Low = -0x1.05c610p-29f; ///< ln 2 - ln2High
inline constexpr float coefficients[] = {1.f / 5040, 1.f / 720, 1.f / 120, 1.f / 24, 1.f / 6, 0.5f, 1.f, 1.f};

/// 2^n for a normal result; n as a number modulo 2^32.
inline float powerOfTwo(std::uint32_t n)
{
    return std::bit_cast<float>((n + 127u) << 23);
}

/// A NaN gives some NaN.
inline float exponential(float x)
{
    x = x < lowest ? lowest : x;
    x = x > highest ? highest : x;
    const float rounded = std::fma(x, log2e, rounder);
    const float n = rounded - rounder;
    const float r = std::fma(n, -ln2Low, std::fma(n, -ln2High, x));
    float p = coefficients[0];
    for (std::size_t i = 1; i < std::size(coefficients); ++i)
        p = std::fma(p, r, coefficients[i]);
    // 2^n in two factors, each a normal number: the first product is exact, the second one rounds once.
    const std::uint32_t whole = std::bit_cast<std::uint32_t>(rounded) - std::bit_cast<std::uint32_t>(rounder);
    const auto first = static_cast<std::uint32_t>(static_cast<std::int32_t>(whole) >> 1);
    return p * powerOfTwo(first) * powerOfTwo(whole - first);
}

} // namespace colibri::exp32
