// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/routing_rules.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

using TokenId = std::uint32_t;

/// DeepSeek2 is what llama.cpp calls so: DeepSeek V2 and V3.
enum class Architecture : std::uint8_t { LinearMoe, Qwen3Moe, Mixtral, Qwen2Moe, Olmoe, DeepSeek2, GptOss };
std::string_view name(Architecture architecture); ///< canonical: "linear_moe", "qwen3_moe", "mixtral", ...

/// What a row of a static routing table stands for.
enum class TableIndex : std::uint8_t { Token, Position };
std::string_view name(TableIndex index);
std::optional<TableIndex> tableIndexNamed(std::string_view name);

/// Which components of a head a rotary position turns together: i and i + n / 2 ("halves", NEOX), or 2 i and 2 i + 1
/// ("neighbours", NORM).
enum class RopePairs : std::uint8_t { Halves, Neighbours };
std::string_view name(RopePairs pairs);

/// How an expert joins its gate and up products.
enum class Activation : std::uint8_t { Swiglu, ClampedSwiglu };
std::string_view name(Activation activation);

/// YaRN: rotary frequencies stretched by `factor`, the slow ones wholly, the fast ones not at all.
struct YarnRules {
    double factor = 1.0; ///< 1: none
    double originalContext = 0.0; ///< tokens the model was trained on before
    double betaFast = 32.0; ///< turns over originalContext from which on a frequency stays
    double betaSlow = 1.0; ///< turns up to which it is divided by the factor
    bool truncate = true; ///< the two limits are rounded outwards to whole dimensions
    double rotationScale = 1.0; ///< multiplies cosines and sines
};

/// Who said what a rule is.
enum class Origin : std::uint8_t { Config, FamilyDefault, Option, FileSize, Tensors };
std::string_view name(Origin origin);

/// One dimension or rule in words, with where it came from; `inspect` lists them.
struct RuleOrigin {
    std::string rule; ///< "routing.normalize", "num_experts"
    std::string value; ///< "true"
    Origin origin = Origin::Config;
    std::string key; ///< the configuration key it was read from; empty unless origin is Config
};

/// Dimensions and rules of a model, one struct for all architectures; what one does not have is 0 or empty.
struct ModelConfig {
    Architecture architecture = Architecture::LinearMoe;
    std::uint32_t vocabSize = 0; ///< rows of the embedding; 0: any token id (linear_moe)
    std::uint32_t hiddenSize = 0; ///< components of the residual stream
    std::uint32_t outputSize = 0; ///< components of an output row: vocabSize, or those of an expert without a head
    std::uint32_t numLayers = 0; ///< all of them; see moeLayers
    std::uint32_t denseLayers = 0; ///< the first ones have one dense network instead of router and experts
    std::uint32_t numHeads = 0;
    std::uint32_t numKvHeads = 0;
    std::uint32_t headDim = 0; ///< of queries and keys
    std::uint32_t valueDim = 0; ///< components of a head's value
    std::uint32_t queryRank = 0; ///< queries go through a normed vector of this size; 0: straight from the hidden one
    std::uint32_t latentRank =
        0; ///< MLA: keys and values come from a normed vector of this size, which is cached; 0: none
    std::uint32_t numExperts = 0; ///< of each MoE layer
    std::uint32_t numActiveExperts = 0; ///< k
    std::uint32_t expertFfnSize = 0; ///< 0: an expert is one matrix and perhaps a bias
    std::uint32_t sharedFfnSize = 0; ///< width of the network that every token of an MoE layer takes; 0: none
    std::uint32_t denseFfnSize = 0; ///< width of the network of a dense layer
    std::uint32_t slidingWindow = 0; ///< positions that a token of a windowed layer sees, itself among them; 0: all
    std::uint32_t windowPeriod = 1; ///< layers 0, p, 2 p, ... are the windowed ones
    std::uint32_t maxSeqLen = 0; ///< the model's context in tokens
    float rmsNormEps = 1e-6f;
    double ropeTheta = 10000.0;
    std::uint32_t ropeDim =
        0; ///< rotated components of a head, even: the first ones, with a latent vector the last ones
    RopePairs ropePairs = RopePairs::Halves;
    YarnRules yarn;
    float attentionFactor = 1.f; ///< multiplies query . key beside 1 / sqrt(headDim)
    Activation activation = Activation::Swiglu;
    float activationLimit = 0.f; ///< of ClampedSwiglu
    bool qkNorm = false;
    bool tiedEmbeddings = false;
    std::optional<TokenId> beginOfText;
    bool addBeginOfText = false; ///< tokenizing a text puts beginOfText in front
    std::vector<TokenId> endOfText; ///< a run stops after any of these
    std::string scaledBy; ///< what says that weights of f8 have scales; empty: nothing, a tensor of scales does
    std::uint32_t scaleBlockRows = 0; ///< of weights of f8 that share a scale; 0: the shapes of the scales say it
    std::uint32_t scaleBlockCols = 0;
    RoutingRules routing;
    TableIndex tableIndex = TableIndex::Token;
    std::vector<RuleOrigin> origins;
    std::vector<std::string> unusedKeys; ///< of the configuration that no rule reads, see ConfigKeys::unusedKeys
};

/// Outputs are logits of the next token, made by an output head; else they are what the experts gave.
inline bool hasHead(const ModelConfig& config)
{
    return config.numHeads != 0; // only families with attention have one
}
/// Components of what an expert gives.
inline std::uint32_t expertOutputSize(const ModelConfig& config)
{
    return hasHead(config) ? config.hiddenSize : config.outputSize;
}
/// Layers with a router and experts. Records, tables and maps count these, from 0.
inline std::uint32_t moeLayers(const ModelConfig& config)
{
    return config.numLayers - config.denseLayers;
}
/// The layer of the model that is the MoE layer of this index.
inline std::uint32_t layerOfMoe(const ModelConfig& config, std::uint32_t index)
{
    return config.denseLayers + index;
}
/// Components of a key and of a value in the KV cache. With a latent vector that vector is both, with the rotated part
/// of the key, which all heads share, behind it; numKvHeads is 1 then.
inline std::uint32_t cachedKeyDim(const ModelConfig& config)
{
    return config.latentRank ? config.latentRank + config.ropeDim : config.headDim;
}
inline std::uint32_t cachedValueDim(const ModelConfig& config)
{
    return config.latentRank ? 0 : config.valueDim;
}
/// Whether a layer of the model attends over its window only.
inline bool isWindowed(const ModelConfig& config, std::uint32_t layer)
{
    return config.slidingWindow && layer % config.windowPeriod == 0;
}

} // namespace colibri
