// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/decode.h"
#include "kernels/simd/steps256.h"

#include "kernels/simd/batches.h"

// Blocks of weights times rounded inputs, eight rows side by side. A block is unpacked once for many tokens; its
// integer sums are exact, so any order will do for them; the scaled sums are added in ascending order.
namespace colibri::simd {

inline constexpr std::uint32_t blockRows = 8;
inline constexpr std::uint32_t blockTokens = 32; ///< that share an unpacked block

/// Whole scales 2 k and 2 k + 1, each for the eight pairs of its sixteen weights.
inline __m256i pairScales(const std::int16_t* two)
{
    const __m256i spread = _mm256_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, //
        2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3);
    int bits;
    std::memcpy(&bits, two, sizeof bits);
    return _mm256_shuffle_epi8(_mm256_set1_epi32(bits), spread);
}

/// Eight integers whose sum is that of scales * quants * inputs of a block. A pair of products is at most
/// 2 * 128 * 127 < 2^15: nothing saturates.
template <class Parts>
[[gnu::always_inline]] inline __m256i weighedDot(const Parts& parts, const std::int8_t* inputs)
{
    constexpr std::uint32_t elements = sizeof parts.quants;
    __m256i sum = _mm256_setzero_si256();
    unrolled<elements / 32>([&](auto k) {
        const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(inputs + 32 * k));
        const __m256i w = _mm256_load_si256(reinterpret_cast<const __m256i*>(parts.quants + 32 * k));
        const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w));
        const __m256i scales = elements == 32 ? _mm256_set1_epi16(1) : pairScales(parts.scales + 2 * k);
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, scales));
    });
    return sum;
}

/// Eight integers whose sum is that of minima * sums of inputs.
template <class Parts>
[[gnu::always_inline]] inline __m256i weighedSums(const Parts& parts, const std::int16_t* sums)
{
    if constexpr (sizeof parts.mins == 32)
        return _mm256_madd_epi16(_mm256_load_si256(reinterpret_cast<const __m256i*>(parts.mins)),
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums)));
    else
        return _mm256_zextsi128_si256(_mm_cvtsi32_si128(parts.mins[0] * sums[0] + parts.mins[1] * sums[1]));
}

/// A part of each of eight unpacked blocks.
template <class Parts>
__m256 gathered(const Parts (&parts)[blockRows], float Parts::*part)
{
    float values[blockRows];
    for (std::uint32_t r = 0; r < blockRows; ++r)
        values[r] = parts[r].*part;
    return _mm256_loadu_ps(values);
}

/// Eight rows from `row` on (missing ones repeat the last) times at most blockTokens inputs.
template <class Block>
[[gnu::flatten]] void blockTile(const Matrix& w, std::uint32_t row, std::uint32_t rows, const RoundedRows& x,
    std::uint32_t count, std::size_t stride, float* out, std::size_t outStride)
{
    using Parts = typename Block::Parts;
    const std::size_t blocks = w.cols / Block::elements;
    constexpr std::size_t sumsOfBlock = Block::elements / sumSize;
    const std::byte* from[blockRows];
    for (std::uint32_t r = 0; r < blockRows; ++r)
        from[r] = rowOf(w.data, w.dtype, w.cols, row + std::min(r, rows - 1));
    __m256 total[blockTokens];
    std::fill(total, total + count, _mm256_setzero_ps());
    Parts parts[blockRows];
    for (std::size_t b = 0; b < blocks; ++b) {
        for (std::uint32_t r = 0; r < blockRows; ++r)
            Block::unpack(from[r] + b * Block::bytes, parts[r]);
        const __m256 scales = gathered(parts, &Parts::scale);
        __m256 minima{};
        if constexpr (Block::hasMinima)
            minima = gathered(parts, &Parts::min);
        for (std::uint32_t t = 0; t < count; ++t) {
            __m256i each[blockRows];
            const std::int8_t* const inputs = x.quants + t * stride + b * Block::elements;
            unrolled<blockRows>([&](auto r) { each[r] = weighedDot(parts[r], inputs); });
            const __m256 inputScale = _mm256_set1_ps(x.scales[t * blocks + b]);
            total[t] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sumEach(each)), _mm256_mul_ps(scales, inputScale), total[t]);
            if constexpr (Block::hasMinima) {
                const std::int16_t* const sums = x.sums + (t * blocks + b) * sumsOfBlock;
                unrolled<blockRows>([&](auto r) { each[r] = weighedSums(parts[r], sums); });
                total[t] =
                    _mm256_fnmadd_ps(_mm256_cvtepi32_ps(sumEach(each)), _mm256_mul_ps(minima, inputScale), total[t]);
            }
        }
    }
    for (std::uint32_t t = 0; t < count; ++t) {
        const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
        float results[blockRows];
        _mm256_storeu_ps(results, _mm256_blendv_ps(total[t], nan, _mm256_cmp_ps(total[t], total[t], _CMP_UNORD_Q)));
        std::memcpy(out + t * outStride + row, results, rows * sizeof(float));
    }
}

template <class Block>
void blockProduct(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    const RoundedRows& all = x.rounded(*quantFormatOf(Block::dtype));
    forParts(0, x.count, blockTokens, [&](std::size_t t, std::uint32_t count) {
        const RoundedRows inputs{
            all.quants + t * x.stride, all.scales + t * (w.cols / Block::elements), all.sums + t * (w.cols / sumSize)};
        forParts(rowBegin, rowEnd, blockRows, [&](std::uint32_t r, std::uint32_t rows) {
            blockTile<Block>(w, r, rows, inputs, count, x.stride, out + t * outStride, outStride);
        });
    });
}

} // namespace colibri::simd
