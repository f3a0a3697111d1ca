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

/// Hands out a tensor as `to`, row_major: exactly tensorBytes(to, from.shape) bytes in blocks of up to 1 MiB. `bytes`
/// are the tensor's, `from.size` of them. Errors are those of `sink`, Cancelled, and OutOfRange for a value that `to`
/// cannot hold (they name the tensor and the element, not the file).
Result<void> convertTensor(
    const TensorInfo& from, std::span<const std::byte> bytes, DType to, const ByteSink& sink, std::stop_token stop);

/// Hands out `bytes` as they are in blocks of up to 1 MiB.
Result<void> passBytes(std::span<const std::byte> bytes, const ByteSink& sink, std::stop_token stop);

} // namespace colibri
