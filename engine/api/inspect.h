// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/model.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace colibri {

/// What the files of a model hold, whether or not this program can run it.
struct Inspection {
    std::string path; ///< as it was given
    std::string format; ///< "huggingface", "colibri", "raw", "gguf"
    std::string architecture; ///< as the files name it; empty when they do not
    std::vector<FileInfo> files;
    std::vector<TensorInfo> tensors; ///< sorted by name
    std::vector<MetadataEntry> metadata;
    std::vector<std::string> notes; ///< what was suspicious or not understood, one sentence each
    ModelPtr model; ///< null when it cannot be run
    std::optional<Error> refused; ///< then why
};

/// Reads the heads of the model's files and, when it can be run, opens it. Fails where the files cannot be read.
Result<Inspection> inspectModel(const std::string& path, const OpenOptions& options = {},
    OpenProgress* progress = nullptr, std::stop_token stop = {});

} // namespace colibri
