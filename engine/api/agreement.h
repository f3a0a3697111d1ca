// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/model.h"

namespace colibri {

/// The first place where two models chose different sets of experts.
struct RoutingDifference {
    std::uint32_t position = 0; ///< into the tokens compared
    std::uint32_t layer = 0; ///< MoE layer
    float margin = 0.f; ///< of the source, see RunRecord::margin
};

/// How far a copy computes what its source computes. Layers are MoE layers, differences are absolute.
struct Agreement {
    std::uint32_t tokens = 0; ///< that both models read
    std::uint32_t window = 0; ///< of them read together, each window from position 0
    std::uint64_t decisions = 0; ///< tokens x MoE layers
    std::uint64_t sameExperts = 0; ///< decisions with the same set of experts
    std::optional<RoutingDifference> firstDifference; ///< by position, then layer; empty: none
    float maxRouterLogitDifference = 0.f; ///< 0 without routers
    float maxLogitDifference = 0.f; ///< over all output values
    double rmsLogitDifference = 0.0;
    double logitNmse = 0.0; ///< sum of squared differences over the sum of the source's squares
    std::uint32_t sameGreedy = 0; ///< tokens after which the largest output is the same one, the lower id among equals
    double sourceLoss = 0.0; ///< mean -log p of the next token, natural; NaN without an output head or a second token
    double exportLoss = 0.0;
};

/// Reads the same tokens with both models and compares. Windows are as long as the context (of `options`) and 64 MiB of
/// outputs allow. Fails with Mismatch when the models differ in layers, experts or outputs, and as Session::evaluate
/// does. Blocking; `progress` may be null and counts tokens, each for both models. Stopping gives Errc::Cancelled.
Result<Agreement> compareModels(const ModelPtr& source, const ModelPtr& copy, std::span<const TokenId> tokens,
    const EngineOptions& options, OpenProgress* progress = nullptr, std::stop_token stop = {});

/// Tokens to compare or profile with when nobody gave any, at most `limit`: the beginning of a neutral built-in text
/// of some hundred tokens; without a tokenizer pseudo-random ids, the same for the same model.
std::vector<TokenId> defaultTokens(const Model& model, std::uint32_t limit);

} // namespace colibri
