// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/blocks.h"

// Blocks of 256: one scale in front of whole scales of 16 or 32 weights.
namespace colibri {

namespace unpacking {

/// 2 bits each: 32 bytes hold 128 weights, the lowest bits the first 32.
inline void pairs128(Byte packed, std::int8_t* __restrict quants)
{
    std::uint8_t bytes[32];
    std::memcpy(bytes, packed, sizeof bytes);
    for (std::uint32_t k = 0; k < 4; ++k) {
        for (std::uint32_t i = 0; i < 32; ++i)
            quants[32 * k + i] = static_cast<std::int8_t>((bytes[i] >> (2 * k)) & 3);
    }
}

/// Bit k of 32 bytes belongs to weights 32 k to 32 k + 31, as `weight`.
inline void addPlanes(Byte packed, std::int8_t weight, std::int8_t* __restrict quants)
{
    std::uint8_t bytes[32];
    std::memcpy(bytes, packed, sizeof bytes);
    for (std::uint32_t k = 0; k < 8; ++k) {
        for (std::uint32_t i = 0; i < 32; ++i)
            quants[32 * k + i] = static_cast<std::int8_t>(quants[32 * k + i] + ((bytes[i] >> k) & 1) * weight);
    }
}

/// Eight scales and eight minima of 6 bits in twelve bytes, each for 32 weights.
template <class Parts>
void sixBits(Byte p, Parts& to)
{
    for (std::uint32_t j = 0; j < 4; ++j) {
        const std::uint8_t low = byteAt(p + j);
        const std::uint8_t middle = byteAt(p + 4 + j);
        const std::uint8_t high = byteAt(p + 8 + j);
        to.scales[2 * j] = to.scales[2 * j + 1] = low & 63;
        to.mins[2 * j] = to.mins[2 * j + 1] = middle & 63;
        to.scales[8 + 2 * j] = to.scales[9 + 2 * j] = static_cast<std::int16_t>((high & 15) | (low >> 6) << 4);
        to.mins[8 + 2 * j] = to.mins[9 + 2 * j] = static_cast<std::int16_t>((high >> 4) | (middle >> 6) << 4);
    }
}

} // namespace unpacking

struct Q2_KBlock : BlockShape<DType::Q2_K, true> {
    static void unpack(const std::byte* p, Parts& to)
    {
        to.scale = unpacking::halfAt(p + 80);
        to.min = unpacking::halfAt(p + 82);
        for (std::uint32_t j = 0; j < 16; ++j) {
            to.scales[j] = unpacking::byteAt(p + j) & 15;
            to.mins[j] = unpacking::byteAt(p + j) >> 4;
        }
        unpacking::pairs128(p + 16, to.quants);
        unpacking::pairs128(p + 48, to.quants + 128);
    }
};

/// The high bit is stored inverted: without it 4 is taken off.
struct Q3_KBlock : BlockShape<DType::Q3_K, false> {
    static void unpack(const std::byte* p, Parts& to)
    {
        to.scale = unpacking::halfAt(p + 108);
        for (std::uint32_t j = 0; j < 16; ++j) {
            const std::uint32_t low = (unpacking::byteAt(p + 96 + j % 8) >> (j < 8 ? 0 : 4)) & 15;
            const std::uint32_t high = (unpacking::byteAt(p + 104 + j % 4) >> (j / 4 * 2)) & 3;
            to.scales[j] = static_cast<std::int16_t>(static_cast<int>(low | high << 4) - 32);
        }
        unpacking::pairs128(p + 32, to.quants);
        unpacking::pairs128(p + 64, to.quants + 128);
        unpacking::addPlanes(p, 4, to.quants);
        unpacking::subtract<256>(to.quants, 4);
    }
};

struct Q4_KBlock : BlockShape<DType::Q4_K, true> {
    static void unpack(const std::byte* p, Parts& to)
    {
        to.scale = unpacking::halfAt(p);
        to.min = unpacking::halfAt(p + 2);
        unpacking::sixBits(p + 4, to);
        for (std::uint32_t k = 0; k < 4; ++k)
            unpacking::nibbles<32>(p + 16 + 32 * k, to.quants + 64 * k);
    }
};

struct Q5_KBlock : BlockShape<DType::Q5_K, true> {
    static void unpack(const std::byte* p, Parts& to)
    {
        to.scale = unpacking::halfAt(p);
        to.min = unpacking::halfAt(p + 2);
        unpacking::sixBits(p + 4, to);
        for (std::uint32_t k = 0; k < 4; ++k)
            unpacking::nibbles<32>(p + 48 + 32 * k, to.quants + 64 * k);
        unpacking::addPlanes(p + 16, 16, to.quants);
    }
};

/// Two halves of 128: 64 bytes of low nibbles, 32 bytes of two high bits.
struct Q6_KBlock : BlockShape<DType::Q6_K, false> {
    static void unpack(const std::byte* p, Parts& to)
    {
        to.scale = unpacking::halfAt(p + 208);
        for (std::uint32_t j = 0; j < 16; ++j)
            to.scales[j] = static_cast<std::int8_t>(unpacking::byteAt(p + 192 + j));
        for (std::uint32_t half = 0; half < 2; ++half) {
            std::int8_t high[128];
            std::int8_t* const quants = to.quants + 128 * half;
            unpacking::nibbles<64>(p + 64 * half, quants);
            unpacking::pairs128(p + 128 + 32 * half, high);
            for (std::uint32_t i = 0; i < 128; ++i)
                quants[i] = static_cast<std::int8_t>((quants[i] | high[i] << 4) - 32);
        }
    }
};

/// Scales of 6 bits: the low four of all in four bytes, the high two of all in two.
struct IQ4_XSBlock : BlockShape<DType::IQ4_XS, false> {
    static void unpack(const std::byte* p, Parts& to)
    {
        to.scale = unpacking::halfAt(p);
        for (std::uint32_t j = 0; j < 8; ++j) {
            const std::uint32_t low = (unpacking::byteAt(p + 4 + j / 2) >> (j % 2 * 4)) & 15;
            const std::uint32_t high = (unpacking::byteAt(p + 2 + j / 4) >> (j % 4 * 2)) & 3;
            to.scales[2 * j] = to.scales[2 * j + 1] = static_cast<std::int16_t>(static_cast<int>(low | high << 4) - 32);
        }
        for (std::uint32_t k = 0; k < 8; ++k)
            unpacking::nibbles<16>(p + 8 + 16 * k, to.quants + 32 * k);
        unpacking::lookUp<256>(iq4Values, to.quants);
    }
};

} // namespace colibri
