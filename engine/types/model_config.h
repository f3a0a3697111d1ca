// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

using TokenId = std::uint32_t;

enum class Architecture : std::uint8_t { LinearMoe, Qwen3Moe };
std::string_view name(Architecture architecture); ///< canonical: "linear_moe", "qwen3_moe"

/// How router logits become scores.
enum class Scoring : std::uint8_t { Softmax };
std::string_view name(Scoring scoring);

/// Whether scores are formed over all experts before the choice, or over the chosen ones after it.
enum class ScoreOrder : std::uint8_t { ScoreThenSelect, SelectThenScore };
std::string_view name(ScoreOrder order); ///< "score_then_select", "select_then_score"

/// What a row of a static routing table stands for.
enum class TableIndex : std::uint8_t { Token, Position };
std::string_view name(TableIndex index);
std::optional<TableIndex> tableIndexNamed(std::string_view name);

/// Who said what a rule is.
enum class Origin : std::uint8_t { Config, FamilyDefault, Option, FileSize };
std::string_view name(Origin origin);

/// One dimension or rule in words, with where it came from; `inspect` lists them.
struct RuleOrigin {
    std::string rule; ///< "routing.normalize", "num_experts"
    std::string value; ///< "true"
    Origin origin = Origin::Config;
    std::string key; ///< the configuration key it was read from; empty unless origin is Config
};

struct RoutingRules {
    Scoring scoring = Scoring::Softmax;
    ScoreOrder order = ScoreOrder::ScoreThenSelect;
    bool normalize = false; ///< divide the chosen weights by their sum
    float weightSumFloor = 0.f; ///< the sum is at least this before dividing
    float scale = 1.f; ///< multiplies the final weights
};

/// Dimensions and rules of a model, one struct for all architectures; what one does not have is 0 or empty.
struct ModelConfig {
    Architecture architecture = Architecture::LinearMoe;
    std::uint32_t vocabSize = 0; ///< rows of the embedding; 0: any token id (linear_moe)
    std::uint32_t hiddenSize = 0; ///< components of the residual stream
    std::uint32_t outputSize = 0; ///< components of an output row: vocabSize, or the experts' outputs without a head
    std::uint32_t numLayers = 0; ///< all of them are MoE layers
    std::uint32_t numHeads = 0;
    std::uint32_t numKvHeads = 0;
    std::uint32_t headDim = 0;
    std::uint32_t numExperts = 0; ///< of each layer
    std::uint32_t numActiveExperts = 0; ///< k
    std::uint32_t expertFfnSize = 0; ///< 0: an expert is one matrix and perhaps a bias
    std::uint32_t maxSeqLen = 0; ///< the model's context in tokens
    float rmsNormEps = 1e-6f;
    double ropeTheta = 10000.0;
    bool qkNorm = false;
    bool tiedEmbeddings = false;
    std::optional<TokenId> beginOfText;
    bool addBeginOfText = false; ///< tokenizing a text puts beginOfText in front
    std::vector<TokenId> endOfText; ///< a run stops after any of these
    RoutingRules routing;
    TableIndex tableIndex = TableIndex::Token;
    std::vector<RuleOrigin> origins;
};

} // namespace colibri
