// SPDX-License-Identifier: Apache-2.0
// The oracle: kernels/ORDER.md in plain C++. Compiled twice on x86-64, for the baseline and for the fma instruction,
// since without the instruction std::fma is a (slow, correct) call of the C library.
#include "kernels/exp32.h"
#include "kernels/scalar_rows.h"
#include "kernels/tables.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace colibri {

namespace scalar {

namespace {

constexpr std::uint32_t attendBlock = 64;

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

constexpr KernelTable table{Isa::Scalar, matmul, matmulDouble, quantizeRow, copyRow, rmsNorm, rope, ropeNeighbours,
    swiglu, clampedSwiglu, addScaled, add, attend, storeKv, exponentials, allFinite};

} // namespace

} // namespace scalar

#if !defined(__x86_64__) || !defined(__FMA__)
extern const KernelTable scalarKernels = scalar::table;
#else
extern const KernelTable scalarFmaKernels = scalar::table;
#endif

} // namespace colibri
