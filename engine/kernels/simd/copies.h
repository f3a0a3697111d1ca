// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/decode.h"
#include "kernels/simd/batches.h"

// Rows of a matrix as f32.
namespace colibri::simd {

template <class S, DType D>
void copyTyped(const Matrix& w, std::uint32_t row, float* out)
{
    const bool rowMajor = w.layout == Layout::RowMajor;
    const std::size_t groups = (w.cols + int8GroupSize - 1) / int8GroupSize;
    const std::byte* const first = w.data + sizeof(Stored<D>) * (rowMajor ? std::size_t{row} * w.cols : row);
    const std::size_t step = sizeof(Stored<D>) * (rowMajor ? 1 : w.rows);
    forBatches<S>(w.cols, [&](std::uint32_t c, std::uint32_t n) {
        Stored<D> gathered[width<S>] = {};
        for (std::uint32_t i = 0; i < n && !rowMajor; ++i)
            std::memcpy(gathered + i, first + (c + i) * step, sizeof(Stored<D>));
        const float scale = D == DType::Int8 ? w.scales[row * groups + c / int8GroupSize] : 1.f;
        storeSome<S>(
            out + c, n, rowMajor ? loadSome<S, D>(first + c * step, n, scale) : load<S, float, D>(gathered, scale));
    });
}

template <class S>
void copyRow(const Matrix& w, std::uint32_t row, float* out)
{
    constexpr void (*copies[])(const Matrix&, std::uint32_t, float*) = {
        copyTyped<S, DType::F32>, copyTyped<S, DType::F16>, copyTyped<S, DType::BF16>, copyTyped<S, DType::Int8>};
    const DecodeFn decode = decoderOf(w.dtype);
    if (!decode)
        return copies[static_cast<std::size_t>(w.dtype)](w, row, out);
    decodeRow(decode, rowOf(w.data, w.dtype, w.cols, row), w.cols, out);
    forBatches<S>(w.cols, [&](std::uint32_t c, std::uint32_t n) { storeSome<S>(out + c, n, loadSome<S>(out + c, n)); });
}

} // namespace colibri::simd
