// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/blocks.h"

#include "types/half.h"

#include <cstring>
#include <random>

namespace colibri::samples {
namespace {

class BlockReader {
public:
    BlockReader(DType dtype, const std::byte* block)
        : m_dtype(dtype)
        , m_block(block)
    {
    }

    ExactWeight at(std::uint32_t i) const
    {
        const std::uint32_t half = i % 16 * 8 + i / 16 * 4; // nibbles of 32 weights in 16 bytes
        const std::uint32_t pair = i / 128 * 256 + i % 32 * 8 + i % 128 / 32 * 2;
        const std::uint32_t nibble = i / 64 * 256 + i % 32 * 8 + i % 64 / 32 * 4;
        const std::uint32_t plane = i % 32 * 8 + i / 32;
        const HalvesOfBlock halves = halvesOf(m_dtype);
        const double d = halves.scale < 0 ? 0 : halfAt(halves.scale);
        const double m = halves.minimum < 0 ? 0 : halfAt(halves.minimum);
        switch (m_dtype) {
        case DType::Q4_0:
            return {d, bits(16 + half, 4) - 8};
        case DType::Q4_1:
            return {d, bits(32 + half, 4), m};
        case DType::Q5_0:
            return {d, bits(48 + half, 4) + 16 * bits(16 + i, 1) - 16};
        case DType::Q5_1:
            return {d, bits(64 + half, 4) + 16 * bits(32 + i, 1), m};
        case DType::Q8_0:
            return {d, whole(2 + i)};
        case DType::IQ4_NL:
            return {d, nonLinear(bits(16 + half, 4))};
        case DType::MXFP4:
            return {std::ldexp(1.0, bits(0, 8) - 128), floating(bits(8 + half, 4))};
        case DType::Q2_K:
            return {d * bits(i / 16 * 8, 4), bits(128 + pair, 2), -m * bits(i / 16 * 8 + 4, 4)};
        case DType::Q3_K:
            return {d * scale3(i / 16), bits(256 + pair, 2) + 4 * bits(plane, 1) - 4};
        case DType::Q4_K:
            return {d * scale6(i / 32, 32), bits(128 + nibble, 4), -m * minimum6(i / 32)};
        case DType::Q5_K:
            return {d * scale6(i / 32, 32), bits(384 + nibble, 4) + 16 * bits(128 + plane, 1), -m * minimum6(i / 32)};
        case DType::Q6_K:
            return {d * whole(192 + i / 16),
                bits(i / 128 * 512 + i % 64 * 8 + i % 128 / 64 * 4, 4) + 16 * bits(1024 + pair, 2) - 32};
        default: // IQ4_XS
            return {d * (bits(32 + i / 32 * 4, 4) + 16 * bits(16 + i / 32 * 2, 2) - 32),
                nonLinear(bits(64 + i / 32 * 128 + i % 16 * 8 + i % 32 / 16 * 4, 4))};
        }
    }

private:
    int bits(std::uint32_t at, int count) const
    {
        int value = 0;
        for (int k = 0; k < count; ++k, ++at)
            value |= ((static_cast<int>(m_block[at / 8]) >> (at % 8)) & 1) << k;
        return value;
    }
    int whole(std::uint32_t at) const
    {
        const int value = bits(at * 8, 8);
        return value > 127 ? value - 256 : value;
    }
    double halfAt(int at) const
    {
        const int exponent = bits(static_cast<std::uint32_t>(at) * 8 + 10, 5);
        const int fraction = bits(static_cast<std::uint32_t>(at) * 8, 10);
        const double size = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
        return bits(static_cast<std::uint32_t>(at) * 8 + 15, 1) ? -size : size;
    }
    int scale3(std::uint32_t j) const
    {
        return bits(768 + j % 8 * 8 + j / 8 * 4, 4) + 16 * bits(832 + j % 4 * 8 + j / 4 * 2, 2) - 32;
    }
    int scale6(std::uint32_t j, std::uint32_t base) const
    {
        return j < 4 ? bits(base + j * 8, 6) : bits(96 + (j - 4) * 8, 4) + 16 * bits(base + (j - 4) * 8 + 6, 2);
    }
    int minimum6(std::uint32_t j) const
    {
        return j < 4 ? bits(64 + j * 8, 6) : bits(100 + (j - 4) * 8, 4) + 16 * bits(64 + (j - 4) * 8 + 6, 2);
    }
    static int nonLinear(int index)
    {
        const int values[] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
        return values[index];
    }
    /// Twice a number of one sign, two exponent bits and one of fraction.
    static int floating(int code)
    {
        const int exponent = code >> 1 & 3;
        const int size = exponent ? (2 + (code & 1)) << (exponent - 1) : code & 1;
        return code & 8 ? -size : size;
    }

    DType m_dtype;
    const std::byte* m_block;
};

} // namespace

HalvesOfBlock halvesOf(DType dtype)
{
    switch (dtype) {
    case DType::Q4_1:
    case DType::Q5_1:
    case DType::Q4_K:
    case DType::Q5_K:
        return {0, 2};
    case DType::Q2_K:
        return {80, 82};
    case DType::Q3_K:
        return {108, -1};
    case DType::Q6_K:
        return {208, -1};
    case DType::MXFP4:
        return {-1, -1};
    default:
        return {0, -1};
    }
}

Weights blockWeights(DType dtype, std::uint32_t rows, std::uint32_t cols, unsigned seed, Kind kind, std::size_t offset)
{
    const DTypeTraits& type = traits(dtype);
    const std::size_t count = std::size_t{rows} * (cols / type.blockElements);
    Weights w;
    w.bytes.resize(offset + count * type.blockBytes);
    w.bytes.shrink_to_fit();
    std::mt19937 random(seed);
    for (std::byte& byte : w.bytes)
        byte = static_cast<std::byte>(random());
    std::byte* const data = w.bytes.data() + offset;
    const auto setHalf = [&](std::size_t block, int at) {
        const std::uint16_t half = f32ToF16(0.01f * (static_cast<float>(random() % 2001) / 1000.f - 1.f));
        if (at >= 0)
            std::memcpy(data + block * type.blockBytes + at, &half, sizeof half);
    };
    for (std::size_t b = 0; b < count && kind != Kind::Special; ++b) {
        setHalf(b, halvesOf(dtype).scale);
        setHalf(b, halvesOf(dtype).minimum);
        if (dtype == DType::MXFP4)
            data[b * type.blockBytes] = static_cast<std::byte>(110 + random() % 20);
    }
    w.matrix = {data, nullptr, dtype, Layout::RowMajor, rows, cols};
    return w;
}

ExactWeight exactWeight(const Matrix& w, std::uint32_t row, std::uint32_t col)
{
    const DTypeTraits& type = traits(w.dtype);
    const std::size_t block = std::size_t{row} * (w.cols / type.blockElements) + col / type.blockElements;
    return BlockReader(w.dtype, w.data + block * type.blockBytes).at(col % type.blockElements);
}

} // namespace colibri::samples
