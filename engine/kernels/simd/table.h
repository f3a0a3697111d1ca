// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/simd/attend.h"
#include "kernels/simd/columns.h"
#include "kernels/simd/elementwise.h"
#include "kernels/simd/products.h"
#include "kernels/simd/quants.h"

// The kernel table of an instruction set; kernels/ORDER.md has the formulas.
namespace colibri::simd {

using Product = void (*)(const Matrix&, const Rows&, std::uint32_t, std::uint32_t, float*, std::size_t);

/// [row-major, column-major][dtype]
template <class S, class Real>
inline constexpr Product products[2][dtypeCount] = {
    {rowProduct<S, Real, DType::F32>, rowProduct<S, Real, DType::F16>, rowProduct<S, Real, DType::BF16>,
        rowProduct<S, Real, DType::Int8>},
    {columnProduct<S, Real, DType::F32>, columnProduct<S, Real, DType::F16>, columnProduct<S, Real, DType::BF16>,
        columnProduct<S, Real, DType::Int8>}};

template <class S>
void matmul(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    const int layout = w.layout == Layout::ColumnMajor;
    const Product product = w.dtype == DType::Int8 && x.quants ? (layout ? quantColumnProduct<S> : quantProduct<S>)
                                                               : products<S, float>[layout][static_cast<int>(w.dtype)];
    product(w, x, rowBegin, rowEnd, out, outStride);
}

template <class S>
void matmulDouble(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    products<S, double>[w.layout == Layout::ColumnMajor][static_cast<int>(w.dtype)](
        w, x, rowBegin, rowEnd, out, outStride);
}

template <class S>
void attend(const AttendArgs& args)
{
    (args.kv == KvType::F32 ? attendTyped<S, DType::F32> : attendTyped<S, DType::F16>)(args);
}

template <class S>
inline constexpr KernelTable table = {S::isa, matmul<S>, matmulDouble<S>, quantizeRow<S>, copyRow<S>, rmsNorm<S>,
    rope<S>, ropeNeighbours<S>, swiglu<S>, clampedSwiglu<S>, addScaled<S>, add<S>, attend<S>, storeKv<S>, exponentials<S>, allFinite<S>};

} // namespace colibri::simd
