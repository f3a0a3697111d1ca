// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/simd/products.h"

// Attention of one head. Scores are products of the cached keys, as of a matrix with a row for each position.
namespace colibri::simd {

inline constexpr std::uint32_t attendBlock = 64;

/// Turns scores into exp(scale * score - largest) and returns their sum in blocks, the sink's share last.
template <class S>
float weighPositions(float* scores, std::uint32_t positions, float scale, const float* sink)
{
    using Float = typename S::Float;
    Float maxima(-infinity);
    forBatches<S>(positions, [&](std::uint32_t i, std::uint32_t n) {
        const Float score = loadSome<S>(scores + i, n) * Float(scale);
        storeSome<S>(scores + i, n, score);
        if (n == width<S>)
            maxima = S::larger(maxima, score);
    });
    float each[width<S>];
    maxima.store_unaligned(each);
    float largest = sink && *sink > -infinity ? *sink : -infinity;
    for (const float value : each)
        largest = value > largest ? value : largest;
    for (std::uint32_t j = positions / width<S> * width<S>; j < positions; ++j)
        largest = scores[j] > largest ? scores[j] : largest;
    forBatches<S>(positions, [&](std::uint32_t i, std::uint32_t n) {
        storeSome<S>(scores + i, n, exponential<S>(loadSome<S>(scores + i, n) - Float(largest)));
    });
    float sum = 0.f;
    for (std::uint32_t begin = 0; begin < positions; begin += attendBlock) {
        float partial = 0.f;
        for (std::uint32_t j = begin; j < begin + std::min(attendBlock, positions - begin); ++j)
            partial += scores[j];
        sum += partial;
    }
    if (!sink)
        return sum;
    exponential<S>(Float(*sink - largest)).store_unaligned(each);
    return sum + each[0];
}

/// N batches of components from `first` on, the last of them `count` components wide.
template <class S, DType D, std::uint32_t N>
[[gnu::flatten]] void mixValues(const AttendArgs& args, std::uint32_t first, std::uint32_t count, float sum)
{
    using Float = typename S::Float;
    const std::size_t stride = args.valueStride * sizeof(Stored<D>);
    Float total[N];
    unrolled<N>([&](auto i) { total[i] = Float(0.f); });
    for (std::uint32_t begin = 0; begin < args.positions; begin += attendBlock) {
        const std::uint32_t end = begin + std::min(attendBlock, args.positions - begin);
        Float partial[N];
        unrolled<N>([&](auto i) { partial[i] = Float(0.f); });
        for (std::uint32_t j = begin; j < end; ++j) {
            const std::byte* const value = args.values + j * stride + first * sizeof(Stored<D>);
            const Float p(args.scores[j]);
            unrolled<N>([&](auto i) {
                const std::byte* const at = value + i * width<S> * sizeof(Stored<D>);
                const Float v = N == 1 ? loadSome<S, D>(at, count) : load<S, float, D>(at);
                partial[i] = S::fmadd(p, v, partial[i]);
            });
        }
        unrolled<N>([&](auto i) { total[i] = total[i] + partial[i]; });
    }
    unrolled<N>([&](auto i) {
        storeSome<S>(args.out + first + i * width<S>, N == 1 ? count : width<S>, total[i] / Float(sum));
    });
}

template <class S, DType D>
void attendTyped(const AttendArgs& args)
{
    constexpr std::uint32_t batches = 8;
    const Matrix keys{args.keys, nullptr, D, Layout::RowMajor, args.positions, args.headDim};
    const Rows query{args.query, {}, 1, args.headDim};
    rowProduct<S, float, D>(keys, query, 0, args.positions, args.scores, args.positions);
    const float sum = weighPositions<S>(args.scores, args.positions, args.scale, args.sink);
    std::uint32_t d = 0;
    for (; args.valueDim - d >= batches * width<S>; d += batches * width<S>)
        mixValues<S, D, batches>(args, d, width<S>, sum);
    for (; d < args.valueDim; d += std::min(width<S>, args.valueDim - d))
        mixValues<S, D, 1>(args, d, std::min(width<S>, args.valueDim - d), sum);
}

} // namespace colibri::simd
