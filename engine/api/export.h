// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/model.h"

namespace colibri {

/// A static routing table for an export: for each MoE layer and token id the k experts that a run without a router
/// takes. Where routing depends on the token id alone (linear_moe), the table is exact: every id is routed once. A
/// source without a router keeps the table it has. Else the table is a profile of a text, read in stretches of the
/// context: of each id the experts that were chosen most often at its occurrences, which is the row that has most
/// experts in common with what the router chose; among equally frequent ones those with the smaller sum of ranks, then
/// the lower id. Ids that the text does not have take what the layer chose most often, by the same order.
struct RouterTableOptions {
    std::vector<TokenId> tokens; ///< what to profile over; unused where the table is exact. Empty: the built-in text,
                                 ///< which is refused with Unsupported when there is no tokenizer
    float nearTie = 1e-3f; ///< decisions with a smaller margin (RunRecord::margin and its unit) are counted
    EngineOptions engine; ///< how the profile is computed; routing is always live
    std::uint64_t sumBytes = std::uint64_t{128} << 20; ///< of the profile's sums; fewer take more passes over the text
};

struct ExportOptions {
    std::optional<DType> dtype; ///< of matrices (embedding, projections, experts); empty: as in the source. Norms and
                                ///< routers stay f32 or as stored when smaller
    std::optional<RouterTableOptions> routerTable = {}; ///< empty: a table of the source goes along as it is
};

/// How a routing table came about.
struct TableReport {
    bool exact = false; ///< routing depends on the token id (or position) alone and the table says how
    std::uint32_t rows = 0; ///< token ids
    std::uint32_t rowsSeen = 0; ///< ids that the text has; all of them when exact
    std::uint64_t decisions = 0; ///< occurrences x MoE layers
    std::uint64_t reproduced = 0; ///< decisions whose set of experts is the table's row
    std::uint64_t nearTies = 0; ///< decisions with a margin below `nearTie`
    float nearTie = 0.f;
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
    std::optional<TableReport> table; ///< when one was asked for
    std::vector<std::string> notes; ///< one sentence each
};

/// What of an export is of one type.
struct TypeShare {
    DType dtype = DType::F32;
    std::uint32_t tensors = 0;
    std::uint64_t weights = 0;
    std::uint64_t bytes = 0;
};

/// An export before it is written. Bytes are exact, but for the rows of a table still to be made that config.json
/// lists.
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
/// or not at all, after all of its checksums were verified. Types are kept byte for byte where the version holds them,
/// so that the export gives the bits of its source. Fails before it writes when the file system has less room than it
/// takes. Bounded memory (some MiB, blocks of rows; a profile is made in as many passes over the text as keep its sums
/// below 128 MiB). Blocking; `progress` may be null and counts bytes; a table that has to be computed first counts once
/// more as many bytes as the export has.
Result<ExportReport> exportModel(const Model& model, const std::string& out, const ExportOptions& options,
    OpenProgress* progress = nullptr, std::stop_token stop = {});

} // namespace colibri
