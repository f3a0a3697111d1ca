// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/modelfacts.h"

#include <cstdint>
#include <memory>

namespace colibri::test {

/// What a made-up model of the Qwen3 family has.
struct ModelShape {
    std::uint32_t layers = 4;
    std::uint32_t experts = 8;
    std::uint32_t hidden = 64;
    std::uint32_t ffn = 32;
    std::uint32_t vocabulary = 256;
};

/// A model without files: embedding, head and norms in f16, attention and routers in f32 and each expert as int8 in a
/// file of its own, with rules and dimensions as they are read of a Colibri export. Offsets are exact: tensors follow
/// each other at multiples of 64 bytes, experts begin at 64.
std::shared_ptr<ModelFacts> makeModel(const ModelShape& shape);

/// Adds a tensor by hand to the file `file`; parts have to be made again.
void addTensor(
    ModelFacts& model, const std::string& name, std::uint32_t file, DType dtype, std::vector<std::uint64_t> shape);

/// `count` tensors with names, places and sizes drawn from a fixed seed: numbers of any length in names, ties
/// everywhere, names that are none.
ModelFactsPtr randomModel(std::uint32_t count, std::uint32_t seed);

} // namespace colibri::test
