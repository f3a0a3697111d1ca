// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/simd/batches.h"

// Products of column-major matrices: sixteen rows side by side, so the lanes of a dot lie in different batches and the
// tree needs no shuffles.
namespace colibri::simd {

inline constexpr std::uint32_t columnRows = 16;

/// Rows row, row + 1, ... of column c as f32, int8 without scale; zeros behind the last of `rows`.
template <class S, DType D>
void widenColumn(const Matrix& w, std::size_t c, std::uint32_t row, std::uint32_t rows, float (&out)[columnRows])
{
    const std::byte* const first = w.data + (c * w.rows + row) * sizeof(Stored<D>);
    forBatches<S>(rows, [&](std::uint32_t i, std::uint32_t n) {
        loadSome<S, D>(first + i * sizeof(Stored<D>), n).store_unaligned(out + i);
    });
}

/// The scales of those rows in a group of columns.
inline void groupScales(
    const Matrix& w, std::size_t group, std::uint32_t row, std::uint32_t rows, float (&out)[columnRows])
{
    const std::size_t groups = (w.cols + int8GroupSize - 1) / int8GroupSize;
    for (std::uint32_t r = 0; r < rows; ++r)
        out[r] = w.scales[(row + r) * groups + group];
}

/// sum[r] = fma(factor[r], input, sum[r]).
template <class S, class Real>
void addColumn(const float (&factor)[columnRows], float input, Real (&sum)[columnRows])
{
    for (std::uint32_t r = 0; r < columnRows; r += width<S, Real>) {
        const auto product = load<S, Real, DType::F32>(factor + r);
        S::fmadd(product, Batch<S, Real>(Real(input)), Batch<S, Real>::load_unaligned(sum + r))
            .store_unaligned(sum + r);
    }
}

template <class Real>
void storeRows(const Real (&sum)[columnRows], std::uint32_t rows, float* out)
{
    for (std::uint32_t r = 0; r < rows; ++r) {
        const auto result = static_cast<float>(sum[r]);
        out[r] = result != result ? std::bit_cast<float>(0x7fc00000u) : result;
    }
}

template <class S, class Real, DType D>
void columnTile(const Matrix& w, std::uint32_t row, std::uint32_t rows, const float* x, float* out)
{
    Real lane[laneCount][columnRows] = {};
    float scales[columnRows] = {};
    float weights[columnRows] = {};
    for (std::uint32_t c = 0; c < w.cols; ++c) {
        widenColumn<S, D>(w, c, row, rows, weights);
        if constexpr (D == DType::Int8) {
            if (c % int8GroupSize == 0)
                groupScales(w, c / int8GroupSize, row, rows, scales);
            for (std::uint32_t r = 0; r < columnRows; ++r)
                weights[r] *= scales[r];
        }
        addColumn<S>(weights, x[c], lane[c % laneCount]);
    }
    constexpr float zeros[columnRows] = {};
    for (std::uint32_t l = w.cols % laneCount; l > 0 && l < laneCount; ++l)
        addColumn<S>(zeros, 0.f, lane[l]);
    for (std::uint32_t half = laneCount / 2; half > 0; half /= 2) {
        for (std::uint32_t l = 0; l < half; ++l) {
            for (std::uint32_t r = 0; r < columnRows; ++r)
                lane[l][r] += lane[l + half][r];
        }
    }
    storeRows(lane[0], rows, out);
}

/// The integer sums of a group are exact in f32 as well: all partial sums are below 2^24.
template <class S>
void quantColumnTile(
    const Matrix& w, std::uint32_t row, std::uint32_t rows, const std::int8_t* x, const float* xScales, float* out)
{
    float sum[columnRows] = {};
    float scales[columnRows] = {};
    float weights[columnRows] = {};
    for (std::uint32_t begin = 0, group = 0; begin < w.cols; begin += int8GroupSize, ++group) {
        float exact[columnRows] = {};
        for (std::uint32_t c = begin; c < begin + std::min(int8GroupSize, w.cols - begin); ++c) {
            widenColumn<S, DType::Int8>(w, c, row, rows, weights);
            addColumn<S>(weights, static_cast<float>(x[c]), exact);
        }
        groupScales(w, group, row, rows, scales);
        for (std::uint32_t r = 0; r < columnRows; r += width<S>) {
            const auto scale = S::Float::load_unaligned(scales + r) * typename S::Float(xScales[group]);
            S::fmadd(S::Float::load_unaligned(exact + r), scale, S::Float::load_unaligned(sum + r))
                .store_unaligned(sum + r);
        }
    }
    storeRows(sum, rows, out);
}

/// tile(first row, rows, token) for tiles of at most sixteen rows of a product.
template <class Tile>
void forColumnTiles(std::uint32_t count, std::uint32_t rowBegin, std::uint32_t rowEnd, Tile&& tile)
{
    forParts(rowBegin, rowEnd, columnRows, [&](std::uint32_t r, std::uint32_t rows) {
        for (std::size_t t = 0; t < count; ++t)
            tile(r, rows, t);
    });
}

template <class S, class Real, DType D>
void columnProduct(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    forColumnTiles(x.count, rowBegin, rowEnd, [&](std::uint32_t row, std::uint32_t rows, std::size_t t) {
        columnTile<S, Real, D>(w, row, rows, x.values + t * x.stride, out + t * outStride + row);
    });
}

template <class S>
void quantColumnProduct(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    const std::size_t groups = (w.cols + int8GroupSize - 1) / int8GroupSize;
    const RoundedRows& inputs = x.rounded(QuantFormat::Groups32);
    forColumnTiles(x.count, rowBegin, rowEnd, [&](std::uint32_t row, std::uint32_t rows, std::size_t t) {
        quantColumnTile<S>(
            w, row, rows, inputs.quants + t * x.stride, inputs.scales + t * groups, out + t * outStride + row);
    });
}

} // namespace colibri::simd
