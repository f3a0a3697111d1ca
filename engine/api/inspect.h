// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/model.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace colibri {

/// What the files of a model hold, whether or not this program can run it. Files and tensors that are not there, or not
/// as a whole, are listed and marked: see FileInfo and TensorInfo.
struct Inspection {
    std::string path; ///< as it was given
    std::string format; ///< "huggingface", "colibri", "raw", "gguf"
    std::string architecture; ///< as the files name it; empty when they do not
    std::vector<FileInfo> files;
    std::vector<TensorInfo> tensors; ///< sorted by name
    std::vector<MetadataEntry> metadata;
    std::vector<std::string> notes; ///< what was suspicious or not understood, one sentence each
    std::optional<ModelConfig> config; ///< dimensions and rules, where they could be understood
    ModelPtr model; ///< null when it cannot be run
    std::optional<Error> refused; ///< then why
};

/// Reads the heads of the model's files and, when it can be run, opens it. What is missing or damaged of a file that
/// others name (a shard, a part of a split but the first, an expert's blob, a table) is listed, and so is a file of
/// weights that ends behind its head. Fails where no structure can be read: config.json, the index of shards, the
/// directory of an export, or the head of a single file or of a split's first part is not there or breaks its rules;
/// where two files contradict each other about the tensors they hold; and where the system refuses to read (Io).
Result<Inspection> inspectModel(const std::string& path, const OpenOptions& options = {},
    OpenProgress* progress = nullptr, std::stop_token stop = {});

} // namespace colibri
