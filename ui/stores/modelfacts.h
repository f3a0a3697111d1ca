// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/tensorpart.h"
#include "types/model_config.h"
#include "types/tensor_info.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace colibri {

/// What the window knows of an opened model: plain values, made once on the engine thread, immutable afterwards.
struct ModelFacts {
    std::string path; ///< as it was opened
    std::string format; ///< "huggingface", "colibri", "raw"
    std::string id; ///< 16 hex digits
    ModelConfig config;
    std::uint64_t parameters = 0;
    std::uint64_t activeParameters = 0; ///< those that one token uses
    std::uint64_t mappedBytes = 0;
    std::uint64_t copiedBytes = 0;
    std::vector<FileInfo> files;
    std::vector<TensorInfo> tensors; ///< as the source lists them
    std::vector<TensorPart> parts; ///< of each tensor, as long as tensors
    std::vector<std::string> notes; ///< what was suspicious, one sentence each
    bool hasTable = false;
    bool hasRouter = false;
    bool hasTokenizer = false;
    std::vector<std::string> tokenBytes; ///< of each id; empty when there is no tokenizer
    std::vector<bool> specialToken; ///< of each id, as long as tokenBytes
};
using ModelFactsPtr = std::shared_ptr<const ModelFacts>;

} // namespace colibri
