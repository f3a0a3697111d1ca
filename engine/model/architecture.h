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
enum class Dim : std::uint8_t {
    One,
    Vocab,
    Hidden,
    Output,
    Heads,
    QueryRows,
    KeyRows,
    ValueRows,
    AttendedRows,
    HeadDim,
    ValueDim,
    PlainDim, ///< of a head's key: what is not rotated
    QueryRank,
    LatentRank,
    LatentRows,
    LatentUpRows,
    Experts,
    ExpertFfn,
    SharedFfn,
    DenseFfn
};
std::uint32_t extent(const ModelConfig& config, Dim dim);

/// What the export and the memory figures count a tensor as.
enum class TensorKind : std::uint8_t { Embedding, Attention, Norm, Router, Expert, Head, Shared, Dense };
std::string_view name(TensorKind kind);

/// What a tensor is repeated over.
enum class Scope : std::uint8_t { Model, Layers, MoeLayers, DenseLayers, Experts };

/// A matrix of a layer's shared or dense network.
struct NetworkPlace {
    ExpertWeights LayerWeights::*network;
    Matrix ExpertWeights::*matrix;
};
/// Where a tensor's weights go: one place in Weights, in a layer or in an expert.
using Place = std::variant<Matrix Weights::*, Vector Weights::*, Matrix LayerWeights::*, Vector LayerWeights::*,
    Matrix ExpertWeights::*, Vector ExpertWeights::*, NetworkPlace>;

using Condition = bool (*)(const ModelConfig&);

/// What a slot takes of an expert's part of a folder's stacked tensor: all rows, the first or second half of them; or,
/// where the tensor is stored [in][out], all columns, the even or the odd ones. The last two have to be copied. MXFP4
/// blocks are stored [out][in] with their scales apart, so there columns are rows, and all have to be copied.
enum class Take : std::uint8_t { Rows, FirstRows, SecondRows, Columns, EvenColumns, OddColumns };
/// A folder's tensor of all experts of a layer, instead of one for each; an empty name: none.
struct StackedName {
    std::string_view name;
    Take take = Take::Rows;
};

/// One tensor of an architecture: its names, shape and place. "{layer}" and "{expert}" in a name stand for numbers; an
/// expert's name without "{expert}" is that of a tensor in which all experts' are stacked.
struct TensorSlot {
    std::string_view name; ///< in Hugging Face folders and in Colibri exports
    std::array<std::string_view, 2> ggufNames; ///< the first one there is taken
    TensorKind kind;
    Scope scope;
    Place place;
    std::span<const Dim> shape; ///< outermost first
    bool required = true;
    Condition present = nullptr; ///< the slot exists where this holds; null: everywhere
    StackedName stacked = {}; ///< in Hugging Face folders, where `name` is not there
    std::string_view otherName = {}; ///< likewise; empty: none
};

/// A key that may only have the value which the engine computes; absent and null mean that value.
struct FixedKey {
    std::string_view key;
    std::string_view only; ///< as text
};

/// What holds in a family where the configuration is silent.
struct FamilyDefaults {
    RoutingRules routing; ///< of a folder
    bool ggufNormalize = false; ///< llama.cpp's rule, where it is not stated
    double rmsNormEps = 1e-6;
    double ropeTheta = 10000.0;
    RopePairs folderPairs = RopePairs::Halves; ///< Hugging Face's weights
    RopePairs ggufPairs = RopePairs::Halves; ///< llama.cpp's, whose rows may be in another order
    Activation activation = Activation::Swiglu;
    float activationLimit = 0.f;
    std::uint32_t windowPeriod = 1;
};

/// An architecture as data: what it is called, which configuration keys it reads and which tensors it has. Two rows may
/// share an id and its tensors and differ in names and defaults.
struct ArchitectureSpec {
    Architecture id;
    std::string_view huggingFaceType; ///< "model_type" of config.json; empty: none
    std::string_view ggufName; ///< "general.architecture"; empty: none
    std::span<const std::string_view> required; ///< names of dimensions that the configuration has to state
    std::span<const std::string_view> optional; ///< names of those that it may state
    std::span<const FixedKey> fixed;
    std::span<const TensorSlot> tensors;
    FamilyDefaults defaults;
};

std::span<const ArchitectureSpec> architectures();
const ArchitectureSpec& specOf(Architecture id);

/// A name with its numbers.
std::string filledName(std::string_view pattern, std::uint32_t layer, std::uint32_t expert);
/// The slot's canonical tensor name for a layer and an expert.
std::string tensorName(const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert);

/// The layers of the model that a slot's tensors are of: [first, last).
struct LayerRange {
    std::uint32_t first = 0;
    std::uint32_t last = 1;
};
LayerRange layersOf(const TensorSlot& slot, const ModelConfig& config);
/// How many tensors of a layer the slot has.
std::uint32_t expertsOf(const TensorSlot& slot, const ModelConfig& config);

/// Reads dimensions and routing rules of a source, each with its origin. Refuses by key and value what this engine does
/// not compute.
Result<ModelConfig> readConfig(const ModelSource& source);

} // namespace colibri
