// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/export.h"
#include "format/colibri_writer.h"
#include "model/loaded_model.h"

namespace colibri {

/// Fills `dense` and `experts` of the request: every tensor that the model runs with, under its canonical name. Reads
/// no weights.
Result<void> planTensors(const LoadedModel& model, const ExportOptions& options, WriteRequest& request);

} // namespace colibri
