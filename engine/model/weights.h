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

/// One routed expert: SwiGLU of three matrices, or `down` alone with an optional bias when there is no gate.
struct ExpertWeights {
    Matrix gate; ///< [expertFfnSize][hiddenSize]
    Matrix up; ///< [expertFfnSize][hiddenSize]
    Matrix down; ///< [hiddenSize or outputSize][expertFfnSize or hiddenSize]
    Vector downBias;
};

/// One layer; a part that the architecture does not have has null data.
struct LayerWeights {
    Vector attentionNorm; ///< [hiddenSize]
    Matrix query; ///< [numHeads * headDim][hiddenSize]
    Matrix key; ///< [numKvHeads * headDim][hiddenSize]
    Matrix value; ///< [numKvHeads * headDim][hiddenSize]
    Matrix output; ///< [hiddenSize][numHeads * headDim]
    Vector queryNorm; ///< [headDim]
    Vector keyNorm; ///< [headDim]
    Vector expertNorm; ///< [hiddenSize], in front of router and experts
    Matrix router; ///< [numExperts][hiddenSize]
    std::vector<ExpertWeights> experts;
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
