// SPDX-License-Identifier: Apache-2.0
#include "api/export.h"

#include "api/export_plan.h"
#include "api/model_impl.h"
#include "api/model_tokenizer.h"
#include "format/colibri_writer.h"
#include "model/config_writer.h"

#include <chrono>

namespace colibri {
namespace {

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

} // namespace

Result<ExportSize> plannedExport(const Model& model, const ExportOptions& options)
{
    auto request = requestFor(model, {}, options);
    if (!request)
        return request.error();
    auto changes = planTensors(*model.impl().loaded, options, *request);
    if (!changes)
        return changes.error();
    auto size = sizeOf(*request);
    if (size)
        size->changes = std::move(*changes);
    return size;
}

Result<ExportReport> exportModel(const Model& model, const std::string& out, const ExportOptions& options,
    OpenProgress* progress, std::stop_token stop)
{
    auto request = requestFor(model, out, options);
    if (!request)
        return request.error();
    auto changes = planTensors(*model.impl().loaded, options, *request);
    if (!changes)
        return changes.error();
    const auto bytes = plannedBytes(*request);
    if (!bytes)
        return bytes.error();
    if (progress)
        progress->setBytesTotal(bytes->written);
    const ProgressFn written =
        progress ? ProgressFn([progress](std::uint64_t more) { progress->addBytes(more); }) : ProgressFn();
    const auto report = writeColibriExport(*request, written, std::move(stop));
    if (!report)
        return report.error();
    return ExportReport{report->bytesWritten, report->tensors, report->experts, std::move(*changes)};
}

} // namespace colibri
