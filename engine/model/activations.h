// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernels.h"

#include <array>
#include <span>

namespace colibri {

/// For each format of rounded inputs whether the weights of a model ask for it.
using FormatSet = std::array<bool, quantFormats.size()>; // [QuantFormat]

/// Rounded copies of rows in one format; empty unless planned.
struct RoundedBuffer {
    std::span<std::int8_t> quants; ///< [rows][width]
    std::span<float> scales; ///< [rows][ceil(width / groupSize)]
    std::span<std::int16_t> sums; ///< [rows][ceil(width / 16)], not for Groups32
};

/// Rows of activations with their rounded copies.
struct ActivationRows {
    std::span<float> values; ///< [rows][width]
    std::array<RoundedBuffer, quantFormats.size()> rounded; ///< [QuantFormat]
    std::uint32_t width = 0;
};

/// Rows [first, first + count) as the inputs of a product.
Rows inputRows(const ActivationRows& rows, std::uint32_t first, std::uint32_t count);
/// Rounds one row in every planned format.
void roundRow(const KernelTable& kernels, const ActivationRows& rows, std::size_t row);
/// Copies a row with its rounded copies between buffers of the same width and plan.
void copyRow(const ActivationRows& from, std::size_t row, const ActivationRows& to, std::size_t toRow);

} // namespace colibri
