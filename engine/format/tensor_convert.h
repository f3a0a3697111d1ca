// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"
#include "types/tensor_info.h"

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>

namespace colibri {

/// Takes bytes in ascending order.
using ByteSink = std::function<Result<void>(std::span<const std::byte>)>;

/// Weights [first, first + out.size()) of a row of a type that is none of exportDTypes, as f32. `row` is where the row
/// begins, `first` a multiple of 256.
using RowDecoder = void (*)(DType dtype, const std::byte* row, std::uint64_t first, std::span<float> out);

/// Brings rows [first, first + count) of a tensor together at `out`, side by side and row-major. A vector is one row.
using GatherFn = std::function<void(std::uint64_t first, std::uint64_t count, std::byte* out)>;

/// A tensor to hand out, and how to come by its rows.
struct ConvertInput {
    const TensorInfo& tensor;
    std::span<const std::byte> bytes; ///< all of it, tensor.size; not used where `gather` is there
    const GatherFn& gather; ///< of a tensor whose bytes lie apart; empty: none
    RowDecoder decode = nullptr; ///< null: types that need one are refused
};

/// Hands out a tensor as `to`, row_major: exactly tensorBytes(to, tensor.shape) bytes in blocks of up to 1 MiB. The
/// same type is handed out byte for byte. Memory: a few such blocks, or of a gathered or column_major tensor one row
/// when that is longer. Errors are those of `sink`, Cancelled, Unsupported for types that cannot be converted, and
/// OutOfRange for a value that `to` cannot hold (they name the tensor and the element, not the file).
Result<void> convertTensor(const ConvertInput& from, DType to, const ByteSink& sink, std::stop_token stop);

/// Hands out `bytes` as they are in blocks of up to 1 MiB.
Result<void> passBytes(std::span<const std::byte> bytes, const ByteSink& sink, std::stop_token stop);

} // namespace colibri
