// SPDX-License-Identifier: Apache-2.0
#include "api/export.h"

#include "api/agreement.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/export_report.h"
#include "cli/inputs.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/report.h"

#include <nlohmann/json.hpp>

#include <chrono>

namespace colibri::cli {
namespace {

constexpr std::uint32_t defaultVerifyTokens = 256;

struct ExportArguments {
    std::string source;
    std::optional<std::string> out;
    std::optional<DType> dtype;
    bool routerTable = false;
    std::optional<float> nearTie;
    std::optional<std::string> textFile;
    std::optional<std::string> tokensFile;
    std::optional<std::uint32_t> verifyTokens;
    std::uint32_t threads = 0;
    OpenOptions open{LoadMode::Lazy, {}};
    bool json = false;
};

Result<void> checkArguments(const ExportArguments& arguments)
{
    if (!arguments.out)
        return usageError("--out", "missing: the folder to write");
    if (arguments.textFile && arguments.tokensFile)
        return usageError("more than one text", "give one of --tokens-file FILE or --text-file FILE");
    if (arguments.nearTie && !arguments.routerTable)
        return usageError("--near-tie", "it bounds what is counted while a table is made, so it needs --router-table");
    if ((arguments.textFile || arguments.tokensFile) && !arguments.routerTable && arguments.verifyTokens == 0u)
        return usageError(arguments.textFile ? "--text-file" : "--tokens-file",
            "nothing reads it: there is no --router-table, and --verify-tokens is 0");
    return {};
}

/// The ids of the text that was given; empty when none was.
Result<std::vector<TokenId>> givenTokens(const ExportArguments& arguments, const Model& model)
{
    if (!arguments.textFile && !arguments.tokensFile)
        return std::vector<TokenId>();
    const std::string& file = arguments.tokensFile ? *arguments.tokensFile : *arguments.textFile;
    const Result<std::string> text = readFile(file);
    if (!text)
        return text.error();
    Result<std::vector<TokenId>> ids = arguments.tokensFile ? tokenList(*text, file) : model.tokenize(*text);
    if (ids && ids->empty())
        return usageError(file, "holds no token");
    return ids;
}

double secondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Result<ExportReport> exportWithProgress(
    const ExportArguments& arguments, const Model& model, const std::vector<TokenId>& tokens, std::stop_token stop)
{
    ExportOptions options;
    options.dtype = arguments.dtype;
    if (arguments.routerTable) {
        options.routerTable.emplace();
        options.routerTable->tokens = tokens;
        options.routerTable->engine.threads = arguments.threads;
        if (arguments.nearTie)
            options.routerTable->nearTie = *arguments.nearTie;
    }
    OpenProgress progress;
    const ProgressLine line([&progress] {
        return percentText(
            "exporting", static_cast<double>(progress.bytesDone()), static_cast<double>(progress.bytesTotal()));
    });
    return exportModel(model, *arguments.out, options, &progress, std::move(stop));
}

/// Opens what was written and compares it with its source.
Result<Agreement> compareWithProgress(
    const ExportArguments& arguments, const ModelPtr& source, std::vector<TokenId> tokens, std::stop_token stop)
{
    const std::uint32_t limit = arguments.verifyTokens.value_or(defaultVerifyTokens);
    if (tokens.empty())
        tokens = defaultTokens(*source, limit);
    tokens.resize(std::min<std::size_t>(tokens.size(), limit));
    const Result<OpenedModel> copy = openWithProgress(*arguments.out, {LoadMode::Lazy, {}}, stop);
    if (!copy)
        return copy.error();
    EngineOptions engine;
    engine.threads = arguments.threads;
    OpenProgress progress;
    const ProgressLine line([&progress] {
        return percentText(
            "comparing", static_cast<double>(progress.bytesDone()), static_cast<double>(progress.bytesTotal()));
    });
    return compareModels(source, copy->model, tokens, engine, &progress, std::move(stop));
}

Result<int> exportSource(const ExportArguments& arguments, std::stop_token stop)
{
    if (const Result<void> checked = checkArguments(arguments); !checked)
        return checked.error();
    const Result<OpenedModel> opened = openWithProgress(arguments.source, arguments.open, stop);
    if (!opened)
        return opened.error();
    const ModelPtr& model = opened->model;
    const Result<std::vector<TokenId>> tokens = givenTokens(arguments, *model);
    if (!tokens)
        return tokens.error();
    auto start = std::chrono::steady_clock::now();
    Result<ExportReport> written = exportWithProgress(arguments, *model, *tokens, stop);
    if (!written)
        return written.error();
    WrittenExport report{
        arguments.source, *arguments.out, arguments.dtype, std::move(*written), secondsSince(start), {}, 0};

    int code = exitDone;
    if (arguments.verifyTokens != 0u) {
        start = std::chrono::steady_clock::now();
        const Result<Agreement> agreement = compareWithProgress(arguments, model, *tokens, stop);
        if (!agreement && agreement.error().code != Errc::Cancelled)
            return agreement.error();
        if (agreement)
            report.agreement = *agreement;
        else
            report.report.notes.emplace_back("Stopped while it was compared with its source; the export is complete.");
        report.comparedSeconds = secondsSince(start);
        code = agreement ? exitDone : exitInterrupted;
    }
    if (arguments.json)
        printJson(exportJson(report, *model));
    else
        print(exportText(report));
    return code;
}

void addTextOptions(CLI::App& app, ExportArguments& arguments)
{
    constexpr const char* group = "Routing table and comparison";
    addFlag(app,
        {"--router-table", {},
            "add a static routing table and the router logits it is from: exact where experts hang on the token id "
            "alone, else what a text chose most often",
            group},
        arguments.routerTable);
    addNumber<float>(app,
        {"--near-tie", "X", "count decisions with a margin below X while the table is made (default 0.001)", group},
        arguments.nearTie, 0.f);
    addText(app,
        {"--text-file", "FILE", "the text for the table and the comparison (default: a short one that is built in)",
            group},
        arguments.textFile);
    addText(app,
        {"--tokens-file", "FILE", "the same as token ids, separated by white space or commas, or a JSON array", group},
        arguments.tokensFile);
    addNumber<std::uint32_t>(app,
        {"--verify-tokens", "N",
            "tokens of the text that source and export are compared over (default 256); 0: not compared", group},
        arguments.verifyTokens, 0);
    addNumber<std::uint32_t>(
        app, {"--threads", "N", "compute threads (default: all cores)", group}, arguments.threads, 1, 1024);
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
            arguments->dtype = exportDTypeNamed(value);
            if (!arguments->dtype)
                return choiceRefused("--dtype", value, {"f32", "f16", "bf16", "int8"});
            return {};
        });
    addFlag(app, {"--json", {}, "print one JSON value"}, arguments->json);
    addTextOptions(app, *arguments);
    addRawOption(app, arguments->open.raw);
    return [arguments](std::stop_token stop) { return exportSource(*arguments, stop); };
}

} // namespace colibri::cli
