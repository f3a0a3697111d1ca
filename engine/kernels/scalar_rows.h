// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernels.h"
#include "types/half.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

// kernels/ORDER.md in plain C++: rows of weights, the sixteen lanes, and the kernels of scalar_matmul.cpp; the other
// ones of the table are in kernels_scalar.cpp. Each set of flags that the scalar files are compiled for has all of this
// for itself.
namespace colibri::scalar {

inline constexpr std::uint32_t laneCount = 16;
inline constexpr float infinity = std::numeric_limits<float>::infinity();

/// Every float that leaves a kernel passes through here: the one NaN is 0x7fc00000.
inline float canonical(float value)
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
[[gnu::always_inline]] inline Real laneDot(std::uint32_t n, A a, B b)
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

// scalar_matmul.cpp: of KernelTable, the products with a matrix, what rounds their inputs, and its rows.
void matmul(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride);
void matmulDouble(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride);
void quantizeRow(QuantFormat format, const float* x, std::uint32_t n, const RoundedRow& out);
void copyRow(const Matrix& w, std::uint32_t row, float* out);

} // namespace colibri::scalar
