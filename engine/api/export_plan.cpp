// SPDX-License-Identifier: Apache-2.0
#include "api/export_plan.h"

#include "model/find_tensor.h"

#include <algorithm>

namespace colibri {
namespace {

/// Matrices that make up the size take the asked dtype; routers, norms and biases stay as they are, because routing and
/// scale hang on them.
bool converts(TensorKind kind, const TensorInfo& tensor)
{
    return kind != TensorKind::Router && kind != TensorKind::Norm && tensor.shape.size() == 2;
}

class Planner {
public:
    Planner(const LoadedModel& model, const ExportOptions& options, WriteRequest& request)
        : m_model(model)
        , m_options(options)
        , m_request(request)
    {
    }

    Result<void> plan()
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
        return m_refusal ? Result<void>(*m_refusal) : Result<void>{};
    }

private:
    void add(const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert, std::vector<PlannedTensor>& to)
    {
        const auto found = findTensor(m_model.source, slot, layer, expert);
        if (!found)
            return;
        const TensorInfo& part = found->part;
        if (found->scattered())
            refuse(*found->stored,
                "parts of its matrices lie apart from each other, this version runs but does not export such tensors");
        const bool convert = m_options.dtype && converts(slot.kind, part);
        const DType dtype = convert ? *m_options.dtype : part.dtype;
        if (std::ranges::find(exportDTypes, dtype) == exportDTypes.end())
            refuse(*found->stored,
                "it is stored as " + std::string(name(dtype))
                    + ", an export of version 1 holds f32, f16, bf16 and int8");
        to.push_back({part, part.name, dtype});
    }

    /// The first reason counts.
    void refuse(const TensorInfo& tensor, std::string why)
    {
        if (!m_refusal)
            m_refusal = Error{
                Errc::Unsupported, "export tensor " + tensor.name, m_model.source.path, tensor.offset, std::move(why)};
    }

    const LoadedModel& m_model;
    const ExportOptions& m_options;
    WriteRequest& m_request;
    std::optional<Error> m_refusal;
};

} // namespace

Result<void> planTensors(const LoadedModel& model, const ExportOptions& options, WriteRequest& request)
{
    return Planner(model, options, request).plan();
}

} // namespace colibri
