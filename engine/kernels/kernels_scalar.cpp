// SPDX-License-Identifier: Apache-2.0
// The oracle: kernels/ORDER.md in plain C++. Compiled twice on x86-64, for the baseline and for the fma instruction,
// since without the instruction std::fma is a (slow, correct) call of the C library.
#include "kernels/decode.h"
#include "kernels/exp32.h"
#include "kernels/tables.h"
#include "types/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>

namespace colibri {

namespace {

constexpr std::uint32_t laneCount = 16;
constexpr std::uint32_t attendBlock = 64;
constexpr float infinity = std::numeric_limits<float>::infinity();

/// Every float that leaves a kernel passes through here: the one NaN is 0x7fc00000.
float canonical(float value)
{
    return value != value ? std::bit_cast<float>(0x7fc00000u) : value;
}

template <class T>
T loadAt(const std::byte* bytes, std::size_t index)
{
    T value;
    std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
    return value;
}

template <DType D>
using Stored =
    std::conditional_t<D == DType::F32, float, std::conditional_t<D == DType::Int8, std::int8_t, std::uint16_t>>;

/// One row of a matrix, widened to f32 element by element.
template <DType D>
struct WeightRow {
    const std::byte* first; ///< element (row, 0)
    std::size_t step; ///< elements from column to column
    const float* scales; ///< int8: of this row

    WeightRow(const Matrix& w, std::uint32_t row)
        : first(w.data + sizeof(Stored<D>) * (w.layout == Layout::RowMajor ? std::size_t{row} * w.cols : row))
        , step(w.layout == Layout::RowMajor ? 1 : w.rows)
        , scales(
              D == DType::Int8 ? w.scales + std::size_t{row} * ((w.cols + int8GroupSize - 1) / int8GroupSize) : nullptr)
    {
    }

    float at(std::size_t col) const
    {
        if constexpr (D == DType::F32)
            return loadAt<float>(first, col * step);
        else if constexpr (D == DType::F16)
            return f16ToF32(loadAt<std::uint16_t>(first, col * step));
        else if constexpr (D == DType::BF16)
            return bf16ToF32(loadAt<std::uint16_t>(first, col * step));
        else
            return static_cast<float>(quant(col)) * scales[col / int8GroupSize];
    }
    std::int8_t quant(std::size_t col) const { return loadAt<std::int8_t>(first, col * step); }
};

/// The fixed tree: l[i] += l[i + 8], then + 4, + 2, + 1.
template <class Real>
Real foldLanes(Real (&lane)[laneCount])
{
    for (std::uint32_t width = laneCount / 2; width > 0; width /= 2) {
        for (std::uint32_t i = 0; i < width; ++i)
            lane[i] += lane[i + width];
    }
    return lane[0];
}

/// Sum of a(i) * b(i) for i < n in sixteen lanes; the last sixteen are padded with zeros.
template <class Real, class A, class B>
Real laneDot(std::uint32_t n, A a, B b)
{
    Real lane[laneCount] = {};
    std::uint32_t i = 0;
    for (; n - i >= laneCount; i += laneCount) {
        for (std::uint32_t l = 0; l < laneCount; ++l)
            lane[l] = std::fma(static_cast<Real>(a(i + l)), static_cast<Real>(b(i + l)), lane[l]);
    }
    for (std::uint32_t l = 0; i < n && l < laneCount; ++l) {
        const bool inside = l < n - i;
        lane[l] = std::fma(
            inside ? static_cast<Real>(a(i + l)) : Real{}, inside ? static_cast<Real>(b(i + l)) : Real{}, lane[l]);
    }
    return foldLanes(lane);
}

template <class Real, DType D>
float weightDot(const WeightRow<D>& row, const float* x, std::uint32_t cols)
{
    return static_cast<float>(laneDot<Real>(
        cols, [&](std::size_t c) { return row.at(c); }, [x](std::size_t c) { return x[c]; }));
}

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
    const DecodeFn decode = decoderOf(w.dtype);
    for (std::uint32_t r = rowBegin; r < rowEnd; ++r) {
        const std::byte* const row = rowOf(w.data, w.dtype, w.cols, r);
        for (std::size_t t = 0; t < x.count; ++t) {
            float chunk[chunkElements];
            const auto weight = [&](std::size_t c) { // asked for in ascending order
                if (c % chunkElements == 0)
                    decode(row, c, std::min(chunkElements, w.cols - static_cast<std::uint32_t>(c)), chunk);
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

void quantizeRow(QuantFormat format, const float* x, std::uint32_t n, const RoundedRow& out)
{
    const std::uint32_t size = groupSize(format);
    for (std::uint32_t i = 0; i < n; i += size)
        out.scales[i / size] = quantizeGroup(format, x + i, std::min(size, n - i), out.quants + i);
    for (std::uint32_t i = 0; i < n && format != QuantFormat::Groups32; i += sumSize)
        out.sums[i / sumSize] =
            static_cast<std::int16_t>(std::accumulate(out.quants + i, out.quants + i + std::min(sumSize, n - i), 0));
}

template <DType D>
void copyTyped(const Matrix& w, std::uint32_t r, float* out)
{
    const WeightRow<D> row(w, r);
    for (std::uint32_t c = 0; c < w.cols; ++c)
        out[c] = canonical(row.at(c));
}

void copyRow(const Matrix& w, std::uint32_t row, float* out)
{
    constexpr void (*copies[])(const Matrix&, std::uint32_t, float*) = {
        copyTyped<DType::F32>, copyTyped<DType::F16>, copyTyped<DType::BF16>, copyTyped<DType::Int8>};
    const DecodeFn decode = decoderOf(w.dtype);
    if (!decode)
        return copies[static_cast<std::size_t>(w.dtype)](w, row, out);
    decodeRow(decode, rowOf(w.data, w.dtype, w.cols, row), w.cols, out);
    std::transform(out, out + w.cols, out, canonical);
}

void rmsNorm(const float* x, const float* weight, float eps, std::uint32_t n, float* out)
{
    const auto at = [x](std::size_t i) { return x[i]; };
    const float mean = laneDot<float>(n, at, at) / static_cast<float>(n);
    const float factor = 1.f / std::sqrt(mean + eps);
    for (std::uint32_t i = 0; i < n; ++i)
        out[i] = canonical(x[i] * factor * weight[i]);
}

void rope(float* head, const float* cosine, const float* sine, std::uint32_t n)
{
    const std::uint32_t half = n / 2;
    for (std::uint32_t i = 0; i < half; ++i) {
        const float a = head[i];
        const float b = head[i + half];
        head[i] = canonical(std::fma(a, cosine[i], -(b * sine[i])));
        head[i + half] = canonical(std::fma(b, cosine[i], a * sine[i]));
    }
}

void ropeNeighbours(float* head, const float* cosine, const float* sine, std::uint32_t n)
{
    for (std::uint32_t i = 0; i < n / 2; ++i) {
        const float a = head[2 * i];
        const float b = head[2 * i + 1];
        head[2 * i] = canonical(std::fma(a, cosine[i], -(b * sine[i])));
        head[2 * i + 1] = canonical(std::fma(b, cosine[i], a * sine[i]));
    }
}

float exponential(float x)
{
    return canonical(exp32::exponential(x));
}

void exponentials(const float* x, std::uint32_t n, float* out)
{
    for (std::uint32_t i = 0; i < n; ++i)
        out[i] = exponential(x[i]);
}

void swiglu(const float* gate, const float* up, std::uint32_t n, float* out)
{
    for (std::uint32_t i = 0; i < n; ++i)
        out[i] = canonical(gate[i] / (1.f + exponential(-gate[i])) * up[i]);
}

void clampedSwiglu(const float* gate, const float* up, float limit, std::uint32_t n, float* out)
{
    for (std::uint32_t i = 0; i < n; ++i) {
        const float g = limit < gate[i] ? limit : gate[i];
        const float u = limit < up[i] ? limit : up[i];
        const float clamped = -limit > u ? -limit : u;
        out[i] = canonical(g / (1.f + exponential(g * -1.702f)) * (clamped + 1.f));
    }
}

void addScaled(float* acc, const float* x, float weight, std::uint32_t n)
{
    for (std::uint32_t i = 0; i < n; ++i)
        acc[i] = canonical(std::fma(x[i], weight, acc[i]));
}

void add(float* acc, const float* x, std::uint32_t n)
{
    for (std::uint32_t i = 0; i < n; ++i)
        acc[i] = canonical(acc[i] + x[i]);
}

/// Turns scores into exp(score - largest score) and returns their sum in blocks, the sink's share last.
float weighPositions(float* scores, std::uint32_t positions, const float* sink)
{
    float largest = sink && *sink > -infinity ? *sink : -infinity;
    for (std::uint32_t j = 0; j < positions; ++j)
        largest = scores[j] > largest ? scores[j] : largest;
    float sum = 0.f;
    for (std::uint32_t begin = 0; begin < positions; begin += attendBlock) {
        const std::uint32_t end = begin + std::min(attendBlock, positions - begin);
        float partial = 0.f;
        for (std::uint32_t j = begin; j < end; ++j) {
            scores[j] = exponential(scores[j] - largest);
            partial += scores[j];
        }
        sum += partial;
    }
    return sink ? sum + exponential(*sink - largest) : sum;
}

/// Up to sixteen components of the weighted sum of the values, starting at component `first`.
template <DType D>
void mixValues(const AttendArgs& args, const Matrix& values, std::uint32_t first, float sum)
{
    const std::uint32_t width = std::min(laneCount, args.valueDim - first);
    float total[laneCount] = {};
    for (std::uint32_t begin = 0; begin < args.positions; begin += attendBlock) {
        const std::uint32_t end = begin + std::min(attendBlock, args.positions - begin);
        float partial[laneCount] = {};
        for (std::uint32_t j = begin; j < end; ++j) {
            const WeightRow<D> row(values, j);
            for (std::uint32_t d = 0; d < width; ++d)
                partial[d] = std::fma(args.scores[j], row.at(first + d), partial[d]);
        }
        for (std::uint32_t d = 0; d < width; ++d)
            total[d] += partial[d];
    }
    for (std::uint32_t d = 0; d < width; ++d)
        args.out[first + d] = canonical(total[d] / sum);
}

template <DType D>
void attendTyped(const AttendArgs& args)
{
    const Matrix keys{args.keys, nullptr, D, Layout::RowMajor, args.positions, args.headDim};
    const Matrix values{args.values, nullptr, D, Layout::RowMajor, args.positions, args.valueStride};
    for (std::uint32_t j = 0; j < args.positions; ++j)
        args.scores[j] = weightDot<float>(WeightRow<D>(keys, j), args.query, args.headDim) * args.scale;
    const float sum = weighPositions(args.scores, args.positions, args.sink);
    for (std::uint32_t d = 0; d < args.valueDim; d += laneCount)
        mixValues<D>(args, values, d, sum);
}

void attend(const AttendArgs& args)
{
    (args.kv == KvType::F32 ? attendTyped<DType::F32> : attendTyped<DType::F16>)(args);
}

void storeKv(const float* x, std::uint32_t n, KvType kv, std::byte* out)
{
    for (std::uint32_t i = 0; i < n; ++i) {
        const float value = canonical(x[i]);
        const std::uint16_t half = f32ToF16(value);
        if (kv == KvType::F32)
            std::memcpy(out + i * sizeof value, &value, sizeof value);
        else
            std::memcpy(out + i * sizeof half, &half, sizeof half);
    }
}

bool allFinite(const float* x, std::size_t n)
{
    return std::all_of(x, x + n, [](float value) { return std::fabs(value) < infinity; });
}

} // namespace

#if !defined(__x86_64__) || !defined(__FMA__)
extern const KernelTable scalarKernels = {
#else
extern const KernelTable scalarFmaKernels = {
#endif
    Isa::Scalar, matmul, matmulDouble, quantizeRow, copyRow, rmsNorm, rope, ropeNeighbours, swiglu, clampedSwiglu,
    addScaled, add, attend, storeKv, exponentials, allFinite};

} // namespace colibri
