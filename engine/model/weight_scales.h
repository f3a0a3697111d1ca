// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/find_tensor.h"
#include "model/loaded_model.h"
#include "types/result.h"

namespace colibri {

/// What the weights of a matrix of f8 are multiplied by: f32 where they lie, or in the model's copied memory when they
/// are stored otherwise or unaligned. Null values: nothing.
struct WeightScales {
    const float* values = nullptr;
    ScaleGrid grid;
};

/// The scales of a found matrix. Three shapes are known, each behind the number of experts where those are stacked: one
/// scale ([] or [1]), one for each row ([rows] or [rows, 1]), and one for each block of the stored matrix,
/// [ceil(rows / blockRows), ceil(cols / blockCols)]. The last one, and only that, where the configuration states blocks
/// (ModelConfig::scaleBlockRows). f32, f16 or bf16, all finite. Fails, naming the tensor, where f8 that the
/// configuration says to be scaled has none, where a tensor has two, where a tensor of another type has one, where they
/// are of another shape, type or value, and where rows and columns of the matrix are stored in turn.
Result<WeightScales> bindScales(LoadedModel& model, const FoundTensor& found, std::uint32_t expert);

} // namespace colibri
