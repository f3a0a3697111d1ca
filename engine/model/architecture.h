// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/model_source.h"
#include "model/weights.h"
#include "types/model_config.h"
#include "types/result.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace colibri {

/// A dimension of a tensor, in terms of the configuration.
enum class Dim : std::uint8_t { Vocab, Hidden, Output, QueryRows, KvRows, HeadDim, Experts, ExpertFfn };
std::uint32_t extent(const ModelConfig& config, Dim dim);

/// What the export and the memory figures count a tensor as.
enum class TensorKind : std::uint8_t { Embedding, Attention, Norm, Router, Expert, Head };
std::string_view name(TensorKind kind);

/// Where a tensor's weights go: one place in Weights, in a layer or in an expert.
using Place = std::variant<Matrix Weights::*, Vector Weights::*, Matrix LayerWeights::*, Vector LayerWeights::*,
    Matrix ExpertWeights::*, Vector ExpertWeights::*>;

/// Names of one tensor elsewhere (GGUF, and as older files have it); empty ones are none.
using OtherNames = std::array<std::string_view, 2>;

/// One tensor of an architecture: its names, shape and place. "{layer}" and "{expert}" in a name stand for numbers; a
/// name without "{expert}" of an expert's slot is one tensor that stacks the experts of a layer, outermost.
struct TensorSlot {
    std::string_view name; ///< as Hugging Face and Colibri exports have it
    OtherNames otherNames;
    TensorKind kind;
    Place place;
    std::span<const Dim> shape; ///< outermost first
    bool required = true;
};

/// An architecture as data: what it is called, which configuration keys it needs and which tensors it has.
struct ArchitectureSpec {
    Architecture id;
    std::string_view huggingFaceType; ///< "model_type" of config.json; empty: none
    std::string_view ggufType; ///< "general.architecture" of GGUF, and the prefix of its keys; empty: none
    std::span<const std::string_view> required; ///< names of dimensions that the configuration has to state
    std::span<const TensorSlot> tensors;
    bool normalizeByDefault; ///< renormalization of weights where a config.json is silent
    bool normalizeInGguf; ///< the same where GGUF metadata are silent
};

std::span<const ArchitectureSpec> architectures();
const ArchitectureSpec& specOf(Architecture id);

bool isPerLayer(const TensorSlot& slot);
bool isPerExpert(const TensorSlot& slot);
/// A name with the numbers in place of "{layer}" and "{expert}".
std::string fillName(std::string_view name, std::uint32_t layer, std::uint32_t expert);
/// The slot's tensor name for a layer and an expert.
std::string tensorName(const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert);

/// Reads dimensions and routing rules of a source, each with its origin. Refuses by key and value what this engine does
/// not compute.
Result<ModelConfig> readConfig(const ModelSource& source);

} // namespace colibri
