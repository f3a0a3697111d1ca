// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/simd/attend.h"
#include "kernels/simd/blockquants.h"
#include "kernels/simd/columns.h"
#include "kernels/simd/copies.h"
#include "kernels/simd/decoded.h"
#include "kernels/simd/elementwise.h"
#include "kernels/simd/products.h"
#include "kernels/simd/quants.h"
#include "kernels/simd/rounding.h"

// The kernel table of an instruction set; kernels/ORDER.md has the formulas.
namespace colibri::simd {

using Product = void (*)(const Matrix&, const Rows&, std::uint32_t, std::uint32_t, float*, std::size_t);

/// [row-major, column-major][dtype], of the types whose elements are loaded one by one
template <class S, class Real>
inline constexpr Product products[2][4] = {{rowProduct<S, Real, DType::F32>, rowProduct<S, Real, DType::F16>,
                                               rowProduct<S, Real, DType::BF16>, rowProduct<S, Real, DType::Int8>},
    {columnProduct<S, Real, DType::F32>, columnProduct<S, Real, DType::F16>, columnProduct<S, Real, DType::BF16>,
        columnProduct<S, Real, DType::Int8>}};

template <class S, class Real>
Product productOf(const Matrix& w)
{
    return decoderOf(w.dtype) ? decodedProduct<S, Real>
                              : products<S, Real>[w.layout == Layout::ColumnMajor][static_cast<std::size_t>(w.dtype)];
}

template <class... Blocks>
constexpr std::array<Product, dtypeCount> blockProductsOf(std::tuple<Blocks...>*)
{
    std::array<Product, dtypeCount> table{};
    ((table[static_cast<std::size_t>(Blocks::dtype)] = blockProduct<Blocks>), ...);
    return table;
}

/// With rounded inputs.
template <class S>
Product roundedProductOf(const Matrix& w)
{
    constexpr auto ofBlocks = blockProductsOf(static_cast<AllBlocks*>(nullptr));
    if (w.dtype == DType::Int8)
        return w.layout == Layout::ColumnMajor ? quantColumnProduct<S> : quantProduct<S>;
    return ofBlocks[static_cast<std::size_t>(w.dtype)];
}

template <class S>
void matmul(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    const auto format = quantFormatOf(w.dtype);
    const Product product = format && x.rounded(*format).quants ? roundedProductOf<S>(w) : productOf<S, float>(w);
    product(w, x, rowBegin, rowEnd, out, outStride);
}

template <class S>
void matmulDouble(
    const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out, std::size_t outStride)
{
    productOf<S, double>(w)(w, x, rowBegin, rowEnd, out, outStride);
}

template <class S>
void attend(const AttendArgs& args)
{
    (args.kv == KvType::F32 ? attendTyped<S, DType::F32> : attendTyped<S, DType::F16>)(args);
}

template <class S>
inline constexpr KernelTable table = {S::isa, matmul<S>, matmulDouble<S>, quantizeRow<S>, copyRow<S>, rmsNorm<S>,
    rope<S>, ropeNeighbours<S>, swiglu<S>, clampedSwiglu<S>, addScaled<S>, add<S>, attend<S>, storeKv<S>,
    exponentials<S>, allFinite<S>};

} // namespace colibri::simd
