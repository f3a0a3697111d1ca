// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/export.h"
#include "format/colibri_writer.h"
#include "model/loaded_model.h"

#include <vector>

namespace colibri {

/// Fills `dense` and `experts` of the request, every tensor that the model runs with, under its canonical name, and
/// sets its decoder. Reads no weights. What is scattered in the source is gathered by blocks of rows when it is
/// written. Gives the types that cannot be kept.
Result<std::vector<TypeChange>> planTensors(
    const LoadedModel& model, const ExportOptions& options, WriteRequest& request);

/// The sum of what the writer will write; without `changes`.
Result<ExportSize> sizeOf(const WriteRequest& request);

} // namespace colibri
