// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/simd/products.h"

// Everything that works on one row of values.
namespace colibri::simd {

template <class S>
void rmsNorm(const float* x, const float* weight, float eps, std::uint32_t n, float* out)
{
    const Matrix row{reinterpret_cast<const std::byte*>(x), nullptr, DType::F32, Layout::RowMajor, 1, n};
    float squares = 0.f;
    dotTile<S, float, DType::F32, 1, 1>(row, 0, 1, x, n, &squares, 1);
    const float factor = 1.f / std::sqrt(squares / static_cast<float>(n) + eps);
    forBatches<S>(n, [&](std::uint32_t i, std::uint32_t count) {
        const auto scaled = loadSome<S>(x + i, count) * typename S::Float(factor);
        storeSome<S>(out + i, count, scaled * loadSome<S>(weight + i, count));
    });
}

template <class S>
void rope(float* head, const float* cosine, const float* sine, std::uint32_t n)
{
    forBatches<S>(n / 2, [&](std::uint32_t i, std::uint32_t count) {
        const auto a = loadSome<S>(head + i, count);
        const auto b = loadSome<S>(head + n / 2 + i, count);
        const auto c = loadSome<S>(cosine + i, count);
        const auto s = loadSome<S>(sine + i, count);
        storeSome<S>(head + i, count, S::fmadd(a, c, S::negated(b * s)));
        storeSome<S>(head + n / 2 + i, count, S::fmadd(b, c, a * s));
    });
}

/// Neighbours are set apart, turned and put back.
template <class S>
void ropeNeighbours(float* head, const float* cosine, const float* sine, std::uint32_t n)
{
    forBatches<S>(n / 2, [&](std::uint32_t i, std::uint32_t count) {
        float even[width<S>];
        float odd[width<S>];
        for (std::uint32_t l = 0; l < count; ++l) {
            even[l] = head[2 * (i + l)];
            odd[l] = head[2 * (i + l) + 1];
        }
        const auto a = loadSome<S>(even, count);
        const auto b = loadSome<S>(odd, count);
        const auto c = loadSome<S>(cosine + i, count);
        const auto s = loadSome<S>(sine + i, count);
        storeSome<S>(even, count, S::fmadd(a, c, S::negated(b * s)));
        storeSome<S>(odd, count, S::fmadd(b, c, a * s));
        for (std::uint32_t l = 0; l < count; ++l) {
            head[2 * (i + l)] = even[l];
            head[2 * (i + l) + 1] = odd[l];
        }
    });
}

template <class S>
void swiglu(const float* gate, const float* up, std::uint32_t n, float* out)
{
    forBatches<S>(n, [&](std::uint32_t i, std::uint32_t count) {
        const auto g = loadSome<S>(gate + i, count);
        const auto silu = g / (typename S::Float(1.f) + exponential<S>(S::negated(g)));
        storeSome<S>(out + i, count, silu * loadSome<S>(up + i, count));
    });
}

template <class S>
void clampedSwiglu(const float* gate, const float* up, float limit, std::uint32_t n, float* out)
{
    using Float = typename S::Float;
    forBatches<S>(n, [&](std::uint32_t i, std::uint32_t count) {
        const auto g = S::smaller(loadSome<S>(gate + i, count), Float(limit));
        const auto u = S::larger(S::smaller(loadSome<S>(up + i, count), Float(limit)), Float(-limit));
        const auto gated = g / (Float(1.f) + exponential<S>(g * Float(-1.702f)));
        storeSome<S>(out + i, count, gated * (u + Float(1.f)));
    });
}

template <class S>
void addScaled(float* acc, const float* x, float weight, std::uint32_t n)
{
    forBatches<S>(n, [&](std::uint32_t i, std::uint32_t count) {
        const auto old = loadSome<S>(acc + i, count);
        storeSome<S>(acc + i, count, S::fmadd(loadSome<S>(x + i, count), typename S::Float(weight), old));
    });
}

template <class S>
void add(float* acc, const float* x, std::uint32_t n)
{
    forBatches<S>(n, [&](std::uint32_t i, std::uint32_t count) {
        storeSome<S>(acc + i, count, loadSome<S>(acc + i, count) + loadSome<S>(x + i, count));
    });
}

template <class S>
void storeKv(const float* x, std::uint32_t n, KvType kv, std::byte* out)
{
    forBatches<S>(n, [&](std::uint32_t i, std::uint32_t count) {
        const auto value = S::canonical(loadSome<S>(x + i, count));
        std::byte stored[width<S> * sizeof(float)];
        const bool wide = kv == KvType::F32;
        if (wide)
            value.store_unaligned(reinterpret_cast<float*>(stored));
        else
            S::storeHalf(stored, value);
        const std::size_t bytes = wide ? sizeof(float) : sizeof(std::uint16_t);
        std::memcpy(out + i * bytes, stored, count * bytes);
    });
}

template <class S>
void exponentials(const float* x, std::uint32_t n, float* out)
{
    forBatches<S>(n, [&](std::uint32_t i, std::uint32_t count) {
        storeSome<S>(out + i, count, exponential<S>(loadSome<S>(x + i, count)));
    });
}

template <class S>
bool allFinite(const float* x, std::size_t n)
{
    const typename S::Float limit(infinity);
    std::size_t i = 0;
    bool finite = true;
    for (; finite && n - i >= width<S>; i += width<S>)
        finite = S::allBelow(S::magnitude(S::Float::load_unaligned(x + i)), limit);
    return finite
        && S::allBelow(
            S::magnitude(loadSome<S>(x + i, static_cast<std::uint32_t>(std::min<std::size_t>(n - i, width<S>)))),
            limit);
}

} // namespace colibri::simd
