// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/dtype.h"

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Steps of 128 and 256 bits that the x86-64 instruction sets share; needs AVX2 and F16C.
namespace colibri::simd {

template <DType D>
using Stored =
    std::conditional_t<D == DType::F32, float, std::conditional_t<D == DType::Int8, std::int8_t, std::uint16_t>>;

/// Four and eight elements as f32, exact; int8 without its scale.
template <DType D>
__m128 widen4(const void* p)
{
    if constexpr (D == DType::F32)
        return _mm_loadu_ps(static_cast<const float*>(p));
    else if constexpr (D == DType::F16)
        return _mm_cvtph_ps(_mm_loadl_epi64(static_cast<const __m128i*>(p)));
    else if constexpr (D == DType::BF16)
        return _mm_castsi128_ps(
            _mm_slli_epi32(_mm_cvtepu16_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(p))), 16));
    else
        return _mm_cvtepi32_ps(_mm_cvtepi8_epi32(_mm_loadu_si32(p)));
}

template <DType D>
__m256 widen8(const void* p)
{
    if constexpr (D == DType::F32)
        return _mm256_loadu_ps(static_cast<const float*>(p));
    else if constexpr (D == DType::F16)
        return _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i*>(p)));
    else if constexpr (D == DType::BF16)
        return _mm256_castsi256_ps(
            _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p))), 16));
    else
        return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(p))));
}

/// One step of the fixed tree: lanes [0, n) plus lanes [n, 2 n).
inline __m128 halve(__m256 v)
{
    return _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
}
inline __m128d halve(__m256d v)
{
    return _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
}

/// The last two steps of the tree for four dots at once.
inline __m128 fold4(__m128 a, __m128 b, __m128 c, __m128 d)
{
    const __m128 ab = _mm_add_ps(_mm_movelh_ps(a, b), _mm_movehl_ps(b, a)); // a0+a2 a1+a3 b0+b2 b1+b3
    const __m128 cd = _mm_add_ps(_mm_movelh_ps(c, d), _mm_movehl_ps(d, c));
    return _mm_add_ps(_mm_shuffle_ps(ab, cd, _MM_SHUFFLE(2, 0, 2, 0)), _mm_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 1, 3, 1)));
}

inline double foldLast(__m128d v)
{
    return _mm_cvtsd_f64(v) + _mm_cvtsd_f64(_mm_unpackhi_pd(v, v));
}

/// Eight rows' sums of eight integers each, in row order.
inline __m256i sumEach(const __m256i (&d)[8])
{
    const __m256i low = _mm256_hadd_epi32(_mm256_hadd_epi32(d[0], d[1]), _mm256_hadd_epi32(d[2], d[3]));
    const __m256i high = _mm256_hadd_epi32(_mm256_hadd_epi32(d[4], d[5]), _mm256_hadd_epi32(d[6], d[7]));
    return _mm256_add_epi32(_mm256_permute2x128_si256(low, high, 0x20), _mm256_permute2x128_si256(low, high, 0x31));
}

/// 32 int8 weights, ready for products with int8 inputs in [-127, 127].
struct SignedWeights {
    __m256i weights;
    __m256i magnitudes;

    explicit SignedWeights(__m256i w)
        : weights(w)
        , magnitudes(_mm256_abs_epi8(w))
    {
    }
    /// Eight exact sums of four products. A pair's sum is at most 2 * 128 * 127 < 2^15: nothing saturates.
    __m256i dot(__m256i x) const
    {
        return _mm256_madd_epi16(_mm256_maddubs_epi16(magnitudes, _mm256_sign_epi8(x, weights)), _mm256_set1_epi16(1));
    }
};

} // namespace colibri::simd
