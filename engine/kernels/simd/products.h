// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/simd/tile.h"

#include <array>

// Products of row-major matrices in sixteen lanes.
namespace colibri::simd {

inline constexpr std::uint32_t blockFloats = 1u << 16; ///< inputs of a block of tokens
inline constexpr std::size_t groupBytes = 1u << 14; ///< weights of a group of rows

/// Tiles of 1, 2, ... tokens.
template <class S, class Real, DType D, std::uint32_t R, std::size_t... I>
constexpr auto tileTable(std::index_sequence<I...>)
{
    return std::array{dotTile<S, Real, D, R, I + 1>...};
}

/// Splits a product into tiles. A block of tokens stays in the second-level cache while all rows pass by; in it a group
/// of rows stays in the first-level cache while all tokens of the block pass by.
template <class S, class Real, DType D>
void rowProduct(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    constexpr bool wide = std::is_same_v<Real, double>;
    constexpr std::uint32_t R = wide ? S::tileRows / 2 : S::tileRows;
    constexpr std::uint32_t T = wide ? S::tileTokens / 3 * 2 : S::tileTokens;
    constexpr std::uint32_t single = wide ? S::vectorRows / 2 : S::vectorRows;
    constexpr auto tiles = tileTable<S, Real, D, R>(std::make_index_sequence<T>{});
    const std::size_t rowBytes = std::max(w.cols, 1u) * sizeof(Stored<D>);
    const auto rowGroup = static_cast<std::uint32_t>(std::max<std::size_t>(groupBytes / rowBytes / R, 1) * R);
    const std::uint32_t block = std::max(blockFloats / std::max(w.cols, 1u) / T, 1u) * T;

    if (x.count == 1) {
        forParts(rowBegin, rowEnd, single, [&](std::uint32_t r, std::uint32_t rows) {
            dotTile<S, Real, D, single, 1>(w, r, rows, x.values, x.stride, out, outStride);
        });
        return;
    }
    forParts(0, x.count, block, [&](std::uint32_t firstToken, std::uint32_t tokens) {
        forParts(rowBegin, rowEnd, rowGroup, [&](std::uint32_t firstRow, std::uint32_t groupRows) {
            forParts(firstToken, firstToken + tokens, T, [&](std::size_t t, std::uint32_t count) {
                forParts(firstRow, firstRow + groupRows, R, [&](std::uint32_t r, std::uint32_t rows) {
                    tiles[count - 1](w, r, rows, x.values + t * x.stride, x.stride, out + t * outStride, outStride);
                });
            });
        });
    });
}

} // namespace colibri::simd
