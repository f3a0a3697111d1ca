// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/dtype.h"

#include <cstdint>
#include <functional>
#include <string>

namespace colibri::test {

/// A Qwen3-MoE model of random weights. The sizes are no multiples of sixteen or thirty-two, so that every kernel meets
/// its tails.
struct GeneratedShape {
    std::uint32_t vocab = 101;
    std::uint32_t hidden = 70;
    std::uint32_t layers = 3;
    std::uint32_t heads = 6;
    std::uint32_t kvHeads = 2;
    std::uint32_t headDim = 18;
    std::uint32_t experts = 7;
    std::uint32_t active = 3;
    std::uint32_t ffn = 45;
    std::uint32_t context = 256;
    DType dtype = DType::F16; ///< F16 or F32
    std::uint64_t seed = 1;
};

/// Changes an element before it is stored.
using Plant = std::function<float(const std::string& tensor, std::uint64_t element, float value)>;

/// Writes a Hugging Face folder (config.json, model.safetensors, no tokenizer) to `folder`, which exists. False when
/// the disk refuses.
bool writeHuggingFaceModel(const std::string& folder, const GeneratedShape& shape, const Plant& plant = {});

/// Writes `text` as a file.
bool writeFile(const std::string& path, const std::string& text);

} // namespace colibri::test
