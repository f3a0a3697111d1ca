// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/model_source.h"
#include "model/architecture.h"

#include <cstdint>
#include <optional>

namespace colibri {

/// The tensor of a slot. One that holds all experts of a layer (a slot's name without "{expert}") is cut: `tensor` then
/// is the expert's part of `stored`.
struct FoundTensor {
    const TensorInfo* stored = nullptr; ///< in the source's directory
    TensorInfo tensor;
    bool stacked = false;
};

/// Looks for the slot's tensor of a layer and an expert under all names that the slot has. Empty: there is none.
std::optional<FoundTensor> findTensor(
    const ModelSource& source, const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert);

/// Part `index` of the outermost dimension: its shape without that dimension, its own bytes. Of row-major tensors whose
/// scales lie inside of their blocks (not int8); index < shape[0].
TensorInfo partOf(const TensorInfo& tensor, std::uint64_t index);

} // namespace colibri
