// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernels.h"

#include <cstdint>
#include <vector>

namespace colibri {

/// f32 values of a norm or a bias, in the mapping or in the model's copied memory; empty (null) where there is none.
struct Vector {
    const float* values = nullptr;
    std::uint32_t size = 0;
    explicit operator bool() const { return values != nullptr; }
};

/// One gated network (a routed or shared expert, or that of a dense layer), F its width; or `down` alone with an
/// optional bias when there is no gate.
struct ExpertWeights {
    Matrix gate; ///< [F][hiddenSize]
    Matrix up; ///< [F][hiddenSize]
    Matrix down; ///< [hiddenSize or outputSize][F or hiddenSize]
    Vector gateBias; ///< [F]
    Vector upBias; ///< [F]
    Vector downBias;
};

/// What one head does with the latent vector of MLA, R = latentRank.
struct LatentHead {
    Matrix key; ///< [R][headDim - ropeDim], takes the unrotated part of a query to where it meets latent vectors
    Matrix value; ///< [valueDim][R], takes a mixture of latent vectors to the head's output
};

/// One layer; a part that the architecture does not have has null data.
struct LayerWeights {
    Vector attentionNorm; ///< [hiddenSize]
    Matrix queryDown; ///< [queryRank][hiddenSize]
    Vector queryDownNorm; ///< [queryRank]
    Matrix query; ///< [numHeads * headDim][queryRank or hiddenSize]
    Matrix key; ///< [numKvHeads * headDim][hiddenSize]
    Matrix value; ///< [numKvHeads * valueDim][hiddenSize]
    Vector queryBias;
    Vector keyBias;
    Vector valueBias;
    Vector queryNorm; ///< [headDim], or of all heads together
    Vector keyNorm;
    Matrix latentDown; ///< [latentRank + ropeDim][hiddenSize]
    Vector latentNorm; ///< [latentRank]
    Matrix latentUp; ///< [numHeads * (headDim - ropeDim + valueDim)][latentRank], keys and values of a head in turn, or
    Matrix latentKeys; ///< [numHeads * latentRank][headDim - ropeDim] and
    Matrix latentValues; ///< [numHeads * valueDim][latentRank]
    std::vector<LatentHead> latentHeads; ///< [numHeads], parts of the above
    Vector sinks; ///< [numHeads]
    Matrix output; ///< [hiddenSize][numHeads * valueDim]
    Vector outputBias;
    Vector expertNorm; ///< [hiddenSize], in front of router and experts, or of the dense network
    Matrix router; ///< [numExperts][hiddenSize]
    Vector routerBias; ///< [numExperts], part of the logits
    Vector correction; ///< [numExperts], see RoutingRules::correctionBias
    std::vector<ExpertWeights> experts; ///< empty in a dense layer
    ExpertWeights shared; ///< every token takes it
    Matrix sharedGate; ///< [1][hiddenSize], its sigmoid weighs the shared network
    ExpertWeights dense;
};

/// All weights of a model, pointing into its mappings. Without an embedding every component of a token's input is its
/// id; without a head the last layer's output is the result.
struct Weights {
    Matrix embedding; ///< [vocabSize][hiddenSize]
    Vector finalNorm; ///< [hiddenSize]
    Matrix head; ///< [vocabSize][hiddenSize]
    std::vector<LayerWeights> layers;
};

} // namespace colibri
