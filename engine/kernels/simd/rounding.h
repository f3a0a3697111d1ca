// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/simd/batches.h"
#include "types/half.h"

// Inputs rounded to 8 bits.
namespace colibri::simd {

/// Rounds the `count` inputs of a group, at most N, and returns their scale.
template <class S, std::uint32_t N>
float quantizeGroup(QuantFormat format, const float* x, std::uint32_t count, std::int8_t* quants)
{
    using Float = typename S::Float;
    float padded[N] = {};
    std::memcpy(padded, x, count * sizeof(float));
    Float largest(0.f);
    bool finite = true;
    forBatches<S>(N, [&](std::uint32_t i, std::uint32_t) {
        const Float magnitude = S::magnitude(Float::load_unaligned(padded + i));
        finite = finite && S::allBelow(magnitude, Float(infinity));
        largest = S::larger(largest, magnitude);
    });
    float maxima[width<S>];
    largest.store_unaligned(maxima);
    const float most = *std::max_element(maxima, maxima + width<S>);
    const float scale = most / 127.f;
    const float factor = 127.f / most;
    const bool divides = format == QuantFormat::Groups32;
    const bool any = finite && (divides ? scale > 0.f : factor < infinity);
    std::int8_t rounded[N] = {};
    forBatches<S>(any ? N : 0, [&](std::uint32_t i, std::uint32_t) {
        const Float value = Float::load_unaligned(padded + i);
        const Float ratio = divides ? value / Float(scale) : value * Float(factor);
        S::storeBytes(rounded + i, S::smaller(S::larger(ratio, Float(-127.f)), Float(127.f)));
    });
    std::memcpy(quants, rounded, count);
    if (!any)
        return finite ? 0.f : std::bit_cast<float>(0x7fc00000u);
    return divides ? scale : format == QuantFormat::Blocks32 ? f16ToF32(f32ToF16(scale)) : 1.f / factor;
}

template <class S>
void quantizeRow(QuantFormat format, const float* x, std::uint32_t n, const RoundedRow& out)
{
    const std::uint32_t size = groupSize(format);
    const auto quantize = size == 256 ? quantizeGroup<S, 256> : quantizeGroup<S, 32>;
    forParts(0, n, size, [&](std::uint32_t i, std::uint32_t count) {
        out.scales[i / size] = quantize(format, x + i, count, out.quants + i);
    });
    forParts(0, format == QuantFormat::Groups32 ? 0 : n, sumSize, [&](std::uint32_t i, std::uint32_t count) {
        int sum = 0;
        for (std::uint32_t j = 0; j < count; ++j)
            sum += out.quants[i + j];
        out.sums[i / sumSize] = static_cast<std::int16_t>(sum);
    });
}

} // namespace colibri::simd
