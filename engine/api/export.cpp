// SPDX-License-Identifier: Apache-2.0
#include "api/export.h"

#include "api/export_plan.h"
#include "api/export_table.h"
#include "api/model_impl.h"
#include "api/model_tokenizer.h"
#include "format/colibri_writer.h"
#include "format/output_folder.h"
#include "model/config_writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace colibri {
namespace {

/// A table of the sizes of `plan` whose expert ids are as long as they can be.
RouterTablePlan widest(RouterTablePlan plan)
{
    plan.allocate();
    std::ranges::fill(plan.chosen, static_cast<std::uint16_t>(plan.experts ? plan.experts - 1 : 0));
    return plan;
}

/// Puts what there is to say of a table before it is made, its sizes, into the request. Empty: none was asked for.
Result<std::optional<RouterTableTask>> planTable(
    const Model& model, const ExportOptions& options, WriteRequest& request)
{
    if (!options.routerTable)
        return std::optional<RouterTableTask>();
    auto task = routerTableTask(model, *options.routerTable);
    if (!task)
        return task.error();
    request.options.emplace_back("router_table",
        task->kept               ? std::string("kept")
            : task->report.exact ? std::string("exact")
                                 : "profile of " + std::to_string(task->tokens.size()) + " tokens");
    if (!task->kept)
        request.table = widest(task->plan);
    return std::optional(std::move(*task));
}

/// Computes the table of a request. Progress: `bytes` for the whole of it.
Result<void> makeTable(const Model& model, const RouterTableOptions& options, RouterTableTask& task,
    WriteRequest& request, std::uint64_t bytes, OpenProgress* progress, const std::stop_token& stop)
{
    if (auto place = OutputFolder::create(request.out); !place) // before the long work
        return place.error();
    std::uint64_t shown = 0;
    const TableProgress report = [&](std::uint64_t done, std::uint64_t total) {
        const auto reached = static_cast<std::uint64_t>(
            static_cast<double>(bytes) * static_cast<double>(done) / static_cast<double>(total));
        if (progress)
            progress->addBytes(reached - std::exchange(shown, reached));
    };
    auto done = computeRouterTable(model, options, task, report, stop);
    request.table = std::move(task.plan);
    return done;
}

/// All that the writer has to know but the tensors.
Result<WriteRequest> requestFor(const Model& model, const std::string& out, const ExportOptions& options)
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
    return request;
}

/// An export but for the rows of its table, which have to be computed.
struct Planned {
    WriteRequest request;
    std::vector<TypeChange> changes;
    std::optional<RouterTableTask> table;
};

Result<Planned> plan(const Model& model, const std::string& out, const ExportOptions& options)
{
    auto request = requestFor(model, out, options);
    if (!request)
        return request.error();
    auto changes = planTensors(*model.impl().loaded, options, *request);
    if (!changes)
        return changes.error();
    auto table = planTable(model, options, *request);
    if (!table)
        return table.error();
    return Planned{std::move(*request), std::move(*changes), std::move(*table)};
}

} // namespace

Result<ExportSize> plannedExport(const Model& model, const ExportOptions& options)
{
    auto planned = plan(model, {}, options);
    if (!planned)
        return planned.error();
    auto size = sizeOf(planned->request);
    if (size)
        size->changes = std::move(planned->changes);
    return size;
}

Result<ExportReport> exportModel(const Model& model, const std::string& out, const ExportOptions& options,
    OpenProgress* progress, std::stop_token stop)
{
    auto planned = plan(model, out, options);
    if (!planned)
        return planned.error();
    WriteRequest& request = planned->request;
    const auto bytes = plannedBytes(request);
    if (!bytes)
        return bytes.error();
    if (progress)
        progress->setBytesTotal(request.table ? 2 * bytes->written : bytes->written);
    if (request.table)
        if (auto made =
                makeTable(model, *options.routerTable, *planned->table, request, bytes->written, progress, stop);
            !made)
            return made.error();
    const ProgressFn written =
        progress ? ProgressFn([progress](std::uint64_t more) { progress->addBytes(more); }) : ProgressFn();
    const auto report = writeColibriExport(request, written, std::move(stop));
    if (!report)
        return report.error();
    ExportReport result{report->bytesWritten, report->tensors, report->experts, {}, std::move(planned->changes), {}};
    if (planned->table) {
        result.table = planned->table->report;
        result.notes = std::move(planned->table->notes);
    }
    return result;
}

} // namespace colibri
