// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/inspect.h"
#include "cli/shared_json.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace colibri::cli {

/// A number of the configuration under the name that users know from configuration files.
struct Dimension {
    const char* key;
    const char* label;
    std::uint32_t ModelConfig::*value;
};
inline constexpr Dimension inspectedDimensions[]{
    {"num_layers", "layers", &ModelConfig::numLayers},
    {"hidden_size", "hidden size", &ModelConfig::hiddenSize},
    {"num_heads", "attention heads", &ModelConfig::numHeads},
    {"num_kv_heads", "key-value heads", &ModelConfig::numKvHeads},
    {"head_dim", "head size", &ModelConfig::headDim},
    {"num_experts", "experts of a layer", &ModelConfig::numExperts},
    {"num_active_experts", "experts of a token", &ModelConfig::numActiveExperts},
    {"expert_ffn_size", "expert width", &ModelConfig::expertFfnSize},
    {"vocab_size", "vocabulary", &ModelConfig::vocabSize},
    {"output_size", "output values", &ModelConfig::outputSize},
    {"max_seq_len", "context", &ModelConfig::maxSeqLen},
};

/// The largest power of two that the tensor's place in its file is a multiple of, at most a page.
std::uint64_t alignmentOf(const TensorInfo& tensor);

/// Bytes of the tensors of each type, by its name.
std::map<std::string, std::uint64_t> bytesByType(std::span<const TensorInfo> tensors);

/// What `inspect --json` prints.
Json inspectJson(const Inspection& inspection);

} // namespace colibri::cli
