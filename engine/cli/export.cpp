// SPDX-License-Identifier: Apache-2.0
#include "api/export.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/shared_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>

namespace colibri::cli {
namespace {

struct ExportArguments {
    std::string source;
    std::optional<std::string> out;
    ExportOptions options;
    OpenOptions open{LoadMode::Lazy, {}};
    bool json = false;
};

Json changesJson(const std::vector<TypeChange>& changes)
{
    Json list = Json::array();
    for (const TypeChange& change : changes)
        list.push_back({{"from", name(change.from)}, {"to", name(change.to)}, {"exact", change.exact},
            {"tensors", change.tensors}});
    return list;
}

/// One line for each type that could not be kept; --json lists all tensors.
std::string changesText(const std::vector<TypeChange>& changes)
{
    std::string text;
    for (const TypeChange& change : changes)
        text += fmt::format("  {} {} of {} stored as {}, {}: {}{}\n", change.tensors.size(),
            change.tensors.size() == 1 ? "tensor" : "tensors", name(change.from), name(change.to),
            change.exact ? "exactly" : "rounded", change.tensors.front(), change.tensors.size() > 1 ? ", ..." : "");
    return text;
}

Json reportJson(const ExportArguments& arguments, const Model& model, const ExportReport& report, double seconds)
{
    return {{"source", arguments.source}, {"out", *arguments.out},
        {"dtype", arguments.options.dtype ? Json(name(*arguments.options.dtype)) : Json(nullptr)},
        {"bytes_written", report.bytesWritten}, {"tensors", report.tensors}, {"experts", report.experts},
        {"changed_types", changesJson(report.changes)}, {"seconds", seconds},
        {"notes", std::vector<std::string>(model.notes().begin(), model.notes().end())}, {"engine", engineJson(model)}};
}

Result<int> exportSource(const ExportArguments& arguments, std::stop_token stop)
{
    if (!arguments.out)
        return usageError("--out", "missing: the folder to write");
    const Result<OpenedModel> opened = openWithProgress(arguments.source, arguments.open, stop);
    if (!opened)
        return opened.error();
    const Model& model = *opened->model;
    OpenProgress progress;
    const auto start = std::chrono::steady_clock::now();
    Result<ExportReport> report = Error{};
    {
        const ProgressLine line([&progress] {
            return percentText(
                "writing", static_cast<double>(progress.bytesDone()), static_cast<double>(progress.bytesTotal()));
        });
        report = exportModel(model, *arguments.out, arguments.options, &progress, stop);
    }
    if (!report)
        return report.error();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (arguments.json)
        printJson(reportJson(arguments, model, *report, seconds));
    else
        print(fmt::format("{}: {} in {} tensors and {} expert files, {:.2f} s\n", *arguments.out,
                  sizeText(report->bytesWritten), report->tensors, report->experts, seconds)
            + changesText(report->changes));
    return exitDone;
}

} // namespace

Action configureExport(CLI::App& app)
{
    const auto arguments = std::make_shared<ExportArguments>();
    addModel(app, arguments->source, "SOURCE");
    addText(app, {"--out", "DIR", "the folder to write; must not exist"}, arguments->out);
    addOption(app,
        {"--dtype", "NAME", "of the matrices: f32, f16, bf16 or int8 (default: as in the source, blocks of GGUF too)"},
        [arguments](const std::string& value) -> Result<void> {
            arguments->options.dtype = exportDTypeNamed(value);
            if (!arguments->options.dtype)
                return choiceRefused("--dtype", value, {"f32", "f16", "bf16", "int8"});
            return {};
        });
    addFlag(app, {"--json", {}, "print one JSON value"}, arguments->json);
    addRawOption(app, arguments->open.raw);
    return [arguments](std::stop_token stop) { return exportSource(*arguments, stop); };
}

} // namespace colibri::cli
