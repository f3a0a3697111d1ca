// SPDX-License-Identifier: Apache-2.0
#include "api/export_plan.h"

#include "format/colibri_layout.h"
#include "format/export_layout.h"
#include "kernels/kernels.h"
#include "model/find_tensor.h"
#include "types/checked.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <unordered_set>
#include <variant>

namespace colibri {
namespace {

/// Matrices that make up the size take the asked dtype; routers, norms and biases stay as they are, because routing and
/// scale hang on them.
bool converts(TensorKind kind, const TensorInfo& tensor)
{
    return kind != TensorKind::Router && kind != TensorKind::Norm && tensor.shape.size() >= 2;
}

/// What weights of a type that version 1 does not hold become. The first three are exact (three bits of fraction and
/// integers of eight bits fit into bf16, of sixteen into f32); others are rounded as they are when the model runs, and
/// so are f8 with scales, which become f32.
struct Replacement {
    DType from;
    DType to;
    bool exact;
};
constexpr std::array replacements = std::to_array<Replacement>({
    {DType::F8_E4M3, DType::BF16, true},
    {DType::F8_E5M2, DType::BF16, true},
    {DType::I8, DType::BF16, true},
    {DType::I16, DType::F32, true},
    {DType::I32, DType::F32, false},
    {DType::I64, DType::F32, false},
    {DType::F64, DType::F32, false},
});

/// The kernels' own decoder: what an export holds is what the model computes with.
void decodeRow(DType dtype, const std::byte* row, std::uint64_t first, std::span<float> out)
{
    const DTypeTraits& type = traits(dtype);
    const Matrix piece{row + first / type.blockElements * type.blockBytes, nullptr, dtype, Layout::RowMajor, 1,
        static_cast<std::uint32_t>(out.size()), {}};
    kernelTable(Isa::Auto)->copyRow(piece, 0, out.data());
}

/// Where a matrix of the slot is bound; null for a vector.
const Matrix* matrixAt(const Weights& all, const Place& place, std::uint32_t layer, std::uint32_t expert)
{
    const LayerWeights& one = all.layers[layer];
    return std::visit(
        [&]<class At>(const At& at) -> const Matrix* {
            if constexpr (std::is_same_v<At, Matrix Weights::*>)
                return &(all.*at);
            else if constexpr (std::is_same_v<At, Matrix LayerWeights::*>)
                return &(one.*at);
            else if constexpr (std::is_same_v<At, Matrix ExpertWeights::*>)
                return &(one.experts[expert].*at);
            else if constexpr (std::is_same_v<At, NetworkPlace>)
                return &(one.*at.network.*at.matrix);
            else
                return nullptr;
        },
        place);
}

/// Weights that a tensor of scales multiplies, as f32: the products that the model computes with.
GatherFn gatherScaled(const Matrix& matrix)
{
    return [matrix](std::uint64_t first, std::uint64_t count, std::byte* out) {
        const std::size_t row = matrix.cols * sizeof(float);
        for (std::uint64_t i = 0; i < count; ++i)
            kernelTable(Isa::Auto)->copyRow(
                matrix, static_cast<std::uint32_t>(first + i), reinterpret_cast<float*>(out + i * row));
    };
}

class Planner {
public:
    Planner(const LoadedModel& model, const ExportOptions& options, WriteRequest& request)
        : m_model(model)
        , m_options(options)
        , m_request(request)
    {
    }

    Result<std::vector<TypeChange>> plan()
    {
        const ModelConfig& config = m_model.config;
        const auto slots = specOf(config.architecture).tensors;
        for (const TensorSlot& slot : slots)
            if (slot.kind != TensorKind::Expert)
                for (LayerRange at = layersOf(slot, config); at.first < at.last; ++at.first)
                    add(slot, at.first, 0, m_request.dense);
        for (std::uint32_t layer = config.denseLayers; layer < config.numLayers; ++layer)
            for (std::uint32_t expert = 0; expert < config.numExperts; ++expert) {
                PlannedExpert planned{layer, expert, {}};
                for (const TensorSlot& slot : slots)
                    if (slot.kind == TensorKind::Expert)
                        add(slot, layer, expert, planned.tensors);
                m_request.experts.push_back(std::move(planned));
            }
        m_request.decode = decodeRow;
        return m_refusal ? Result<std::vector<TypeChange>>(*m_refusal) : std::move(m_changes);
    }

private:
    void add(const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert, std::vector<PlannedTensor>& to)
    {
        auto found = findTensor(m_model.source, slot, layer, expert);
        if (!found)
            return;
        TensorInfo part = found->part;
        const bool convert = m_options.dtype && converts(slot.kind, part);
        const DType dtype = convert ? *m_options.dtype : keptType(*found);
        GatherFn gather;
        if (found->factors) {
            gather = gatherScaled(*matrixAt(m_model.weights, slot.place, layer, expert));
            part.dtype = DType::F32;
            part.xxh64.reset();
        } else if (found->scattered()) {
            part.layout = Layout::RowMajor;
            gather = [source = &m_model.source, found = std::move(*found), expert](std::uint64_t first,
                         std::uint64_t count,
                         std::byte* out) { gatherRows(*source, found, expert, first, count, out); };
        }
        to.push_back({part, part.name, dtype, std::move(gather)});
    }

    /// Its own type, or what stands for that in version 1, which is noted.
    DType keptType(const FoundTensor& found)
    {
        const DType dtype = found.part.dtype;
        if (dtypeCode(dtype))
            return dtype;
        const auto other = std::ranges::find(replacements, dtype, &Replacement::from);
        if (other == replacements.end()) {
            refuse(*found.stored);
            return dtype;
        }
        const Replacement made = found.factors ? Replacement{dtype, DType::F32, false} : *other;
        note(made, *found.stored);
        return made.to;
    }

    void note(const Replacement& made, const TensorInfo& stored)
    {
        auto change = std::ranges::find_if(
            m_changes, [&](const TypeChange& one) { return one.from == made.from && one.to == made.to; });
        if (change == m_changes.end())
            change = m_changes.insert(change, {made.from, made.to, made.exact, {}});
        if (m_changed.insert(&stored).second)
            change->tensors.push_back(stored.name);
    }

    /// The first one counts.
    void refuse(const TensorInfo& tensor)
    {
        if (!m_refusal)
            m_refusal = Error{Errc::Unsupported, "export tensor " + tensor.name, m_model.source.path, tensor.offset,
                "it is stored as " + std::string(typeName(tensor)) + ", an export of version 1 holds " + heldDTypes()};
    }

    const LoadedModel& m_model;
    const ExportOptions& m_options;
    WriteRequest& m_request;
    std::vector<TypeChange> m_changes;
    std::unordered_set<const TensorInfo*> m_changed;
    std::optional<Error> m_refusal;
};

void count(const TensorInfo& tensor, ExportSize& size)
{
    auto share = std::ranges::find(size.types, tensor.dtype, &TypeShare::dtype);
    if (share == size.types.end())
        share = size.types.insert(share, {tensor.dtype, 0, 0, 0});
    const std::uint64_t weights = *checkedProduct(tensor.shape); // its size was had from it
    ++share->tensors;
    share->weights += weights;
    share->bytes += tensor.size;
    size.weights += weights;
}

} // namespace

Result<std::vector<TypeChange>> planTensors(
    const LoadedModel& model, const ExportOptions& options, WriteRequest& request)
{
    return Planner(model, options, request).plan();
}

Result<ExportSize> sizeOf(const WriteRequest& request)
{
    const auto layout = layoutOf(request);
    if (!layout)
        return layout.error();
    const auto bytes = plannedBytes(request);
    if (!bytes)
        return bytes.error();
    const auto others = otherFilesOf(request);
    if (!others)
        return others.error();
    ExportSize size;
    for (const PlannedFile& file : *layout) {
        (file.name == denseFileName ? size.denseBytes : size.expertBytes) += file.size;
        for (const TensorInfo& tensor : file.tensors)
            count(tensor, size);
    }
    std::ranges::sort(size.types, std::ranges::greater(), &TypeShare::bytes);
    size.totalBytes = bytes->written + bytes->config;
    size.files = static_cast<std::uint32_t>(layout->size() + others->size() + 1);
    return size;
}

} // namespace colibri
