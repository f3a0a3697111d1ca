// SPDX-License-Identifier: Apache-2.0
#include "model/find_tensor.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace colibri {
namespace {

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
        if (elementBytes(part.dtype) == 0 || (part.shape.back() % 2 && take != Take::Columns))
            return std::nullopt;
        part.shape.back() /= take == Take::Columns ? 1 : 2;
        std::ranges::reverse(part.shape);
        part.layout = Layout::ColumnMajor;
    }
    return part;
}

const TensorInfo* named(const ModelSource& source, const std::string& name)
{
    const auto found = std::ranges::lower_bound(source.tensors, name, {}, &TensorInfo::name);
    return !name.empty() && found != source.tensors.end() && found->name == name ? &*found : nullptr;
}

/// MXFP4 as gpt-oss's folders have it: blocks [experts][rows][groups][16] of 32 numbers in halves of bytes, the lower
/// half first, and scales [experts][rows][groups].
std::optional<FoundTensor> findBlocks(
    const ModelSource& source, const TensorSlot& slot, const std::string& name, std::uint32_t expert)
{
    const TensorInfo* blocks = named(source, name + "_blocks");
    const TensorInfo* scales = named(source, name + "_scales");
    if (!blocks || !scales || blocks->dtype != DType::U8 || scales->dtype != DType::U8 || blocks->shape.size() != 4
        || blocks->shape[3] != 16 || !std::ranges::equal(std::span(blocks->shape).first(3), scales->shape)
        || expert >= blocks->shape[0])
        return std::nullopt;
    const bool half = slot.stacked.take == Take::EvenColumns || slot.stacked.take == Take::OddColumns;
    if (half && blocks->shape[1] % 2)
        return std::nullopt;
    TensorInfo part = *blocks;
    part.dtype = DType::MXFP4;
    part.shape = {blocks->shape[1] / (half ? 2 : 1), blocks->shape[2] * 32};
    part.size = blocks->size / blocks->shape[0];
    part.offset += part.size * expert;
    part.xxh64.reset();
    return FoundTensor{blocks, std::move(part), true, slot.stacked.take, scales};
}

/// An expert's tensor where a folder has all of them in one.
std::optional<FoundTensor> findStacked(
    const ModelSource& source, const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert)
{
    if (slot.stacked.name.empty() || source.format != "huggingface")
        return std::nullopt;
    const std::string wanted = filledName(slot.stacked.name, layer, expert);
    const TensorInfo* stored = named(source, wanted);
    if (!stored)
        return findBlocks(source, slot, wanted, expert);
    auto part = partOf(*stored, expert);
    part = part ? taken(std::move(*part), slot.stacked.take) : part;
    return part ? std::optional(FoundTensor{stored, std::move(*part), true, slot.stacked.take}) : std::nullopt;
}

/// GGUF's block: the scale, then 16 bytes of which each has number i in its lower half and i + 16 in its upper one.
void packBlock(const std::byte* halves, std::byte scale, std::byte* out)
{
    const auto number = [halves](std::size_t i) {
        const auto both = std::to_integer<unsigned>(halves[i / 2]);
        return i % 2 ? both >> 4 : both & 15u;
    };
    out[0] = scale;
    for (std::size_t i = 0; i < 16; ++i)
        out[1 + i] = static_cast<std::byte>(number(i) | number(i + 16) << 4);
}

std::optional<FoundTensor> findNamed(
    const ModelSource& source, const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert)
{
    const bool gguf = source.format == "gguf";
    const std::array<std::string_view, 2> folderNames{slot.name, slot.otherName};
    const auto& patterns = gguf ? slot.ggufNames : folderNames;
    for (const std::string_view pattern : patterns) {
        const TensorInfo* stored = named(source, filledName(pattern, layer, expert));
        if (!stored)
            continue;
        const bool stacked = slot.scope == Scope::Experts && pattern.find("{expert}") == std::string_view::npos;
        if (auto part = stacked ? partOf(*stored, expert) : std::optional(*stored))
            return FoundTensor{stored, std::move(*part), stacked};
    }
    return findStacked(source, slot, layer, expert);
}

} // namespace

std::optional<FoundTensor> findTensor(
    const ModelSource& source, const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert)
{
    auto found = findNamed(source, slot, layer, expert);
    if (!found)
        return found;
    found->part.name = tensorName(slot, layer, expert);
    if (const auto scales = scalesOf(source, *found->stored); !scales.empty())
        found->factors = scales.front();
    return found;
}

void forEachTensor(const ModelSource& source, const ModelConfig& config, const TensorVisitor& visit)
{
    for (const TensorSlot& slot : specOf(config.architecture).tensors) {
        const LayerRange layers = layersOf(slot, config);
        for (std::uint32_t layer = layers.first; layer < layers.last; ++layer)
            for (std::uint32_t expert = 0; expert < expertsOf(slot, config); ++expert)
                if (const auto found = findTensor(source, slot, layer, expert))
                    visit(slot, layer, expert, *found);
    }
}

std::vector<const TensorInfo*> scalesOf(const ModelSource& source, const TensorInfo& stored)
{
    std::vector<const TensorInfo*> scales; // names that begin alike follow each other
    const TensorInfo* const end = source.tensors.data() + source.tensors.size();
    for (const TensorInfo* next = &stored + 1; next < end && next->name.starts_with(stored.name); ++next)
        if (const auto rest = std::string_view(next->name).substr(stored.name.size());
            rest == "_scale_inv" || rest == "_scale")
            scales.push_back(next);
    return scales;
}

std::uint64_t gatheredBytes(const FoundTensor& found)
{
    return *tensorBytes(found.part.dtype, found.part.shape); // no more than what is stored
}

void gather(const ModelSource& source, const FoundTensor& found, std::uint32_t expert, std::byte* out)
{
    gatherRows(source, found, expert, 0, found.part.shape.size() > 1 ? found.part.shape.front() : 1, out);
}

void gatherRows(const ModelSource& source, const FoundTensor& found, std::uint32_t expert, std::uint64_t first,
    std::uint64_t count, std::byte* out)
{
    const TensorInfo& part = found.part;
    const std::byte* const data = source.files[part.file]->bytes().data() + part.offset;
    const bool odd = found.take == Take::OddColumns;
    const std::size_t rows = part.shape.size() > 1 ? part.shape.front() : 1;
    const std::size_t cols = part.shape.back();
    if (!found.scales) {
        const std::size_t size = elementBytes(part.dtype);
        for (std::size_t r = 0; r < count; ++r)
            for (std::size_t c = 0; c < cols; ++c)
                std::memcpy(out + (r * cols + c) * size, data + (c * rows * 2 + (first + r) * 2 + odd) * size, size);
        return;
    }
    const std::size_t groups = cols / 32;
    const std::size_t step = found.take == Take::Columns ? 1 : 2;
    const std::byte* const scales = source.files[found.scales->file]->bytes().data() + found.scales->offset
        + expert * found.scales->shape[1] * groups;
    for (std::size_t r = 0; r < count; ++r)
        for (std::size_t g = 0; g < groups; ++g) {
            const std::size_t at = ((first + r) * step + odd) * groups + g;
            packBlock(data + at * 16, scales[at], out + (r * groups + g) * 17);
        }
}

} // namespace colibri
