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

/// Reads the heads of the model's files and, when it can be run, opens it. Fails where no structure can be read: no
/// head of a file or no configuration is whole.
Result<Inspection> inspectModel(const std::string& path, const OpenOptions& options = {},
    OpenProgress* progress = nullptr, std::stop_token stop = {});

} // namespace colibri
