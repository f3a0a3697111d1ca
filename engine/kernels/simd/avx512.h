// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/simd/steps256.h"
#include "types/engine_options.h"

#include <xsimd/xsimd.hpp>

// The same operations as Avx2 in AVX-512 F, BW, DQ and VL.
namespace colibri::simd {

template <DType D>
__m512 widen16(const void* p)
{
    if constexpr (D == DType::F32)
        return _mm512_loadu_ps(p);
    else if constexpr (D == DType::F16)
        return _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(p)));
    else if constexpr (D == DType::BF16)
        return _mm512_castsi512_ps(
            _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(static_cast<const __m256i*>(p))), 16));
    else
        return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p))));
}

struct Avx512 {
    using Arch = xsimd::avx512dq;
    using Float = xsimd::batch<float, Arch>;
    using Double = xsimd::batch<double, Arch>;
    using QuantWeights = SignedWeights;
    static constexpr Isa isa = Isa::Avx512;
    static constexpr std::uint32_t vectorRows = 8;
    static constexpr std::uint32_t tileRows = 4;
    static constexpr std::uint32_t tileTokens = 6;

    static Float fmadd(Float a, Float b, Float c) { return _mm512_fmadd_ps(a, b, c); }
    static Double fmadd(Double a, Double b, Double c) { return _mm512_fmadd_pd(a, b, c); }
    template <DType D>
    static Float widen(const void* p, float scale)
    {
        return D == DType::Int8 ? _mm512_mul_ps(widen16<D>(p), _mm512_set1_ps(scale)) : widen16<D>(p);
    }
    template <DType D>
    static Double widenDouble(const void* p, float scale)
    {
        return _mm512_cvtps_pd(D == DType::Int8 ? _mm256_mul_ps(widen8<D>(p), _mm256_set1_ps(scale)) : widen8<D>(p));
    }
    static __m128 fold16(const Float (&lane)[1])
    {
        return halve(_mm256_add_ps(_mm512_castps512_ps256(lane[0]), _mm512_extractf32x8_ps(lane[0], 1)));
    }
    static double fold16(const Double (&lane)[2])
    {
        const __m512d sum = _mm512_add_pd(lane[0], lane[1]);
        return foldLast(halve(_mm256_add_pd(_mm512_castpd512_pd256(sum), _mm512_extractf64x4_pd(sum, 1))));
    }

    static Float canonical(Float v)
    {
        return _mm512_mask_mov_ps(
            v, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), _mm512_castsi512_ps(_mm512_set1_epi32(0x7fc00000)));
    }
    static Float larger(Float a, Float b) { return _mm512_mask_mov_ps(a, _mm512_cmp_ps_mask(b, a, _CMP_GT_OQ), b); }
    static Float smaller(Float a, Float b) { return _mm512_mask_mov_ps(a, _mm512_cmp_ps_mask(b, a, _CMP_LT_OQ), b); }
    static Float magnitude(Float v) { return _mm512_andnot_ps(_mm512_set1_ps(-0.f), v); }
    static Float negated(Float v) { return _mm512_xor_ps(_mm512_set1_ps(-0.f), v); }
    static bool allBelow(Float v, Float limit) { return _mm512_cmp_ps_mask(v, limit, _CMP_LT_OQ) == 0xFFFF; }
    static void powersOfTwo(Float rounded, Float rounder, Float& first, Float& second)
    {
        const __m512i whole = _mm512_sub_epi32(_mm512_castps_si512(rounded), _mm512_castps_si512(rounder));
        const __m512i half = _mm512_srai_epi32(whole, 1);
        const auto power = [](__m512i n) {
            return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_add_epi32(n, _mm512_set1_epi32(127)), 23));
        };
        first = power(half);
        second = power(_mm512_sub_epi32(whole, half));
    }
    static void storeHalf(void* out, Float v)
    {
        _mm256_storeu_si256(
            static_cast<__m256i*>(out), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
    static void storeBytes(void* out, Float v)
    {
        _mm_storeu_si128(static_cast<__m128i*>(out), _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(v)));
    }
};

} // namespace colibri::simd
