// SPDX-License-Identifier: Apache-2.0
#include "api/export.h"

#include "api/export_table.h"
#include "api/model_impl.h"
#include "api/model_tokenizer.h"
#include "format/colibri_writer.h"
#include "format/output_folder.h"
#include "model/config_writer.h"
#include "model/find_tensor.h"

#include <algorithm>
#include <chrono>
#include <utility>

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

/// Computes what a task asks for. Progress: `bytes` for the whole of it.
Result<void> makeTable(const Model& model, const RouterTableOptions& options, RouterTableTask& task,
    std::uint64_t bytes, OpenProgress* progress, const std::stop_token& stop)
{
    std::uint64_t shown = 0;
    const TableProgress report = [&](std::uint64_t done, std::uint64_t total) {
        const auto reached = static_cast<std::uint64_t>(
            static_cast<double>(bytes) * static_cast<double>(done) / static_cast<double>(total));
        if (progress)
            progress->addBytes(reached - std::exchange(shown, reached));
    };
    return computeRouterTable(model, options, task, report, stop);
}

/// For "source" of config.json.
std::pair<std::string, std::string> tableOption(const RouterTableTask& task)
{
    return {"router_table",
        task.kept               ? std::string("kept")
            : task.report.exact ? std::string("exact")
                                : "profile of " + std::to_string(task.tokens.size()) + " tokens"};
}

} // namespace

Result<ExportReport> exportModel(const Model& model, const std::string& out, const ExportOptions& options,
    OpenProgress* progress, std::stop_token stop)
{
    const LoadedModel& loaded = *model.impl().loaded;
    WriteRequest request;
    request.source = &loaded.source;
    request.out = out;
    auto config = parseJson(canonicalConfig(loaded.config), loaded.source.configFile);
    if (!config)
        return config.error();
    request.config = std::move(*config);
    request.options = {{"dtype", options.dtype ? std::string(name(*options.dtype)) : std::string("kept")}};
    request.toolVersion = COLIBRI_VERSION;
    request.time = std::chrono::system_clock::now().time_since_epoch() / std::chrono::seconds(1);
    auto tokenizer = tokenizerText(loaded.source);
    if (!tokenizer)
        return tokenizer.error();
    request.tokenizerText = std::move(*tokenizer);
    if (auto planned = Planner(loaded, options, request).plan(); !planned)
        return planned.error();

    std::optional<RouterTableTask> table;
    if (options.routerTable) {
        auto task = routerTableTask(model, *options.routerTable);
        if (!task)
            return task.error();
        table = std::move(*task);
        request.options.push_back(tableOption(*table));
        if (!table->kept)
            request.table = table->plan; // its sizes
    }
    const auto bytes = plannedBytes(request);
    if (!bytes)
        return bytes.error();
    if (progress)
        progress->setBytesTotal(request.table ? 2 * *bytes : *bytes);
    if (request.table) {
        if (auto place = OutputFolder::create(out); !place) // before the long work
            return place.error();
        if (auto made = makeTable(model, *options.routerTable, *table, *bytes, progress, stop); !made)
            return made.error();
        request.table = std::move(table->plan);
    }
    const ProgressFn written =
        progress ? ProgressFn([progress](std::uint64_t more) { progress->addBytes(more); }) : ProgressFn();
    const auto report = writeColibriExport(request, written, std::move(stop));
    if (!report)
        return report.error();
    ExportReport result{report->bytesWritten, report->tensors, report->experts, {}, {}};
    if (table) {
        result.table = table->report;
        result.notes = std::move(table->notes);
    }
    return result;
}

} // namespace colibri
