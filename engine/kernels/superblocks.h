// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/blocks.h"

// Blocks of 256: one scale in front of whole scales of 16 or 32 weights.
namespace colibri {

namespace unpacking {

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
        unpacking::each<4>([&](auto part) { // 32 bytes hold 128 weights, the lowest bits the first 32
            const unpacking::Bytes bytes = unpacking::load(p + 16 + 16 * part);
            std::int8_t* const first = to.quants + part / 2 * 128 + part % 2 * 16;
            unpacking::each<4>([&](auto k) { unpacking::store(unpacking::bits<2 * k, 2>(bytes), first + 32 * k); });
        });
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
        unpacking::each<4>([&](auto part) { // as in q2_k; bit k of 32 bytes belongs to weights 32 k and on
            const unpacking::Bytes low = unpacking::load(p + 32 + 16 * part);
            const unpacking::Bytes high = unpacking::load(p + part % 2 * 16);
            std::int8_t* const first = to.quants + part / 2 * 128 + part % 2 * 16;
            unpacking::each<4>([&](auto k) {
                constexpr int plane = part / 2 * 4 + k;
                unpacking::store(
                    (unpacking::bits<2 * k, 2>(low) | unpacking::bits<plane, 1, 2>(high)) - 4, first + 32 * k);
            });
        });
    }
};

struct Q4_KBlock : BlockShape<DType::Q4_K, true> {
    static void unpack(const std::byte* p, Parts& to)
    {
        to.scale = unpacking::halfAt(p);
        to.min = unpacking::halfAt(p + 2);
        unpacking::sixBits(p + 4, to);
        for (std::uint32_t k = 0; k < 4; ++k)
            unpacking::nibbles<32>(p + 16 + 32 * k, to.quants + 64 * k, unpacking::asIs);
    }
};

struct Q5_KBlock : BlockShape<DType::Q5_K, true> {
    static void unpack(const std::byte* p, Parts& to)
    {
        to.scale = unpacking::halfAt(p);
        to.min = unpacking::halfAt(p + 2);
        unpacking::sixBits(p + 4, to);
        unpacking::each<8>([&](auto part) { // bit k of 32 bytes belongs to weights 32 k and on
            constexpr int pair = part / 2;
            const unpacking::Bytes low = unpacking::load(p + 48 + 16 * part);
            const unpacking::Bytes high = unpacking::load(p + 16 + part % 2 * 16);
            std::int8_t* const first = to.quants + pair * 64 + part % 2 * 16;
            unpacking::store(unpacking::bits<0, 4>(low) | unpacking::bits<2 * pair, 1, 4>(high), first);
            unpacking::store(unpacking::bits<4, 4>(low) | unpacking::bits<2 * pair + 1, 1, 4>(high), first + 32);
        });
    }
};

/// Two halves of 128: 64 bytes of low nibbles, 32 bytes of two high bits.
struct Q6_KBlock : BlockShape<DType::Q6_K, false> {
    static void unpack(const std::byte* p, Parts& to)
    {
        to.scale = unpacking::halfAt(p + 208);
        for (std::uint32_t j = 0; j < 16; ++j)
            to.scales[j] = static_cast<std::int8_t>(unpacking::byteAt(p + 192 + j));
        unpacking::each<4>([&](auto part) {
            constexpr int half = part / 2;
            const unpacking::Bytes high = unpacking::load(p + 128 + 16 * part);
            unpacking::each<4>([&](auto k) {
                const unpacking::Bytes low = unpacking::load(p + 64 * half + k % 2 * 32 + part % 2 * 16);
                unpacking::store((unpacking::bits<k / 2 * 4, 4>(low) | unpacking::bits<2 * k, 2, 4>(high)) - 32,
                    to.quants + 128 * half + 32 * k + part % 2 * 16);
            });
        });
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
            unpacking::nibbles<16>(
                p + 8 + 16 * k, to.quants + 32 * k, [](unpacking::Bytes q) { return unpacking::lookUp(iq4Values, q); });
    }
};

} // namespace colibri
