// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/model.h"

namespace colibri {

struct ExportOptions {
    std::optional<DType> dtype; ///< of matrices (embedding, projections, experts); empty: as in the source. Norms and
                                ///< routers stay f32 or as stored when smaller
};

struct ExportReport {
    std::uint64_t bytesWritten = 0;
    std::uint32_t tensors = 0;
    std::uint32_t experts = 0; ///< blobs
};

/// Writes `model` as a Colibri export of version 1 to the folder `out`, which must not exist: the folder appears whole
/// or not at all. Bounded memory (one tensor row block at a time). Blocking; `progress` (bytes) may be null.
Result<ExportReport> exportModel(const Model& model, const std::string& out, const ExportOptions& options,
    OpenProgress* progress = nullptr, std::stop_token stop = {});

} // namespace colibri
