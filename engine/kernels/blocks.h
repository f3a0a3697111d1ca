// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/unpacking.h"

#include <bit>
#include <limits>

// The blocks of 32 weights with one scale and perhaps one minimum, each described once: `unpack` takes a block apart,
// everything else follows from the parts. The layouts are those of GGUF files.
namespace colibri {

inline constexpr std::int8_t iq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
inline constexpr std::int8_t mxfp4Values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}; ///< times 2

template <DType D, bool minima>
struct SmallBlock : BlockShape<D, minima> {
    using Parts = Unpacked<32>;
    static void setScale(float scale, Parts& to)
    {
        to.scale = scale;
        to.scales[0] = to.scales[1] = 1;
    }
    /// w = q * scale + offset.
    static void setOffset(float offset, Parts& to)
    {
        to.min = -offset;
        to.mins[0] = to.mins[1] = 1;
    }
};

struct Q4_0Block : SmallBlock<DType::Q4_0, false> {
    static void unpack(const std::byte* p, Parts& to)
    {
        setScale(unpacking::halfAt(p), to);
        unpacking::nibbles<16>(p + 2, to.quants);
        unpacking::subtract<32>(to.quants, 8);
    }
};

struct Q4_1Block : SmallBlock<DType::Q4_1, true> {
    static void unpack(const std::byte* p, Parts& to)
    {
        setScale(unpacking::halfAt(p), to);
        setOffset(unpacking::halfAt(p + 2), to);
        unpacking::nibbles<16>(p + 4, to.quants);
    }
};

struct Q5_0Block : SmallBlock<DType::Q5_0, false> {
    static void unpack(const std::byte* p, Parts& to)
    {
        setScale(unpacking::halfAt(p), to);
        unpacking::nibbles<16>(p + 6, to.quants);
        unpacking::addBits32(p + 2, 16, to.quants);
        unpacking::subtract<32>(to.quants, 16);
    }
};

struct Q5_1Block : SmallBlock<DType::Q5_1, true> {
    static void unpack(const std::byte* p, Parts& to)
    {
        setScale(unpacking::halfAt(p), to);
        setOffset(unpacking::halfAt(p + 2), to);
        unpacking::nibbles<16>(p + 8, to.quants);
        unpacking::addBits32(p + 4, 16, to.quants);
    }
};

struct Q8_0Block : SmallBlock<DType::Q8_0, false> {
    static void unpack(const std::byte* p, Parts& to)
    {
        setScale(unpacking::halfAt(p), to);
        std::memcpy(to.quants, p + 2, 32);
    }
};

struct IQ4_NLBlock : SmallBlock<DType::IQ4_NL, false> {
    static void unpack(const std::byte* p, Parts& to)
    {
        setScale(unpacking::halfAt(p), to);
        unpacking::nibbles<16>(p + 2, to.quants);
        unpacking::lookUp<32>(iq4Values, to.quants);
    }
};

/// The scale is a power of two; 255 is the NaN of the microscaling formats.
struct MXFP4Block : SmallBlock<DType::MXFP4, false> {
    static float halvedScale(std::uint8_t exponent)
    {
        if (exponent == 255)
            return std::numeric_limits<float>::quiet_NaN();
        return std::bit_cast<float>(exponent < 2 ? 0x00200000u << exponent : (exponent - 1u) << 23);
    }
    static void unpack(const std::byte* p, Parts& to)
    {
        setScale(halvedScale(unpacking::byteAt(p)), to);
        unpacking::nibbles<16>(p + 1, to.quants);
        unpacking::lookUp<32>(mxfp4Values, to.quants);
    }
};

} // namespace colibri
