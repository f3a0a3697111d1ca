// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/dtype.h"
#include "types/half.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

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

/// Sixteen weights at a time, in whatever registers there are.
using Bytes = std::uint8_t __attribute__((vector_size(16)));
using Words = std::uint16_t __attribute__((vector_size(16)));

inline Bytes load(Byte p)
{
    Bytes bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    return bytes;
}
inline void store(Bytes bytes, std::int8_t* to)
{
    std::memcpy(to, &bytes, sizeof bytes);
}

/// Bits [first, first + count) of each byte, moved up by `up`; they stay inside of the byte.
template <int first, int count, int up = 0>
Bytes bits(Bytes bytes)
{
    const Bytes low =
        reinterpret_cast<Bytes>(reinterpret_cast<Words>(bytes) >> first) & static_cast<std::uint8_t>((1 << count) - 1);
    return reinterpret_cast<Bytes>(reinterpret_cast<Words>(low) << up);
}

/// Bit i of sixteen bits as bit `up` of byte i.
template <int up>
Bytes spread(Byte p)
{
    Bytes bytes = {};
    std::memcpy(&bytes, p, 2);
    bytes = __builtin_shufflevector(bytes, bytes, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const Bytes which = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    return reinterpret_cast<Bytes>((bytes & which) == which) & static_cast<std::uint8_t>(1 << up);
}

/// table[index] for sixteen indices below 16.
inline Bytes lookUp(const std::int8_t (&table)[16], Bytes indices)
{
    Bytes values;
#if defined(__clang__) // has no shuffle by a variable
    for (int i = 0; i < 16; ++i)
        values[i] = static_cast<std::uint8_t>(table[indices[i]]);
#else
    std::memcpy(&values, table, sizeof values);
    values = __builtin_shuffle(values, indices);
#endif
    return values;
}

/// f(0), f(1), ... f(n - 1) with constants.
template <int n, class F>
[[gnu::always_inline]] inline void each(F&& f)
{
    [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline))
    {
        (f(std::integral_constant<int, i>{}), ...);
    }
    (std::make_integer_sequence<int, n>{});
}

/// Half a byte each: n weights in the low halves, then n in the high ones, each made by `map(bytes)`.
template <int n, class Map>
[[gnu::always_inline]] inline void nibbles(Byte packed, std::int8_t* quants, Map map)
{
    each<n / 16>([&](auto i) {
        const Bytes bytes = load(packed + 16 * i);
        store(map(bits<0, 4>(bytes)), quants + 16 * i);
        store(map(bits<4, 4>(bytes)), quants + n + 16 * i);
    });
}

inline Bytes asIs(Bytes bytes)
{
    return bytes;
}

} // namespace unpacking

} // namespace colibri
