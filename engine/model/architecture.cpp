// SPDX-License-Identifier: Apache-2.0
#include "model/architecture.h"

#include <algorithm>

namespace colibri {
namespace {

constexpr std::string_view kindNames[]{"embedding", "attention", "norm", "router", "expert", "head", "shared", "dense"};

void replace(std::string& text, std::string_view what, std::uint32_t number)
{
    if (const auto at = text.find(what); at != std::string::npos)
        text.replace(at, what.size(), std::to_string(number));
}

} // namespace

std::uint32_t extent(const ModelConfig& c, Dim dim)
{
    const std::uint32_t plainDim = c.headDim - (c.latentRank ? c.ropeDim : 0);
    const std::array<std::uint32_t, 20> extents{1, c.vocabSize, c.hiddenSize, c.outputSize, c.numHeads,
        c.numHeads * c.headDim, c.numKvHeads * c.headDim, c.numKvHeads * c.valueDim, c.numHeads * c.valueDim, c.headDim,
        c.valueDim, plainDim, c.queryRank, c.latentRank, c.latentRank + c.ropeDim, c.numHeads * (plainDim + c.valueDim),
        c.numExperts, c.expertFfnSize, c.sharedFfnSize, c.denseFfnSize};
    return extents[static_cast<std::size_t>(dim)];
}

std::string_view name(TensorKind kind)
{
    return kindNames[static_cast<std::size_t>(kind)];
}

const ArchitectureSpec& specOf(Architecture id)
{
    return *std::ranges::find(architectures(), id, &ArchitectureSpec::id);
}

std::string filledName(std::string_view pattern, std::uint32_t layer, std::uint32_t expert)
{
    std::string text(pattern);
    replace(text, "{layer}", layer);
    replace(text, "{expert}", expert);
    return text;
}

std::string tensorName(const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert)
{
    return filledName(slot.name, layer, expert);
}

LayerRange layersOf(const TensorSlot& slot, const ModelConfig& c)
{
    if (slot.present && !slot.present(c))
        return {0, 0};
    switch (slot.scope) {
    case Scope::Model:
        return {0, 1};
    case Scope::Layers:
        return {0, c.numLayers};
    case Scope::DenseLayers:
        return {0, c.denseLayers};
    default:
        return {c.denseLayers, c.numLayers};
    }
}

std::uint32_t expertsOf(const TensorSlot& slot, const ModelConfig& c)
{
    return slot.scope == Scope::Experts ? c.numExperts : 1;
}

} // namespace colibri
