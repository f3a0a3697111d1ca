// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/samples.h"

#include "types/half.h"

#include <bit>
#include <cstring>
#include <limits>
#include <random>

namespace colibri::samples {
namespace {

float specialValue(std::mt19937& random)
{
    using Limits = std::numeric_limits<float>;
    const float values[] = {0.f, -0.f, Limits::denorm_min(), -Limits::denorm_min(), Limits::min() / 3,
        -Limits::min() / 5, Limits::max(), -Limits::max(), Limits::infinity(), -Limits::infinity(),
        std::bit_cast<float>(0x7fc12345u), std::bit_cast<float>(0xffc00000u), std::bit_cast<float>(0x7f800001u), 1e-30f,
        -1e30f, 65504.f};
    return values[random() % std::size(values)];
}

} // namespace

std::vector<float> floats(std::size_t n, unsigned seed, Kind kind)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(n);
    for (float& value : values) {
        value = normal(random);
        if (kind == Kind::Special && random() % 40 == 0)
            value = specialValue(random);
        if (kind == Kind::Tiny)
            value *= 3e-24f;
    }
    return values;
}

float Weights::at(std::size_t row, std::size_t col) const
{
    const std::size_t index = matrix.layout == Layout::RowMajor ? row * matrix.cols + col : col * matrix.rows + row;
    const std::byte* const p = matrix.data + index * elementBytes(matrix.dtype);
    float value = 0;
    std::uint16_t half = 0;
    std::memcpy(matrix.dtype == DType::F32 ? static_cast<void*>(&value) : &half, p, elementBytes(matrix.dtype));
    switch (matrix.dtype) {
    case DType::F32:
        return value;
    case DType::F16:
        return f16ToF32(half);
    case DType::BF16:
        return bf16ToF32(half);
    default:
        break;
    }
    return static_cast<float>(static_cast<std::int8_t>(half & 0xFF)) * scale(row, col);
}

float Weights::scale(std::size_t row, std::size_t col) const
{
    return scales[row * ((matrix.cols + int8GroupSize - 1) / int8GroupSize) + col / int8GroupSize];
}

Weights weights(
    DType dtype, Layout layout, std::uint32_t rows, std::uint32_t cols, unsigned seed, Kind kind, std::size_t offset)
{
    const std::size_t size = elementBytes(dtype);
    const std::size_t count = std::size_t{rows} * cols;
    Weights w;
    w.bytes.resize((offset + count) * size);
    w.bytes.shrink_to_fit();
    std::byte* const data = w.bytes.data() + offset * size;
    const std::vector<float> values = floats(count, seed, kind == Kind::Tiny && size < 4 ? Kind::Plain : kind);
    std::mt19937 random(seed + 1);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint16_t half = dtype == DType::F16 ? f32ToF16(values[i]) : f32ToBf16(values[i]);
        const auto quant = static_cast<std::int8_t>(random());
        const void* const from = dtype == DType::F32 ? static_cast<const void*>(&values[i])
            : dtype == DType::Int8                   ? static_cast<const void*>(&quant)
                                                     : &half;
        std::memcpy(data + i * size, from, size);
    }
    if (dtype == DType::Int8) {
        w.scales = floats(std::size_t{rows} * ((cols + int8GroupSize - 1) / int8GroupSize), seed + 2, kind);
        for (float& scale : w.scales)
            scale *= 0.01f;
    }
    w.matrix = {data, w.scales.data(), dtype, layout, rows, cols};
    return w;
}

Rows Inputs::quantized() const
{
    Rows q = rows;
    for (std::size_t i = 0; i < rounded.size(); ++i)
        q.quantized[i] = {rounded[i].quants.data(), rounded[i].scales.data(), rounded[i].sums.data()};
    return q;
}

std::uint32_t groupsOf(QuantFormat format, std::uint32_t cols)
{
    return (cols + groupSize(format) - 1) / groupSize(format);
}

Inputs inputs(std::uint32_t count, std::uint32_t cols, unsigned seed, Kind kind)
{
    const std::uint32_t stride = cols + 3; // any stride is legal
    const std::size_t sums = (cols + sumSize - 1) / sumSize;
    Inputs x;
    x.values = floats(std::size_t{count} * stride, seed, kind);
    for (const QuantFormat format : quantFormats) {
        Rounded& to = x.rounded[static_cast<std::size_t>(format)];
        const std::size_t groups = groupsOf(format, cols);
        to.quants.resize(std::size_t{count} * stride);
        to.scales.resize(count * groups);
        to.sums.resize(count * sums);
        for (std::size_t t = 0; t < count; ++t)
            kernelTable(Isa::Scalar)
                ->quantizeRow(format, x.values.data() + t * stride, cols,
                    {to.quants.data() + t * stride, to.scales.data() + t * groups, to.sums.data() + t * sums});
    }
    x.rows = {x.values.data(), {}, count, stride};
    return x;
}

Rows rowsFrom(const Rows& x, std::uint32_t token, std::uint32_t cols)
{
    Rows part = x;
    part.values += std::size_t{token} * x.stride;
    part.count = x.count - token;
    for (const QuantFormat format : quantFormats) {
        RoundedRows& rounded = part.quantized[static_cast<std::size_t>(format)];
        if (!rounded.quants)
            continue;
        rounded.quants += std::size_t{token} * x.stride;
        rounded.scales += std::size_t{token} * groupsOf(format, cols);
        rounded.sums += std::size_t{token} * ((cols + sumSize - 1) / sumSize);
    }
    return part;
}

bool sameBits(const std::vector<float>& a, const std::vector<float>& b)
{
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

int wrongNan(const std::vector<float>& values)
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] != values[i] && std::bit_cast<std::uint32_t>(values[i]) != 0x7fc00000u)
            return static_cast<int>(i);
    }
    return -1;
}

} // namespace colibri::samples
