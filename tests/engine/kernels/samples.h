// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernels.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Inputs for kernel tests: the same numbers for the same seed, in memory of exactly the needed size, so that the
/// address sanitizer sees every read past an end.
namespace colibri::samples {

/// Plain: about normal(0, 1). Special: mixed with zeros of both signs, subnormals, huge values, infinities and NaNs of
/// any payload. Tiny: products that underflow, where the sign of a zero sum depends on the order.
enum class Kind { Plain, Special, Tiny };

std::vector<float> floats(std::size_t n, unsigned seed, Kind kind = Kind::Plain);

/// A matrix that owns its elements.
struct Weights {
    std::vector<std::byte> bytes;
    std::vector<float> scales;
    Matrix matrix;

    float at(std::size_t row, std::size_t col) const; ///< widened, with its scale
    float scale(std::size_t row, std::size_t col) const;
};

/// They start `offset` elements into the bytes.
Weights weights(DType dtype, Layout layout, std::uint32_t rows, std::uint32_t cols, unsigned seed,
    Kind kind = Kind::Plain, std::size_t offset = 0);

/// A rounded copy of rows in one format.
struct Rounded {
    std::vector<std::int8_t> quants;
    std::vector<float> scales;
    std::vector<std::int16_t> sums;
};

/// Input rows that own their values and their quantized forms.
struct Inputs {
    std::vector<float> values;
    std::array<Rounded, quantFormats.size()> rounded;
    Rows rows;

    Rows quantized() const;
};

std::uint32_t groupsOf(QuantFormat format, std::uint32_t cols);
Inputs inputs(std::uint32_t count, std::uint32_t cols, unsigned seed, Kind kind = Kind::Plain);

/// Rows from `token` on.
Rows rowsFrom(const Rows& x, std::uint32_t token, std::uint32_t cols);

bool sameBits(const std::vector<float>& a, const std::vector<float>& b);

/// Index of the first value that is a NaN other than 0x7fc00000, or -1.
int wrongNan(const std::vector<float>& values);

} // namespace colibri::samples
