// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/kernels/samples.h"

#include <cmath>

/// Blocks of random bits, and what they mean, read bit by bit from the layouts of GGUF files.
namespace colibri::samples {

inline constexpr DType blockTypes[] = {DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1, DType::Q8_0, DType::IQ4_NL,
    DType::MXFP4, DType::Q2_K, DType::Q3_K, DType::Q4_K, DType::Q5_K, DType::Q6_K, DType::IQ4_XS};
inline constexpr DType numberTypes[] = {
    DType::F64, DType::F8_E4M3, DType::F8_E5M2, DType::I8, DType::I16, DType::I32, DType::I64};

/// The halves of a block: bytes from its start to its scale and, or -1, to its minimum.
struct HalvesOfBlock {
    int scale;
    int minimum;
};
HalvesOfBlock halvesOf(DType dtype);

/// w = scale * quant + offset, all exact.
struct ExactWeight {
    double scale = 0;
    int quant = 0;
    double offset = 0;
    double value() const { return scale * quant + offset; }
    double magnitude() const { return std::fabs(scale * quant) + std::fabs(offset); }
};

/// Rows of random bits behind `offset` bytes; Plain: with scales near 0.01, Special: any bits at all.
Weights blockWeights(DType dtype, std::uint32_t rows, std::uint32_t cols, unsigned seed, Kind kind = Kind::Plain,
    std::size_t offset = 0);

ExactWeight exactWeight(const Matrix& w, std::uint32_t row, std::uint32_t col);

} // namespace colibri::samples
