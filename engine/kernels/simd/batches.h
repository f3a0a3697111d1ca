// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/exp32.h"
#include "kernels/kernels.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

// Parts that all kernels share. S is an instruction set (avx2.h, avx512.h).
namespace colibri::simd {

inline constexpr std::uint32_t laneCount = 16;
inline constexpr float infinity = std::numeric_limits<float>::infinity();

template <class S, class Real>
using Batch = std::conditional_t<std::is_same_v<Real, float>, typename S::Float, typename S::Double>;
/// Elements of a batch, and batches of sixteen lanes.
template <class S, class Real = float>
inline constexpr std::uint32_t width = static_cast<std::uint32_t>(Batch<S, Real>::size);
template <class S, class Real>
inline constexpr std::uint32_t parts = laneCount / width<S, Real>;

/// f(0), f(1), ... f(N - 1) with constants, so that arrays indexed by them live in registers.
template <std::uint32_t N, class F>
[[gnu::always_inline]] inline void unrolled(F&& f)
{
    [&]<std::uint32_t... I>(std::integer_sequence<std::uint32_t, I...>) __attribute__((always_inline))
    {
        (f(std::integral_constant<std::uint32_t, I>{}), ...);
    }
    (std::make_integer_sequence<std::uint32_t, N>{});
}

/// A batch of weights or inputs as Real. `scale` is looked at for int8 only.
template <class S, class Real, DType D>
Batch<S, Real> load(const void* p, float scale = 1.f)
{
    if constexpr (std::is_same_v<Real, float>)
        return S::template widen<D>(p, scale);
    else
        return S::template widenDouble<D>(p, scale);
}

/// `n` values, zeros behind them. Reads nothing past them.
template <class S, DType D = DType::F32>
typename S::Float loadSome(const void* p, std::uint32_t n, float scale = 1.f)
{
    if (n >= width<S>)
        return load<S, float, D>(p, scale);
    Stored<D> padded[width<S>] = {};
    std::memcpy(padded, p, n * sizeof(Stored<D>));
    return load<S, float, D>(padded, scale);
}

/// Stores the first `n` values, the one NaN for every NaN.
template <class S>
void storeSome(float* out, std::uint32_t n, typename S::Float value)
{
    value = S::canonical(value);
    if (n >= width<S>)
        return value.store_unaligned(out);
    float padded[width<S>];
    value.store_unaligned(padded);
    std::memcpy(out, padded, n * sizeof(float));
}

/// f(first index, count) for consecutive batches of n values; only the last count can be below the width.
template <class S, class F>
[[gnu::always_inline]] inline void forBatches(std::uint32_t n, F&& f)
{
    std::uint32_t i = 0;
    for (; n - i >= width<S>; i += width<S>)
        f(i, width<S>);
    if (i < n)
        f(i, n - i);
}

/// f(first index, count) for parts of [begin, end) of at most `step`.
template <class F>
[[gnu::always_inline]] inline void forParts(std::uint32_t begin, std::uint32_t end, std::uint32_t step, F&& f)
{
    for (std::uint32_t i = begin; i < end; i += std::min(step, end - i))
        f(i, std::min(step, end - i));
}

/// exp32::exponential, lane by lane.
template <class S>
typename S::Float exponential(typename S::Float x)
{
    using namespace exp32;
    using Float = typename S::Float;
    x = S::smaller(S::larger(x, Float(lowest)), Float(highest));
    const Float rounded = S::fmadd(x, Float(log2e), Float(rounder));
    const Float n = rounded - Float(rounder);
    const Float r = S::fmadd(n, Float(-ln2Low), S::fmadd(n, Float(-ln2High), x));
    Float p(coefficients[0]);
    unrolled<std::size(coefficients) - 1>([&](auto i) { p = S::fmadd(p, r, Float(coefficients[i + 1])); });
    Float first;
    Float second;
    S::powersOfTwo(rounded, Float(rounder), first, second);
    return p * first * second;
}

} // namespace colibri::simd
