// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/inspect.h"
#include "cli/shared_json.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace colibri::cli {

/// A number of the configuration, with its key in the config.json of exports.
struct Dimension {
    const char* key;
    const char* label;
    std::uint32_t ModelConfig::*value;
};
inline constexpr Dimension inspectedDimensions[]{
    {"num_layers", "layers", &ModelConfig::numLayers},
    {"dense_layers", "of that dense", &ModelConfig::denseLayers},
    {"hidden_size", "hidden size", &ModelConfig::hiddenSize},
    {"num_attention_heads", "attention heads", &ModelConfig::numHeads},
    {"num_key_value_heads", "key-value heads", &ModelConfig::numKvHeads},
    {"head_dim", "head size", &ModelConfig::headDim},
    {"value_head_dim", "value size of a head", &ModelConfig::valueDim},
    {"rope_dim", "rotated of a head", &ModelConfig::ropeDim},
    {"q_lora_rank", "query rank", &ModelConfig::queryRank},
    {"kv_lora_rank", "key-value rank", &ModelConfig::latentRank},
    {"sliding_window", "sliding window", &ModelConfig::slidingWindow},
    {"num_experts", "experts of a layer", &ModelConfig::numExperts},
    {"num_active_experts", "experts of a token", &ModelConfig::numActiveExperts},
    {"moe_intermediate_size", "expert width", &ModelConfig::expertFfnSize},
    {"shared_ffn_size", "shared expert width", &ModelConfig::sharedFfnSize},
    {"intermediate_size", "dense layer width", &ModelConfig::denseFfnSize},
    {"vocab_size", "vocabulary", &ModelConfig::vocabSize},
    {"output_size", "output values", &ModelConfig::outputSize},
    {"max_seq_len", "context", &ModelConfig::maxSeqLen},
};

/// The name of the architecture: the one that exports have, where this program knows it, else the files' own.
std::string architectureName(const Inspection& inspection);

/// Bytes of the tensors of each type, by its name.
std::map<std::string, std::uint64_t> bytesByType(std::span<const TensorInfo> tensors);

/// Bytes of tensors that are not there.
std::uint64_t missingBytes(std::span<const TensorInfo> tensors);

/// What `inspect --json` prints.
Json inspectJson(const Inspection& inspection);

} // namespace colibri::cli
