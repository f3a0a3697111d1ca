// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/simd/batches.h"

// A tile is R rows by T tokens of a row-major product; the lanes of its sums live in registers. Each dot keeps its own
// order, so tiles never change a bit.
namespace colibri::simd {

template <class S>
__m128 canonical4(__m128 v)
{
    const __m128 unordered = _mm_cmpunord_ps(v, v);
    return _mm_or_ps(_mm_andnot_ps(unordered, v), _mm_and_ps(unordered, _mm_castsi128_ps(_mm_set1_epi32(0x7fc00000))));
}

/// Folds the lanes of R dots into R floats.
template <class S, class Real, std::uint32_t R>
void foldRows(const Batch<S, Real> (&sum)[R][parts<S, Real>], float (&results)[(R + 3) / 4 * 4])
{
    if constexpr (std::is_same_v<Real, float>) {
        unrolled<(R + 3) / 4>([&](auto four) {
            const auto at = [&](std::uint32_t i) { return S::fold16(sum[std::min(4 * four + i, R - 1)]); };
            _mm_storeu_ps(results + 4 * four, canonical4<S>(fold4(at(0), at(1), at(2), at(3))));
        });
    } else {
        unrolled<R>([&](auto r) {
            const auto result = static_cast<float>(S::fold16(sum[r]));
            results[r] = result != result ? std::bit_cast<float>(0x7fc00000u) : result;
        });
    }
}

/// The same value, in a register: without this the compiler repeats a load for every use.
template <class V>
[[gnu::always_inline]] inline V once(V value)
{
    auto inRegister = value.data;
    asm("" : "+v"(inRegister));
    return V(inRegister);
}

/// The lanes of R times T dots.
template <class S, class Real, std::uint32_t R, std::uint32_t T>
struct TileSums {
    static constexpr std::uint32_t N = parts<S, Real>;
    Batch<S, Real> sum[T][R][N];

    [[gnu::always_inline]] TileSums()
    {
        unrolled<T>([&](auto t) {
            unrolled<R>([&](auto r) { unrolled<N>([&](auto p) { sum[t][r][p] = Batch<S, Real>(Real(0)); }); });
        });
    }
    /// Sixteen columns: weights(r), scale(r) and inputs(t) give where they start.
    template <DType D, class W, class Scale, class X>
    [[gnu::always_inline]] void add(W&& weights, Scale&& scale, X&& inputs)
    {
        unrolled<N>([&](auto p) {
            constexpr std::uint32_t at = p * width<S, Real>;
            Batch<S, Real> factor[R];
            unrolled<R>([&](auto r) {
                factor[r] = load<S, Real, D>(weights(r) + at * sizeof(Stored<D>), D == DType::Int8 ? scale(r) : 1.f);
            });
            unrolled<T>([&](auto t) {
                const Batch<S, Real> input = once(load<S, Real, DType::F32>(inputs(t) + at));
                unrolled<R>([&](auto r) { sum[t][r][p] = S::fmadd(factor[r], input, sum[t][r][p]); });
            });
        });
    }
};

/// `n` < 16 elements with zeros behind them. int8 is scaled here: zero times a scale need not be +0.
template <DType D>
void padWeights(const std::byte* from, std::size_t n, float scale, std::byte* out)
{
    if constexpr (D == DType::Int8) {
        float scaled[laneCount] = {};
        for (std::size_t i = 0; i < n; ++i)
            scaled[i] = static_cast<float>(static_cast<std::int8_t>(from[i])) * scale;
        std::memcpy(out, scaled, sizeof scaled);
    } else {
        std::memcpy(out, from, n * sizeof(Stored<D>));
    }
}

/// Rows row, row + 1, ... (`rows` of them, at most R) times T inputs at x, x + stride, ...
template <class S, class Real, DType D, std::uint32_t R, std::uint32_t T>
[[gnu::flatten]] void dotTile(const Matrix& w, std::uint32_t row, std::uint32_t rows, const float* x,
    std::size_t stride, float* out, std::size_t outStride)
{
    constexpr DType paddedType = D == DType::Int8 ? DType::F32 : D;
    const std::size_t groups = (w.cols + int8GroupSize - 1) / int8GroupSize;
    const std::byte* weights[R];
    const float* scales[R];
    unrolled<R>([&](auto r) { // missing rows repeat the last one; their results are not stored
        const std::size_t index = row + std::min<std::uint32_t>(r, rows - 1);
        weights[r] = w.data + index * w.cols * sizeof(Stored<D>);
        scales[r] = D == DType::Int8 ? w.scales + index * groups : nullptr;
    });
    TileSums<S, Real, R, T> sums;
    std::size_t c = 0;
    const auto weightsAt = [&](auto r) { return weights[r] + c * sizeof(Stored<D>); };
    const auto scaleAt = [&](auto r) { return scales[r][c / int8GroupSize]; };
    const auto inputsAt = [&](auto t) { return x + t * stride + c; };
    for (; c + laneCount <= w.cols; c += laneCount)
        sums.template add<D>(weightsAt, scaleAt, inputsAt);
    if (c < w.cols) {
        std::byte paddedWeights[R][laneCount * sizeof(Stored<paddedType>)] = {};
        float paddedInputs[T][laneCount] = {};
        unrolled<R>([&](auto r) {
            padWeights<D>(weightsAt(r), w.cols - c, D == DType::Int8 ? scaleAt(r) : 1.f, paddedWeights[r]);
        });
        unrolled<T>([&](auto t) { std::memcpy(paddedInputs[t], inputsAt(t), (w.cols - c) * sizeof(float)); });
        sums.template add<paddedType>([&](auto r) -> const std::byte* { return paddedWeights[r]; }, scaleAt,
            [&](auto t) -> const float* { return paddedInputs[t]; });
    }
    unrolled<T>([&](auto t) {
        float results[(R + 3) / 4 * 4];
        foldRows<S, Real, R>(sums.sum[t], results);
        std::memcpy(out + t * outStride + row, results, rows * sizeof(float));
    });
}

} // namespace colibri::simd
