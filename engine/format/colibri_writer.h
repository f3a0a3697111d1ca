// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/model_source.h"
#include "format/router_table_plan.h"
#include "format/tensor_convert.h"
#include "types/dtype.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace colibri {

/// A tensor of the export and what it is made from.
struct PlannedTensor {
    TensorInfo
        from; ///< one of the source's tensors, or a part of one (then without xxh64). Matrices may be column_major
    std::string name; ///< in the export
    DType dtype = DType::F32; ///< in the export, row_major
    GatherFn gather = {}; ///< where the bytes of `from` do not lie together: brings its rows together. Else empty
};

/// The blob of one routed expert: its tensors in the order in which they are stored.
struct PlannedExpert {
    std::uint32_t layer = 0;
    std::uint32_t expert = 0;
    std::vector<PlannedTensor> tensors; ///< at least one
};

/// Everything an export consists of. The source's table, router logits, sanity entries and tokenizer.json, if it has
/// them, go along as they are; a table without sanity entries gets some.
struct WriteRequest {
    const ModelSource* source = nullptr; ///< outlives the call; its files are read
    std::string out; ///< folder to make; must not exist, its parent must
    JsonValue config; ///< object under Colibri's names: architecture, dimensions, "routing", ... Members that
                      ///< the writer states itself (writerKeys in colibri_layout.h) are left out
    std::vector<PlannedTensor> dense; ///< into dense.bin, in this order
    std::vector<PlannedExpert> experts;
    std::optional<RouterTablePlan> table; ///< in place of the source's table, router logits and sanity entries
    std::string tokenizerText; ///< tokenizer.json of a source without such a file; empty: none
    std::vector<std::pair<std::string, std::string>> options; ///< of this export, for "source"
    RowDecoder decode = nullptr; ///< for conversions of blocks, f8, f64 and integers; null: they are refused
    std::string toolVersion;
    std::int64_t time = 0; ///< of this export: seconds since 1970, UTC
};

struct WriteReport {
    std::uint64_t bytesWritten = 0; ///< all files
    std::uint32_t tensors = 0;
    std::uint32_t experts = 0; ///< blobs
};

/// Called with the number of bytes written since the last call. May be empty.
using ProgressFn = std::function<void(std::uint64_t bytes)>;

/// Bytes of an export, before it is written.
struct PlannedBytes {
    std::uint64_t written = 0; ///< all files but config.json: what the calls of a ProgressFn will add up to
    std::uint64_t config = 0; ///< config.json
};
Result<PlannedBytes> plannedBytes(const WriteRequest& request);

/// Writes a Colibri export of version 1: the folder appears whole or not at all, after it was read back and the
/// checksum of every tensor in it verified; a file system that says it has less room than it takes is refused first.
/// Verifies the checksums that the source has. Memory is bounded as convertTensor() says. int8 is symmetric, groups of
/// 32 along a row, scale = max|w| / 127, rounded to nearest even. The same dtype is copied byte for byte; a finite
/// value beyond the range of f16 or bf16, or a non-finite one for int8, is an error that names tensor, element and
/// value.
Result<WriteReport> writeColibriExport(const WriteRequest& request, const ProgressFn& progress, std::stop_token stop);

} // namespace colibri
