// SPDX-License-Identifier: Apache-2.0
#include "model/architecture.h"

#include <algorithm>

namespace colibri {
namespace {

constexpr std::string_view kindNames[]{"embedding", "attention", "norm", "router", "expert", "head", "shared", "dense"};

constexpr std::string_view layerMark = "{layer}";
constexpr std::string_view expertMark = "{expert}";

void replace(std::string& text, std::string_view what, std::uint32_t number)
{
    if (const auto at = text.find(what); at != std::string::npos)
        text.replace(at, what.size(), std::to_string(number));
}

std::string filled(std::string_view pattern, std::uint32_t layer, std::uint32_t expert)
{
    std::string text(pattern);
    replace(text, layerMark, layer);
    replace(text, expertMark, expert);
    return text;
}

/// The part of one expert in a tensor of all of them, whose scales lie inside of their blocks; empty when it cannot be
/// divided so.
std::optional<TensorInfo> partOf(const TensorInfo& stacked, std::uint32_t expert)
{
    if (stacked.shape.empty() || expert >= stacked.shape.front() || stacked.size % stacked.shape.front()
        || stacked.dtype == DType::Int8)
        return std::nullopt;
    TensorInfo part = stacked;
    part.size = stacked.size / stacked.shape.front();
    part.offset = stacked.offset + part.size * expert;
    part.shape.erase(part.shape.begin());
    part.xxh64.reset();
    return part;
}

/// What a slot takes of one expert's part.
std::optional<TensorInfo> taken(TensorInfo part, Take take)
{
    if (part.shape.empty() || part.dtype == DType::Int8)
        return std::nullopt;
    if (take == Take::FirstRows || take == Take::SecondRows) {
        if (part.shape.front() % 2)
            return std::nullopt;
        part.shape.front() /= 2;
        part.size /= 2;
        part.offset += take == Take::SecondRows ? part.size : 0;
    } else if (take != Take::Rows) {
        if (part.shape.back() % 2 && take != Take::Columns)
            return std::nullopt;
        part.shape.back() /= take == Take::Columns ? 1 : 2;
        std::ranges::reverse(part.shape);
        part.layout = Layout::ColumnMajor;
    }
    return part;
}

/// An expert's tensor where a folder has all of them in one.
std::optional<FoundTensor> findStacked(
    const ModelSource& source, const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert)
{
    if (slot.stacked.name.empty() || source.format != "huggingface")
        return std::nullopt;
    const std::string wanted = filled(slot.stacked.name, layer, expert);
    const auto found = std::ranges::lower_bound(source.tensors, wanted, {}, &TensorInfo::name);
    if (found == source.tensors.end() || found->name != wanted)
        return std::nullopt;
    auto part = partOf(*found, expert);
    part = part ? taken(std::move(*part), slot.stacked.take) : part;
    if (!part)
        return std::nullopt;
    part->name = tensorName(slot, layer, expert);
    return FoundTensor{&*found, std::move(*part), true, slot.stacked.take};
}

} // namespace

std::uint32_t extent(const ModelConfig& c, Dim dim)
{
    const std::uint32_t plainDim = c.headDim - (c.latentRank ? c.ropeDim : 0);
    const std::array<std::uint32_t, 20> extents{1, c.vocabSize, c.hiddenSize, c.outputSize, c.numHeads,
        c.numHeads * c.headDim, c.numKvHeads * c.headDim, c.numKvHeads * c.valueDim, c.numHeads * c.valueDim, c.headDim,
        c.valueDim, plainDim, c.queryRank, c.latentRank, c.latentRank + c.ropeDim,
        c.numHeads * (plainDim + c.valueDim), c.numExperts, c.expertFfnSize, c.sharedFfnSize, c.denseFfnSize};
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

std::string tensorName(const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert)
{
    return filled(slot.name, layer, expert);
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

std::optional<FoundTensor> findTensor(
    const ModelSource& source, const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert)
{
    const bool gguf = source.format == "gguf";
    const std::span<const std::string_view> patterns =
        gguf ? std::span<const std::string_view>(slot.ggufNames) : std::span(&slot.name, 1);
    for (const std::string_view pattern : patterns) {
        const std::string wanted = filled(pattern, layer, expert);
        const auto found = std::ranges::lower_bound(source.tensors, wanted, {}, &TensorInfo::name);
        if (wanted.empty() || found == source.tensors.end() || found->name != wanted)
            continue;
        const bool stacked = slot.scope == Scope::Experts && pattern.find(expertMark) == std::string_view::npos;
        auto part = stacked ? partOf(*found, expert) : std::optional(*found);
        if (!part)
            continue;
        part->name = tensorName(slot, layer, expert);
        return FoundTensor{&*found, std::move(*part), stacked};
    }
    return findStacked(source, slot, layer, expert);
}

} // namespace colibri
