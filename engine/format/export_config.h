// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/colibri_writer.h"

#include <string>
#include <vector>

namespace colibri {

/// A tensor as it was written.
struct WrittenTensor {
    TensorInfo info; ///< xxh64 is set; `file` is not used
    std::string file; ///< relative to the export's folder
};

/// The sizes of the router logits that go into the export; `file` means nothing. Empty: there are none.
std::optional<RouterLogits> logitSizes(const WriteRequest& request);

/// The text of config.json: one line for each key and each tensor.
std::string exportConfigText(const WriteRequest& request, const std::vector<WrittenTensor>& tensors);

} // namespace colibri
