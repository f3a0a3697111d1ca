// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/tensorpart.h"
#include "types/metadata_entry.h"
#include "types/model_config.h"
#include "types/result.h"
#include "types/tensor_info.h"
#include "types/text_rules.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace colibri {

/// What the window knows of an opened model: plain values, made once on the engine thread, immutable afterwards. Of one
/// that cannot be run it is what its files say: no id, no tokens, nothing mapped.
struct ModelFacts {
    std::string path; ///< as it was opened
    std::string format; ///< "gguf", "huggingface", "colibri", "raw"
    std::string architecture; ///< as the files name it where it cannot be run, empty when they do not; else our name
    std::optional<Error> refused; ///< why it can be looked at only; empty: it runs
    std::string id; ///< 16 hex digits
    bool understood = true; ///< `config` holds what the files say; else nothing
    ModelConfig config;
    std::uint64_t parameters = 0;
    std::uint64_t activeParameters = 0; ///< those that one token uses
    std::uint64_t mappedBytes = 0;
    std::uint64_t copiedBytes = 0;
    std::vector<FileInfo> files;
    std::vector<TensorInfo> tensors; ///< as the source lists them
    std::vector<TensorPart> parts; ///< of each tensor, as long as tensors
    std::vector<MetadataEntry> metadata; ///< all keys, in the order of the files
    std::vector<std::string> notes; ///< what was suspicious, one sentence each
    bool hasTable = false;
    bool hasRouter = false;
    bool hasTokenizer = false;
    std::vector<std::string> tokenBytes; ///< of each id; empty when there is no tokenizer
    std::vector<bool> specialToken; ///< of each id, as long as tokenBytes
    std::vector<bool> byteToken; ///< bytes by fallback, likewise; empty where the rules know none
    TextRules textRules;
};
/// Selections, runs and maps count MoE layers from 0, names of tensors count all. -1: none, or a layer without experts.
inline int moeIndexOf(const ModelFacts& model, int layer)
{
    const int dense = static_cast<int>(model.config.denseLayers);
    return layer < dense ? -1 : layer - dense;
}
inline int layerOfIndex(const ModelFacts& model, int moeIndex)
{
    return moeIndex < 0 ? -1 : moeIndex + static_cast<int>(model.config.denseLayers);
}

using ModelFactsPtr = std::shared_ptr<const ModelFacts>;

} // namespace colibri
