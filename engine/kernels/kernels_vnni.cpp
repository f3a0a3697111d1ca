// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/avx512.h"
#include "kernels/simd/table.h"
#include "kernels/tables.h"

namespace colibri {

namespace {

/// 32 int8 weights against inputs moved up by 128: w . x = w . (x + 128) - 128 * sum(w), all exact.
struct ShiftedWeights {
    __m256i weights;
    __m256i correction;

    explicit ShiftedWeights(__m256i w)
        : weights(w)
        , correction(_mm256_sub_epi32(
              _mm256_setzero_si256(), _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_set1_epi8(-128), w)))
    {
    }
    __m256i dot(__m256i x) const
    {
        return _mm256_dpbusd_epi32(correction, _mm256_xor_si256(x, _mm256_set1_epi8(-128)), weights);
    }
};

struct Vnni : simd::Avx512 {
    using QuantWeights = ShiftedWeights;
};

} // namespace

extern const KernelTable vnniKernels = simd::table<Vnni>;

} // namespace colibri
