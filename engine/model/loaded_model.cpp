// SPDX-License-Identifier: Apache-2.0
#include "model/loaded_model.h"

#include "format/tensor_list.h"
#include "model/find_tensor.h"
#include "model/weight_scales.h"
#include "types/checked.h"
#include "types/half.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_set>

namespace colibri {
namespace {

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

/// The shape without leading ones: one row of a matrix is a vector, too.
std::vector<std::uint64_t> withoutOnes(std::span<const std::uint64_t> shape)
{
    while (shape.size() > 1 && shape.front() == 1)
        shape = shape.subspan(1);
    return {shape.begin(), shape.end()};
}

/// Rows [first, first + count) of a row-major matrix. Scales of int8 are those of rows; those of f8 stay where they
/// are.
Matrix rowsOf(const Matrix& matrix, std::uint32_t first, std::uint32_t count)
{
    const std::uint64_t row[]{matrix.cols};
    const std::uint64_t groups = (matrix.cols + int8GroupSize - 1) / int8GroupSize;
    Matrix rows = matrix;
    rows.data += first * (*tensorBytes(matrix.dtype, row) - *scaleBytes(matrix.dtype, row));
    if (matrix.dtype == DType::Int8)
        rows.scales += first * groups;
    rows.grid.rowsAbove += first;
    rows.rows = count;
    return rows;
}

float valueAt(const std::byte* data, DType dtype, std::size_t i)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, data + i * elementBytes(dtype), elementBytes(dtype));
    switch (dtype) {
    case DType::F16:
        return f16ToF32(static_cast<std::uint16_t>(bits));
    case DType::BF16:
        return bf16ToF32(static_cast<std::uint16_t>(bits));
    default:
        return std::bit_cast<float>(bits);
    }
}

class Binder {
public:
    Binder(LoadedModel& model, OpenProgress* progress)
        : m_model(model)
        , m_spec(specOf(model.config.architecture))
        , m_progress(progress)
    {
    }

    Result<void> bind()
    {
        const ModelConfig& c = m_model.config;
        if (m_progress)
            m_progress->setDimensions(moeLayers(c), c.numExperts);
        m_model.weights.layers.resize(c.numLayers);
        for (std::uint32_t layer = c.denseLayers; layer < c.numLayers; ++layer)
            m_model.weights.layers[layer].experts.resize(c.numExperts);
        for (const TensorSlot& slot : m_spec.tensors)
            if (auto bound = bindSlot(slot); !bound)
                return bound;
        for (std::uint32_t layer = 0; c.latentRank && layer < c.numLayers; ++layer)
            if (auto bound = bindLatentHeads(layer); !bound)
                return bound;
        return finish();
    }

private:
    Error fail(Errc code, const TensorInfo& tensor, std::string why) const
    {
        return Error{code, "bind tensor " + tensor.name, m_model.source.files[tensor.file]->path(), tensor.offset,
            std::move(why)};
    }

    /// Binds one slot for every layer and expert it is repeated over.
    Result<void> bindSlot(const TensorSlot& slot)
    {
        const ModelConfig& c = m_model.config;
        const LayerRange layers = layersOf(slot, c);
        for (std::uint32_t layer = layers.first; layer < layers.last; ++layer)
            for (std::uint32_t expert = 0; expert < expertsOf(slot, c); ++expert) {
                auto bound = bindOne(slot, layer, expert);
                if (m_progress && slot.scope == Scope::Experts)
                    m_progress->setState(layer - c.denseLayers, expert,
                        bound ? m_lastCopied ? ExpertState::Copied : ExpertState::Mapped : ExpertState::Failed);
                if (!bound)
                    return bound;
            }
        return {};
    }

    Result<void> bindOne(const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert)
    {
        auto found = findTensor(m_model.source, slot, layer, expert);
        if (!found) {
            if (!slot.required)
                return {};
            return Error{Errc::Mismatch, "bind tensor " + missingName(slot, layer, expert), m_model.source.path,
                std::nullopt, "the model has no such tensor, " + std::string(name(m_spec.id)) + " needs it"};
        }
        if (found->stacked && found->stored->shape.front() != m_model.config.numExperts)
            return fail(Errc::Mismatch, *found->stored,
                "its shape is " + shapeText(found->stored->shape) + ", the configuration has "
                    + std::to_string(m_model.config.numExperts) + " experts");
        std::vector<std::uint64_t> shape;
        for (const Dim dim : slot.shape)
            shape.push_back(extent(m_model.config, dim));
        if (withoutOnes(found->part.shape) != withoutOnes(shape))
            return fail(Errc::Mismatch, *found->stored,
                "its shape is " + shapeText(found->part.shape) + ", the configuration needs " + shapeText(shape));
        auto scales = bindScales(m_model, *found, expert);
        if (!scales)
            return scales.error();
        m_scales = *scales;
        m_bound.insert({found->stored, found->factors});
        count(slot, found->part);
        if (traits(found->part.dtype).computed)
            gatherPart(*found, expert);
        found->part.name = found->stored->name; // errors name it as the file does
        return place(slot, found->part, layer, expert);
    }

    /// Brings a scattered tensor together in copied memory, which is where its bytes are from then on.
    void gatherPart(FoundTensor& found, std::uint32_t expert)
    {
        m_gathered = {};
        if (!found.scattered())
            return;
        m_gathered = m_model.copied.take(gatheredBytes(found));
        gather(m_model.source, found, expert, m_gathered.data());
        found.part.layout = Layout::RowMajor;
        if (found.scales)
            m_bound.insert(found.scales);
    }

    /// As the format of the source would name it.
    std::string missingName(const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert) const
    {
        TensorSlot there = slot;
        if (m_model.source.format == "gguf")
            there.name = slot.ggufNames.front();
        return tensorName(there, layer, expert);
    }

    void count(const TensorSlot& slot, const TensorInfo& tensor)
    {
        const std::uint64_t elements = *checkedProduct(tensor.shape); // the reader saw that it fits
        m_model.parameters += elements;
        if (slot.kind == TensorKind::Expert)
            m_expertElements += elements;
        else if (slot.kind == TensorKind::Embedding)
            m_embeddingElements = elements; // a look-up of one row; counted as active when it is the head as well
        else
            m_model.activeParameters += elements;
    }

    Result<void> place(const TensorSlot& slot, const TensorInfo& tensor, std::uint32_t layer, std::uint32_t expert)
    {
        Weights& all = m_model.weights;
        LayerWeights& one = all.layers[layer];
        m_lastCopied = !m_gathered.empty();
        return std::visit(
            Overloaded{
                [&](Matrix Weights::*at) { return toMatrix(tensor, all.*at); },
                [&](Vector Weights::*at) { return toVector(tensor, all.*at); },
                [&](Matrix LayerWeights::*at) { return toMatrix(tensor, one.*at, slot.kind == TensorKind::Router); },
                [&](Vector LayerWeights::*at) { return toVector(tensor, one.*at); },
                [&](Matrix ExpertWeights::*at) { return toMatrix(tensor, one.experts[expert].*at); },
                [&](Vector ExpertWeights::*at) { return toVector(tensor, one.experts[expert].*at); },
                [&](const NetworkPlace& at) { return toMatrix(tensor, one.*at.network.*at.matrix); },
            },
            slot.place);
    }

    /// Of the tensor that is bound.
    const std::byte* bytesOf(const TensorInfo& tensor) const
    {
        if (!m_gathered.empty())
            return m_gathered.data();
        return m_model.source.files[tensor.file]->bytes().data() + tensor.offset;
    }

    Result<void> toMatrix(const TensorInfo& tensor, Matrix& matrix, bool router = false)
    {
        if (!traits(tensor.dtype).computed)
            return fail(Errc::Unsupported, tensor,
                "its dtype is " + std::string(typeName(tensor)) + ", which this version does not compute");
        if (router && tensor.dtype == DType::Int8)
            return fail(Errc::Unsupported, tensor,
                "a router's dtype is int8, this version computes routers of f32, f16 and bf16");
        if (tensor.layout == Layout::ColumnMajor && std::ranges::find(exportDTypes, tensor.dtype) == exportDTypes.end())
            return fail(Errc::Unsupported, tensor,
                "it is " + std::string(name(tensor.dtype))
                    + " and column_major, this version computes that of f32, f16, bf16 and int8");
        const std::byte* data = bytesOf(tensor);
        const std::size_t alignment =
            tensor.dtype == DType::Int8 ? sizeof(float) : std::max(elementBytes(tensor.dtype), 1u);
        if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0) {
            const std::span<std::byte> copy = m_model.copied.take(tensor.size);
            std::memcpy(copy.data(), data, tensor.size);
            data = copy.data();
            m_lastCopied = true;
        }
        m_model.matrixTypes[static_cast<std::size_t>(tensor.dtype)] = true;
        const std::uint64_t scales = *scaleBytes(tensor.dtype, tensor.shape);
        matrix = Matrix{data + scales, scales ? reinterpret_cast<const float*>(data) : m_scales.values, tensor.dtype,
            tensor.layout, static_cast<std::uint32_t>(*checkedProduct(tensor.shape) / tensor.shape.back()),
            static_cast<std::uint32_t>(tensor.shape.back()), m_scales.grid};
        return {};
    }

    /// Cuts the matrices between latent vectors and heads into those of each head. In the fused tensor a head has rows
    /// for its key and rows for its value; the former are used as columns, for which a stored type that cannot be read
    /// so is widened into copied memory.
    Result<void> bindLatentHeads(std::uint32_t index)
    {
        const ModelConfig& c = m_model.config;
        LayerWeights& layer = m_model.weights.layers[index];
        const std::uint32_t plain = extent(c, Dim::PlainDim);
        const bool fused = layer.latentUp.data != nullptr;
        if (!fused && (!layer.latentKeys.data || !layer.latentValues.data))
            return Error{Errc::Mismatch, "bind layer " + std::to_string(index), m_model.source.path, std::nullopt,
                "the model has neither attn_kv_b (kv_b_proj) nor attn_k_b and attn_v_b, MLA needs one or the others"};
        for (const Matrix* whole : {&layer.latentUp, &layer.latentKeys, &layer.latentValues})
            if (whole->data && whole->layout != Layout::RowMajor)
                return Error{Errc::Unsupported, "bind layer " + std::to_string(index), m_model.source.path,
                    std::nullopt,
                    "a matrix between latent vectors and heads is column_major, this version computes row_major"};
        for (std::uint32_t head = 0; head < c.numHeads; ++head) {
            const std::uint32_t rows = plain + c.valueDim;
            layer.latentHeads.push_back(fused ? LatentHead{turned(rowsOf(layer.latentUp, head * rows, plain)),
                                            rowsOf(layer.latentUp, head * rows + plain, c.valueDim)}
                                              : LatentHead{rowsOf(layer.latentKeys, head * c.latentRank, c.latentRank),
                                                  rowsOf(layer.latentValues, head * c.valueDim, c.valueDim)});
        }
        return {};
    }

    /// The transpose, which the same bytes are in the other layout.
    Matrix turned(Matrix matrix)
    {
        if (matrix.dtype != DType::F32 && matrix.dtype != DType::F16 && matrix.dtype != DType::BF16) {
            const KernelTable& kernels = *kernelTable(Isa::Scalar);
            const std::size_t row = matrix.cols * sizeof(float);
            const std::span<std::byte> copy = m_model.copied.take(matrix.rows * row);
            for (std::uint32_t r = 0; r < matrix.rows; ++r)
                kernels.copyRow(matrix, r, reinterpret_cast<float*>(copy.data() + r * row));
            matrix = Matrix{copy.data(), nullptr, DType::F32, Layout::RowMajor, matrix.rows, matrix.cols};
        }
        matrix.layout = Layout::ColumnMajor;
        std::swap(matrix.rows, matrix.cols);
        return matrix;
    }

    /// Norms and biases are used as f32; stored otherwise or unaligned they are widened into copied memory.
    Result<void> toVector(const TensorInfo& tensor, Vector& vector)
    {
        if (tensor.dtype != DType::F32 && tensor.dtype != DType::F16 && tensor.dtype != DType::BF16)
            return fail(Errc::Unsupported, tensor,
                "a vector's dtype is " + std::string(typeName(tensor))
                    + ", this version computes vectors of f32, f16 and bf16");
        const std::byte* data = bytesOf(tensor);
        vector.size = static_cast<std::uint32_t>(*checkedProduct(tensor.shape));
        if (tensor.dtype == DType::F32 && reinterpret_cast<std::uintptr_t>(data) % sizeof(float) == 0) {
            vector.values = reinterpret_cast<const float*>(data);
            return {};
        }
        const std::span<std::byte> copy = m_model.copied.take(vector.size * sizeof(float));
        float* values = new (copy.data()) float[vector.size];
        for (std::size_t i = 0; i < vector.size; ++i)
            values[i] = valueAt(data, tensor.dtype, i);
        vector.values = values;
        return {};
    }

    Result<void> finish()
    {
        LoadedModel& m = m_model;
        const ModelConfig& c = m.config;
        if (!m.weights.head.data) {
            m.weights.head = m.weights.embedding;
            m.activeParameters += m_embeddingElements;
        }
        if (!m.hasRouter() && !m.source.table)
            return Error{Errc::Mismatch, "bind the routers", m.source.path, std::nullopt,
                "the model has neither a router in each MoE layer nor a routing table"};
        m.activeParameters += m_expertElements / c.numExperts * c.numActiveExperts;
        for (const TensorInfo& tensor : m.source.tensors)
            if (!m_bound.contains(&tensor))
                m.source.notes.push_back(
                    "tensor " + tensor.name + " is not used by " + std::string(name(c.architecture)));
        for (const auto& file : m.source.files)
            m.mappedBytes += file->bytes().size();
        return checkTable();
    }

    Result<void> checkTable() const
    {
        const auto& table = m_model.source.table;
        const ModelConfig& c = m_model.config;
        if (table && (table->layers != moeLayers(c) || table->k != c.numActiveExperts))
            return Error{Errc::Mismatch, "bind the routing table", m_model.source.files[table->file]->path(),
                std::nullopt,
                "it has " + std::to_string(table->layers) + " layers of " + std::to_string(table->k)
                    + " experts, the configuration needs " + std::to_string(moeLayers(c)) + " of "
                    + std::to_string(c.numActiveExperts)};
        return {};
    }

    LoadedModel& m_model;
    const ArchitectureSpec& m_spec;
    OpenProgress* m_progress;
    std::unordered_set<const TensorInfo*> m_bound;
    std::uint64_t m_expertElements = 0;
    std::uint64_t m_embeddingElements = 0;
    bool m_lastCopied = false;
    WeightScales m_scales; ///< of the tensor that is bound
    std::span<std::byte> m_gathered; ///< of the tensor that is bound, when it was scattered
};

} // namespace

std::span<std::byte> CopiedWeights::take(std::size_t bytes)
{
    m_blocks.emplace_back(
        static_cast<std::byte*>(::operator new (std::max<std::size_t>(bytes, 1), std::align_val_t{64})));
    m_bytes += bytes;
    return {m_blocks.back().get(), bytes};
}

bool LoadedModel::hasRouter() const
{
    return std::ranges::all_of(std::span(weights.layers).subspan(config.denseLayers),
        [](const LayerWeights& layer) { return layer.router.data != nullptr; });
}

std::span<const std::uint16_t> LoadedModel::tableRow(std::uint32_t layer, std::uint64_t row) const
{
    if (!source.table || row >= source.table->rows)
        return {};
    const RouterTable& table = *source.table;
    const std::byte* entries = source.files[table.file]->bytes().data() + table.offset;
    return {
        reinterpret_cast<const std::uint16_t*>(entries) + (std::size_t{layer} * table.rows + row) * table.k, table.k};
}

Result<void> LoadedModel::checkMappings() const
{
    for (const auto& file : source.files)
        if (file->lost())
            return Error{Errc::Lost, "read weights", file->path(), std::nullopt,
                "the file shrank or could not be read while it was mapped, open the model again"};
    return {};
}

Result<std::unique_ptr<LoadedModel>> bindModel(ModelSource source, OpenProgress* progress)
{
    if (!source.refusals.empty())
        return source.refusals.front();
    auto config = readConfig(source);
    return config ? bindModel(std::move(source), std::move(*config), progress) : config.error();
}

Result<std::unique_ptr<LoadedModel>> bindModel(ModelSource source, ModelConfig config, OpenProgress* progress)
{
    if (!source.refusals.empty())
        return source.refusals.front();
    auto model = std::make_unique<LoadedModel>();
    model->source = std::move(source);
    model->config = std::move(config);
    if (model->source.table)
        model->config.tableIndex = model->source.table->index;
    if (auto bound = Binder(*model, progress).bind(); !bound)
        return bound.error();
    return model;
}

} // namespace colibri
