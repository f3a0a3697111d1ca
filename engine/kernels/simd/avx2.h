// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/simd/steps256.h"
#include "types/engine_options.h"

#include <xsimd/xsimd.hpp>

// What the kernels need of AVX2, FMA and F16C beyond loads, stores and plain arithmetic, for which they use xsimd. Its
// fma (not fused on every architecture), hadd, exp, rcp and rsqrt are not used: they differ between instruction sets.
namespace colibri::simd {

struct Avx2 {
    using Arch = xsimd::fma3<xsimd::avx2>;
    using Float = xsimd::batch<float, Arch>;
    using Double = xsimd::batch<double, Arch>;
    using QuantWeights = SignedWeights;
    static constexpr Isa isa = Isa::Avx2;
    static constexpr std::uint32_t vectorRows = 4; ///< rows of a tile with one token; registers decide
    static constexpr std::uint32_t tileRows = 2; ///< rows and tokens of a tile in f32
    static constexpr std::uint32_t tileTokens = 3;

    static Float fmadd(Float a, Float b, Float c) { return _mm256_fmadd_ps(a, b, c); }
    static Double fmadd(Double a, Double b, Double c) { return _mm256_fmadd_pd(a, b, c); }
    template <DType D>
    static Float widen(const void* p, float scale)
    {
        return D == DType::Int8 ? _mm256_mul_ps(widen8<D>(p), _mm256_set1_ps(scale)) : widen8<D>(p);
    }
    template <DType D>
    static Double widenDouble(const void* p, float scale)
    {
        return _mm256_cvtps_pd(D == DType::Int8 ? _mm_mul_ps(widen4<D>(p), _mm_set1_ps(scale)) : widen4<D>(p));
    }
    static __m128 fold16(const Float (&lane)[2]) { return halve(_mm256_add_ps(lane[0], lane[1])); }
    static double fold16(const Double (&lane)[4])
    {
        return foldLast(halve(_mm256_add_pd(_mm256_add_pd(lane[0], lane[2]), _mm256_add_pd(lane[1], lane[3]))));
    }

    static Float canonical(Float v)
    {
        return _mm256_blendv_ps(
            v, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000)), _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    }
    /// b where b > a, else a (also where b is a NaN).
    static Float larger(Float a, Float b) { return _mm256_blendv_ps(a, b, _mm256_cmp_ps(b, a, _CMP_GT_OQ)); }
    static Float smaller(Float a, Float b) { return _mm256_blendv_ps(a, b, _mm256_cmp_ps(b, a, _CMP_LT_OQ)); }
    static Float magnitude(Float v) { return _mm256_andnot_ps(_mm256_set1_ps(-0.f), v); }
    static Float negated(Float v) { return _mm256_xor_ps(_mm256_set1_ps(-0.f), v); }
    static bool allBelow(Float v, Float limit)
    {
        return _mm256_movemask_ps(_mm256_cmp_ps(v, limit, _CMP_LT_OQ)) == 0xFF;
    }
    /// The two halves of 2^k, where k = the integer in the low bits of `rounded` minus that of `rounder` (see exp32.h).
    static void powersOfTwo(Float rounded, Float rounder, Float& first, Float& second)
    {
        const __m256i whole = _mm256_sub_epi32(_mm256_castps_si256(rounded), _mm256_castps_si256(rounder));
        const __m256i half = _mm256_srai_epi32(whole, 1);
        const auto power = [](__m256i n) {
            return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(n, _mm256_set1_epi32(127)), 23));
        };
        first = power(half);
        second = power(_mm256_sub_epi32(whole, half));
    }
    static void storeHalf(void* out, Float v)
    {
        _mm_storeu_si128(static_cast<__m128i*>(out), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
    /// Integers in [-128, 127] as bytes.
    static void storeBytes(void* out, Float v)
    {
        const __m256i wide = _mm256_cvtps_epi32(v);
        const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
        _mm_storel_epi64(static_cast<__m128i*>(out), _mm_packs_epi16(words, words));
    }
};

} // namespace colibri::simd
