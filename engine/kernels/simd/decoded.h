// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/decode.h"
#include "kernels/simd/tile.h"

// Products of weights that are decoded to f32 first: a chunk of some rows is decoded once for many tokens, whose lanes
// wait in memory meanwhile. The lanes and their order are those of all other products.
namespace colibri::simd {

inline constexpr std::uint32_t decodedTokens = 32; ///< that share a decoded chunk

template <class Real, std::uint32_t R>
using Lanes = Real[R][laneCount];

/// Adds the products of a chunk of `n` columns to the lanes of R rows and T tokens.
template <class S, class Real, std::uint32_t R, std::uint32_t T>
[[gnu::flatten]] void addChunk(const float (&weights)[R][chunkElements], std::uint32_t n, const float* x,
    std::size_t stride, Lanes<Real, R>* lanes)
{
    constexpr std::uint32_t N = parts<S, Real>;
    TileSums<S, Real, R, T> sums;
    const auto forAll = [&](auto&& f) {
        unrolled<T>([&](auto t) {
            unrolled<R>(
                [&](auto r) { unrolled<N>([&](auto p) { f(sums.sum[t][r][p], &lanes[t][r][p * width<S, Real>]); }); });
        });
    };
    forAll([](Batch<S, Real>& sum, const Real* lane) { sum = Batch<S, Real>::load_unaligned(lane); });
    std::uint32_t c = 0;
    const auto weightsAt = [&](auto r) { return reinterpret_cast<const std::byte*>(&weights[r][c]); };
    const auto noScale = [](auto) { return 1.f; };
    for (; c + laneCount <= n; c += laneCount)
        sums.template add<DType::F32>(weightsAt, noScale, [&](auto t) { return x + t * stride + c; });
    if (c < n) { // the weights have zeros behind them
        float padded[T][laneCount] = {};
        unrolled<T>([&](auto t) { std::memcpy(padded[t], x + t * stride + c, (n - c) * sizeof(float)); });
        sums.template add<DType::F32>(weightsAt, noScale, [&](auto t) -> const float* { return padded[t]; });
    }
    forAll([](const Batch<S, Real>& sum, Real* lane) { sum.store_unaligned(lane); });
}

/// R rows times at most decodedTokens inputs, T at a time.
template <class S, class Real, std::uint32_t R, std::uint32_t T>
void decodedTile(const Matrix& w, std::uint32_t row, std::uint32_t rows, const float* x, std::uint32_t count,
    std::size_t stride, float* out, std::size_t outStride)
{
    const DecodeFn decode = decoderOf(w.dtype);
    alignas(64) Lanes<Real, R> lanes[T == 1 ? 1 : decodedTokens] = {};
    alignas(64) float weights[R][chunkElements] = {};
    for (std::size_t first = 0; first < w.cols; first += chunkElements) {
        const auto n = static_cast<std::uint32_t>(std::min<std::size_t>(chunkElements, w.cols - first));
        for (std::uint32_t r = 0; r < rows; ++r) {
            decode(rowOf(w.data, w.dtype, w.cols, row + r), first, n, weights[r]);
            std::fill(weights[r] + n, weights[r] + (n + laneCount - 1) / laneCount * laneCount, 0.f);
        }
        std::uint32_t t = 0;
        for (; t + T <= count; t += T)
            addChunk<S, Real, R, T>(weights, n, x + t * stride + first, stride, lanes + t);
        for (; t < count; ++t)
            addChunk<S, Real, R, 1>(weights, n, x + t * stride + first, stride, lanes + t);
    }
    for (std::uint32_t t = 0; t < count; ++t) {
        Batch<S, Real> sum[R][parts<S, Real>];
        unrolled<R>([&](auto r) {
            unrolled<parts<S, Real>>(
                [&](auto p) { sum[r][p] = Batch<S, Real>::load_unaligned(&lanes[t][r][p * width<S, Real>]); });
        });
        float results[(R + 3) / 4 * 4];
        foldRows<S, Real, R>(sum, results);
        std::memcpy(out + t * outStride + row, results, rows * sizeof(float));
    }
}

template <class S, class Real>
void decodedProduct(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    constexpr bool wide = std::is_same_v<Real, double>;
    constexpr std::uint32_t R = wide ? S::tileRows / 2 : S::tileRows;
    constexpr std::uint32_t T = wide ? S::tileTokens / 3 * 2 : S::tileTokens;
    constexpr std::uint32_t single = wide ? S::vectorRows / 2 : S::vectorRows;
    if (x.count == 1) {
        forParts(rowBegin, rowEnd, single, [&](std::uint32_t r, std::uint32_t rows) {
            decodedTile<S, Real, single, 1>(w, r, rows, x.values, 1, x.stride, out, outStride);
        });
        return;
    }
    forParts(0, x.count, decodedTokens, [&](std::size_t t, std::uint32_t count) {
        forParts(rowBegin, rowEnd, R, [&](std::uint32_t r, std::uint32_t rows) {
            decodedTile<S, Real, R, T>(
                w, r, rows, x.values + t * x.stride, count, x.stride, out + t * outStride, outStride);
        });
    });
}

} // namespace colibri::simd
