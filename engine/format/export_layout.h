// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/colibri_writer.h"

#include <string>
#include <utility>
#include <vector>

namespace colibri {

/// A file of weights of an export before it is written.
struct PlannedFile {
    std::string name; ///< relative to the folder
    std::uint64_t size = 0; ///< bytes
    std::vector<TensorInfo>
        tensors; ///< as they will lie there, in the order of the request; `file` is that of the list
};

/// Files of weights, those without tensors left out: dense.bin, then the blobs in the order of the request. The writer
/// writes to these places. Fails when a number does not fit in 64 bits, or a row is not whole blocks.
Result<std::vector<PlannedFile>> layoutOf(const WriteRequest& request);

/// Name and size of the files beside weights and config.json.
Result<std::vector<std::pair<std::string, std::uint64_t>>> otherFilesOf(const WriteRequest& request);

} // namespace colibri
