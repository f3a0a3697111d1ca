// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/model.h"

namespace colibri {

struct ExportOptions {
    std::optional<DType> dtype; ///< of matrices (embedding, projections, experts); empty: as in the source. Norms and
                                ///< routers stay f32 or as stored when smaller
};

/// Tensors of a type that an export of version 1 does not hold, and what they are stored as instead when they are not
/// converted to another one.
struct TypeChange {
    DType from = DType::F64;
    DType to = DType::F32;
    bool exact = false; ///< every value stays; else they are rounded to `to`, as the model computes with them
    std::vector<std::string> tensors; ///< as the source calls them
};

struct ExportReport {
    std::uint64_t bytesWritten = 0;
    std::uint32_t tensors = 0;
    std::uint32_t experts = 0; ///< blobs
    std::vector<TypeChange> changes; ///< empty: none
};

/// What of an export is of one type.
struct TypeShare {
    DType dtype = DType::F32;
    std::uint32_t tensors = 0;
    std::uint64_t weights = 0;
    std::uint64_t bytes = 0;
};

/// An export before it is written; bytes are exact.
struct ExportSize {
    std::uint64_t denseBytes = 0; ///< dense.bin
    std::uint64_t expertBytes = 0; ///< all blobs
    std::uint64_t totalBytes = 0; ///< all files: these, config.json, tokenizer and table
    std::uint32_t files = 0;
    std::uint64_t weights = 0; ///< elements of all tensors
    std::vector<TypeShare> types; ///< those that occur, most bytes first
    std::vector<TypeChange> changes;
};

/// What exportModel() will write with these options, by the same computation. Reads no weights. Blocking: a tokenizer
/// of a GGUF file is turned into its tokenizer.json for it.
Result<ExportSize> plannedExport(const Model& model, const ExportOptions& options);

/// Writes `model` as a Colibri export of version 1 to the folder `out`, which must not exist: the folder appears whole
/// or not at all. Types are kept byte for byte where the version holds them, so that the export gives the bits of its
/// source. Fails before it writes when the file system has less room than it takes. Bounded memory (some MiB; blocks of
/// rows). Blocking; `progress` (bytes) may be null.
Result<ExportReport> exportModel(const Model& model, const std::string& out, const ExportOptions& options,
    OpenProgress* progress = nullptr, std::stop_token stop = {});

} // namespace colibri
