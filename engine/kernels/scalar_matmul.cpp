// SPDX-License-Identifier: Apache-2.0
// The oracle's products with a matrix and what rounds their inputs, compiled as kernels_scalar.cpp is.
#include "kernels/decode.h"
#include "kernels/exp32.h"
#include "kernels/scalar_rows.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace colibri::scalar {

namespace {

/// Exact integer sums in groups of 32, fused into the sum in ascending order.
float quantDot(const WeightRow<DType::Int8>& row, const std::int8_t* x, const float* xScales, std::uint32_t cols)
{
    float sum = 0.f;
    for (std::uint32_t begin = 0, group = 0; begin < cols; begin += int8GroupSize, ++group) {
        const std::uint32_t end = begin + std::min(int8GroupSize, cols - begin);
        std::int32_t exact = 0;
        for (std::uint32_t c = begin; c < end; ++c)
            exact += row.quant(c) * x[c];
        sum = std::fma(static_cast<float>(exact), row.scales[group] * xScales[group], sum);
    }
    return sum;
}

using Product = void (*)(const Matrix&, const Rows&, std::uint32_t, std::uint32_t, float*, std::size_t);

template <class Real, DType D>
void product(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    for (std::uint32_t r = rowBegin; r < rowEnd; ++r) {
        const WeightRow<D> row(w, r);
        for (std::size_t t = 0; t < x.count; ++t)
            out[t * outStride + r] = canonical(weightDot<Real>(row, x.values + t * x.stride, w.cols));
    }
}

void quantProduct(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    const RoundedRows& inputs = x.rounded(QuantFormat::Groups32);
    const std::size_t groups = (w.cols + int8GroupSize - 1) / int8GroupSize;
    for (std::uint32_t r = rowBegin; r < rowEnd; ++r) {
        const WeightRow<DType::Int8> row(w, r);
        for (std::size_t t = 0; t < x.count; ++t)
            out[t * outStride + r] =
                canonical(quantDot(row, inputs.quants + t * x.stride, inputs.scales + t * groups, w.cols));
    }
}

/// Weights that are decoded in chunks.
template <class Real>
void decodedProduct(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    for (std::uint32_t r = rowBegin; r < rowEnd; ++r) {
        for (std::size_t t = 0; t < x.count; ++t) {
            float chunk[chunkElements];
            const auto weight = [&](std::size_t c) { // asked for in ascending order
                if (c % chunkElements == 0)
                    decodeChunk(w, r, c, std::min(chunkElements, w.cols - static_cast<std::uint32_t>(c)), chunk);
                return chunk[c % chunkElements];
            };
            const float* const inputs = x.values + t * x.stride;
            const Real sum = laneDot<Real>(w.cols, weight, [inputs](std::size_t c) { return inputs[c]; });
            out[t * outStride + r] = canonical(static_cast<float>(sum));
        }
    }
}

/// Exact integer sums of a block, fused into the sum in ascending order.
template <class Block>
float blockDot(const std::byte* row, const RoundedRows& x, std::uint32_t cols)
{
    float sum = 0.f;
    for (std::size_t begin = 0; begin < cols; begin += Block::elements, row += Block::bytes) {
        typename Block::Parts parts;
        Block::unpack(row, parts);
        std::int32_t total = 0;
        std::int32_t minima = 0;
        for (std::uint32_t step = 0; step < Block::elements / stepElements; ++step) {
            const std::size_t at = begin + step * stepElements;
            std::int32_t exact = 0;
            for (std::uint32_t i = 0; i < stepElements; ++i)
                exact += parts.quants[step * stepElements + i] * x.quants[at + i];
            total += exact * parts.scales[step];
            if constexpr (Block::hasMinima)
                minima += parts.mins[step] * x.sums[at / sumSize];
        }
        const float scale = x.scales[begin / Block::elements];
        sum = std::fma(static_cast<float>(total), parts.scale * scale, sum);
        if constexpr (Block::hasMinima)
            sum = std::fma(static_cast<float>(minima), -(parts.min * scale), sum);
    }
    return sum;
}

template <class Block>
void blockProduct(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    const RoundedRows& inputs = x.rounded(*quantFormatOf(Block::dtype));
    const std::size_t groups = w.cols / Block::elements;
    const std::size_t sums = w.cols / sumSize;
    for (std::uint32_t r = rowBegin; r < rowEnd; ++r) {
        for (std::size_t t = 0; t < x.count; ++t) {
            const RoundedRows row{inputs.quants + t * x.stride, inputs.scales + t * groups, inputs.sums + t * sums};
            out[t * outStride + r] = canonical(blockDot<Block>(rowOf(w.data, w.dtype, w.cols, r), row, w.cols));
        }
    }
}

template <class... Blocks>
constexpr std::array<Product, dtypeCount> roundedProductsOf(std::tuple<Blocks...>*)
{
    std::array<Product, dtypeCount> table{};
    table[static_cast<std::size_t>(DType::Int8)] = quantProduct;
    ((table[static_cast<std::size_t>(Blocks::dtype)] = blockProduct<Blocks>), ...);
    return table;
}

/// The types whose elements are loaded one by one come first.
constexpr Product products[] = {
    product<float, DType::F32>, product<float, DType::F16>, product<float, DType::BF16>, product<float, DType::Int8>};
constexpr Product doubleProducts[] = {product<double, DType::F32>, product<double, DType::F16>,
    product<double, DType::BF16>, product<double, DType::Int8>};
constexpr auto roundedProducts = roundedProductsOf(static_cast<AllBlocks*>(nullptr));

std::int8_t rounded(float value)
{
    const float limited = std::clamp(value, -127.f, 127.f); // a subnormal scale may be far too small
    return static_cast<std::int8_t>((limited + exp32::rounder) - exp32::rounder);
}

/// Rounds a group and returns its scale.
float quantizeGroup(QuantFormat format, const float* x, std::uint32_t n, std::int8_t* quants)
{
    float largest = 0.f;
    bool finite = true;
    for (std::uint32_t i = 0; i < n; ++i) {
        const float magnitude = std::fabs(x[i]);
        finite = finite && magnitude < infinity;
        largest = magnitude > largest ? magnitude : largest;
    }
    std::fill_n(quants, n, std::int8_t{0});
    if (!finite)
        return std::bit_cast<float>(0x7fc00000u);
    const float scale = largest / 127.f;
    const float factor = 127.f / largest;
    const bool divides = format == QuantFormat::Groups32;
    if (!(divides ? scale > 0.f : factor < infinity))
        return 0.f;
    for (std::uint32_t i = 0; i < n; ++i)
        quants[i] = rounded(divides ? x[i] / scale : x[i] * factor);
    return divides ? scale : format == QuantFormat::Blocks32 ? f16ToF32(f32ToF16(scale)) : 1.f / factor;
}

template <DType D>
void copyTyped(const Matrix& w, std::uint32_t r, float* out)
{
    const WeightRow<D> row(w, r);
    for (std::uint32_t c = 0; c < w.cols; ++c)
        out[c] = canonical(row.at(c));
}

} // namespace

void matmul(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    const auto type = static_cast<std::size_t>(w.dtype);
    const auto format = quantFormatOf(w.dtype);
    const bool rounded = format && x.rounded(*format).quants;
    const Product multiply = rounded ? roundedProducts[type]
        : decoderOf(w.dtype)         ? decodedProduct<float>
                                     : products[type];
    multiply(w, x, rowBegin, rowEnd, out, outStride);
}

void matmulDouble(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    const Product multiply =
        decoderOf(w.dtype) ? decodedProduct<double> : doubleProducts[static_cast<std::size_t>(w.dtype)];
    multiply(w, x, rowBegin, rowEnd, out, outStride);
}

void quantizeRow(QuantFormat format, const float* x, std::uint32_t n, const RoundedRow& out)
{
    const std::uint32_t size = groupSize(format);
    for (std::uint32_t i = 0; i < n; i += size)
        out.scales[i / size] = quantizeGroup(format, x + i, std::min(size, n - i), out.quants + i);
    for (std::uint32_t i = 0; i < n && format != QuantFormat::Groups32; i += sumSize)
        out.sums[i / sumSize] =
            static_cast<std::int16_t>(std::accumulate(out.quants + i, out.quants + i + std::min(sumSize, n - i), 0));
}

void copyRow(const Matrix& w, std::uint32_t row, float* out)
{
    constexpr void (*copies[])(const Matrix&, std::uint32_t, float*) = {
        copyTyped<DType::F32>, copyTyped<DType::F16>, copyTyped<DType::BF16>, copyTyped<DType::Int8>};
    if (!decoderOf(w.dtype))
        return copies[static_cast<std::size_t>(w.dtype)](w, row, out);
    decodeRow(w, row, out);
    std::transform(out, out + w.cols, out, canonical);
}

} // namespace colibri::scalar
