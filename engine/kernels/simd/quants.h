// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/simd/batches.h"

#include <array>

// int8 weights times int8 inputs, row-major, eight rows side by side: the integer sums are exact, so any order will do
// for them; the scaled sums of the groups are added in ascending order.
namespace colibri::simd {

inline constexpr std::uint32_t quantRows = 8;
inline constexpr std::uint32_t quantTokens = 4;

/// Eight rows from row on; missing ones repeat the last.
struct QuantRows {
    const std::byte* quants[quantRows];
    const float* scales[quantRows];

    QuantRows(const Matrix& w, std::uint32_t row, std::uint32_t rows)
    {
        const std::size_t groups = (w.cols + int8GroupSize - 1) / int8GroupSize;
        for (std::uint32_t r = 0; r < quantRows; ++r) {
            const std::size_t index = row + std::min(r, rows - 1);
            quants[r] = w.data + index * w.cols;
            scales[r] = w.scales + index * groups;
        }
    }
    __m256 groupScales(std::size_t g) const
    {
        return _mm256_setr_ps(scales[0][g], scales[1][g], scales[2][g], scales[3][g], scales[4][g], scales[5][g],
            scales[6][g], scales[7][g]);
    }
};

/// 32 bytes, of which the first n count.
inline __m256i loadBytes(const void* p, std::size_t n)
{
    if (n >= int8GroupSize)
        return _mm256_loadu_si256(static_cast<const __m256i*>(p));
    std::int8_t padded[int8GroupSize] = {};
    std::memcpy(padded, p, n);
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(padded));
}

/// Eight rows times T inputs.
template <class S, std::uint32_t T>
[[gnu::flatten]] void quantTile(const Matrix& w, std::uint32_t row, std::uint32_t rows, const Rows& x,
    std::size_t token, float* out, std::size_t outStride)
{
    const std::size_t groups = (w.cols + int8GroupSize - 1) / int8GroupSize;
    const QuantRows tile(w, row, rows);
    const RoundedRows& rounded = x.rounded(QuantFormat::Groups32);
    const std::int8_t* const inputs = rounded.quants + token * x.stride;
    const float* const inputScales = rounded.scales + token * groups;
    __m256 sum[T];
    unrolled<T>([&](auto t) { sum[t] = _mm256_setzero_ps(); });
    const auto addGroup = [&](std::size_t g, std::size_t n) __attribute__((always_inline))
    {
        const std::size_t c = g * int8GroupSize;
        const __m256 scales = tile.groupScales(g);
        const auto weights = [&]<std::uint32_t... I>(std::integer_sequence<std::uint32_t, I...>)
        {
            return std::array{typename S::QuantWeights(loadBytes(tile.quants[I] + c, n))...};
        }
        (std::make_integer_sequence<std::uint32_t, quantRows>{});
        unrolled<T>([&](auto t) {
            const __m256i input = loadBytes(inputs + t * x.stride + c, n);
            __m256i dots[quantRows];
            unrolled<quantRows>([&](auto r) { dots[r] = weights[r].dot(input); });
            const __m256 scale = _mm256_mul_ps(scales, _mm256_set1_ps(inputScales[t * groups + g]));
            sum[t] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sumEach(dots)), scale, sum[t]);
        });
    };
    std::size_t g = 0;
    for (; (g + 1) * int8GroupSize <= w.cols; ++g)
        addGroup(g, int8GroupSize);
    if (g < groups)
        addGroup(g, w.cols - g * int8GroupSize);
    unrolled<T>([&](auto t) {
        const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
        float results[quantRows];
        _mm256_storeu_ps(results, _mm256_blendv_ps(sum[t], nan, _mm256_cmp_ps(sum[t], sum[t], _CMP_UNORD_Q)));
        std::memcpy(out + (token + t) * outStride + row, results, rows * sizeof(float));
    });
}

/// Tiles of 1, 2, ... tokens.
template <class S, std::size_t... I>
constexpr auto quantTileTable(std::index_sequence<I...>)
{
    return std::array{quantTile<S, I + 1>...};
}

template <class S>
void quantProduct(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    constexpr auto tiles = quantTileTable<S>(std::make_index_sequence<quantTokens>{});
    forParts(rowBegin, rowEnd, quantRows, [&](std::uint32_t r, std::uint32_t rows) {
        forParts(0, x.count, quantTokens,
            [&](std::uint32_t t, std::uint32_t count) { tiles[count - 1](w, r, rows, x, t, out, outStride); });
    });
}

} // namespace colibri::simd
