// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/model_source.h"

#include <cstdint>
#include <memory>
#include <string>

namespace colibri {

/// Where config.json names a file of the model, for error texts.
struct FileStatement {
    const std::string& config;
    std::uint64_t offset = 0;
    std::string field; ///< "tensors[3].file"
    std::string content; ///< what lies in the file: "3 tensors"
};

/// Maps a file of the source's folder and appends it to its files. Refuses names that are not plain relative ones and
/// links that lead out of the folder. A file that does not exist is NotFound, and stands among the files as absent.
Result<std::shared_ptr<const MappedFile>> addFileInside(
    ModelSource& source, const std::string& name, const FileStatement& at);

} // namespace colibri
