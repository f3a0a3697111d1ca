// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernels.h"
#include "kernels/superblocks.h"

#include <array>
#include <tuple>

// Rows of weights as f32, for the types whose elements the kernels do not load one by one.
namespace colibri {

/// Every type of blocks that is computed.
using AllBlocks = std::tuple<Q4_0Block, Q4_1Block, Q5_0Block, Q5_1Block, Q8_0Block, IQ4_NLBlock, MXFP4Block, Q2_KBlock,
    Q3_KBlock, Q4_KBlock, Q5_KBlock, Q6_KBlock, IQ4_XSBlock>;

inline constexpr std::uint32_t chunkElements = 256; ///< decoded at once; whole blocks of every type

/// out = `n` <= chunkElements weights of a row from element `first`, a multiple of chunkElements, on.
using DecodeFn = void (*)(const std::byte* row, std::size_t first, std::uint32_t n, float* out);

/// to[i] = quants[i] * scale, - min, of sixteen weights.
template <bool hasMin>
[[gnu::always_inline]] inline void scaleStep(const std::int8_t* quants, float scale, float min, float* to)
{
#if defined(__AVX2__)
    for (std::uint32_t i = 0; i < stepElements; i += 8) {
        const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(quants + i));
        const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)), _mm256_set1_ps(scale));
        _mm256_storeu_ps(to + i, hasMin ? _mm256_sub_ps(scaled, _mm256_set1_ps(min)) : scaled);
    }
#else
    for (std::uint32_t i = 0; i < stepElements; ++i) {
        const float scaled = static_cast<float>(quants[i]) * scale;
        to[i] = hasMin ? scaled - min : scaled;
    }
#endif
}

template <class Block>
void decodeBlocks(const std::byte* row, std::size_t first, std::uint32_t n, float* __restrict out)
{
    const std::byte* p = row + first / Block::elements * Block::bytes;
    for (std::uint32_t begin = 0; begin < n; begin += Block::elements, p += Block::bytes) {
        typename Block::Parts parts;
        Block::unpack(p, parts);
        for (std::uint32_t step = 0; step < Block::elements / stepElements; ++step) {
            const std::int8_t* const quants = parts.quants + step * stepElements;
            float* const to = out + begin + step * stepElements;
            const float scale = parts.scale * static_cast<float>(parts.scales[step]);
            if constexpr (Block::hasMinima)
                scaleStep<true>(quants, scale, parts.min * static_cast<float>(parts.mins[step]), to);
            else
                scaleStep<false>(quants, scale, 0.f, to);
        }
    }
}

/// Four exponent bits of bias 7 and three of fraction, no infinity.
inline float f8e4m3ToF32(std::uint8_t bits)
{
    const std::uint32_t magnitude = bits & 0x7Fu;
    const float value =
        magnitude == 0x7F ? std::numeric_limits<float>::quiet_NaN() : std::bit_cast<float>(magnitude << 20) * 0x1p120f;
    return bits & 0x80u ? -value : value;
}

/// The upper half of an f16.
inline float f8e5m2ToF32(std::uint8_t bits)
{
    return f16ToF32(static_cast<std::uint16_t>(bits << 8));
}

template <class Number>
float plainToF32(Number number)
{
    return static_cast<float>(number);
}

template <class Stored, float (*widen)(Stored)>
void decodeNumbers(const std::byte* row, std::size_t first, std::uint32_t n, float* out)
{
    for (std::uint32_t i = 0; i < n; ++i) {
        Stored stored;
        std::memcpy(&stored, row + (first + i) * sizeof stored, sizeof stored);
        out[i] = widen(stored);
    }
}

template <class... Blocks>
constexpr std::array<DecodeFn, dtypeCount> decodersOf(std::tuple<Blocks...>*)
{
    std::array<DecodeFn, dtypeCount> table{};
    const auto at = [&](DType dtype) -> DecodeFn& { return table[static_cast<std::size_t>(dtype)]; };
    ((at(Blocks::dtype) = decodeBlocks<Blocks>), ...);
    at(DType::F64) = decodeNumbers<double, plainToF32<double>>;
    at(DType::F8_E4M3) = decodeNumbers<std::uint8_t, f8e4m3ToF32>;
    at(DType::F8_E5M2) = decodeNumbers<std::uint8_t, f8e5m2ToF32>;
    at(DType::I8) = decodeNumbers<std::int8_t, plainToF32<std::int8_t>>;
    at(DType::I16) = decodeNumbers<std::int16_t, plainToF32<std::int16_t>>;
    at(DType::I32) = decodeNumbers<std::int32_t, plainToF32<std::int32_t>>;
    at(DType::I64) = decodeNumbers<std::int64_t, plainToF32<std::int64_t>>;
    return table;
}

/// The decoder of a type; none for f32, f16, bf16 and int8, which need none.
constexpr DecodeFn decoderOf(DType dtype)
{
    constexpr auto table = decodersOf(static_cast<AllBlocks*>(nullptr));
    return table[static_cast<std::size_t>(dtype)];
}

/// Where a row of a type that has a decoder begins.
inline const std::byte* rowOf(const std::byte* data, DType dtype, std::uint32_t cols, std::size_t row)
{
    return data + row * (cols / traits(dtype).blockElements) * traits(dtype).blockBytes;
}

/// Weights [first, first + n) of a row, as of a DecodeFn, times the scales that an f8 matrix may have.
inline void decodeChunk(const Matrix& w, std::size_t row, std::size_t first, std::uint32_t n, float* out)
{
    decoderOf(w.dtype)(rowOf(w.data, w.dtype, w.cols, row), first, n, out);
    if (!w.scales)
        return;
    const ScaleGrid& grid = w.grid;
    const std::size_t perRow = (std::size_t{w.cols} + grid.blockCols - 1) / grid.blockCols;
    const float* scale = w.scales + (row + grid.rowsAbove) / grid.blockRows * perRow + first / grid.blockCols;
    for (std::size_t begin = 0, end = grid.blockCols - first % grid.blockCols; begin < n;
         begin = end, end += grid.blockCols) {
        const float factor = *scale++;
        for (std::size_t i = begin; i < (end < n ? end : n); ++i)
            out[i] *= factor;
    }
}

/// A whole row.
inline void decodeRow(const Matrix& w, std::size_t row, float* out)
{
    for (std::size_t first = 0; first < w.cols; first += chunkElements)
        decodeChunk(w, row, first,
            static_cast<std::uint32_t>(w.cols - first < chunkElements ? w.cols - first : chunkElements), out + first);
}

} // namespace colibri
