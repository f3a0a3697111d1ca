// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/dtype.h"
#include "types/half.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__F16C__)
#include <immintrin.h>
#endif

// What the descriptions of blocks (blocks.h, superblocks.h) are made of. Plain C++ that every instruction set compiles
// for itself.
namespace colibri {

inline constexpr std::uint32_t stepElements = 16; ///< weights that share a whole scale, in every type

/// A block's weight i is scale * scales[i / 16] * quants[i] - min * mins[i / 16].
template <std::uint32_t N>
struct Unpacked {
    alignas(32) std::int8_t quants[N];
    alignas(32) std::int16_t scales[N / stepElements];
    alignas(32) std::int16_t mins[N / stepElements]; ///< set in types with minima only
    float scale;
    float min;
};

/// The type's size and whether its weights have a minimum.
template <DType D, bool minima>
struct BlockShape {
    static constexpr DType dtype = D;
    static constexpr bool hasMinima = minima;
    static constexpr std::uint32_t elements = traits(D).blockElements;
    static constexpr std::uint32_t bytes = traits(D).blockBytes;
    using Parts = Unpacked<elements>;
};

namespace unpacking {

using Byte = const std::byte*;

inline std::uint8_t byteAt(Byte p)
{
    return static_cast<std::uint8_t>(*p);
}
inline float halfAt(Byte p)
{
    std::uint16_t half;
    std::memcpy(&half, p, sizeof half);
#if defined(__F16C__)
    return _cvtsh_ss(half);
#else
    return f16ToF32(half);
#endif
}

/// Half a byte each: n weights in the low halves, then n in the high ones.
template <std::uint32_t n>
void nibbles(Byte packed, std::int8_t* __restrict quants)
{
    std::uint8_t bytes[n];
    std::memcpy(bytes, packed, n);
    for (std::uint32_t i = 0; i < n; ++i)
        quants[i] = static_cast<std::int8_t>(bytes[i] & 15);
    for (std::uint32_t i = 0; i < n; ++i)
        quants[n + i] = static_cast<std::int8_t>(bytes[i] >> 4);
}

template <std::uint32_t n>
void subtract(std::int8_t* __restrict quants, std::int8_t offset)
{
    for (std::uint32_t i = 0; i < n; ++i)
        quants[i] = static_cast<std::int8_t>(quants[i] - offset);
}

template <std::uint32_t n>
void lookUp(const std::int8_t (&table)[16], std::int8_t* __restrict quants)
{
    for (std::uint32_t i = 0; i < n; ++i)
        quants[i] = table[quants[i]];
}

/// Adds the 32 bits at p, in order, as `weight` each.
inline void addBits32(Byte p, std::int8_t weight, std::int8_t* __restrict quants)
{
    std::uint8_t bytes[4];
    std::memcpy(bytes, p, sizeof bytes);
    for (std::uint32_t i = 0; i < 32; ++i)
        quants[i] = static_cast<std::int8_t>(quants[i] + ((bytes[i / 8] >> (i % 8)) & 1) * weight);
}

} // namespace unpacking

} // namespace colibri
