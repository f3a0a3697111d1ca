// SPDX-License-Identifier: Apache-2.0
#include "api/session.h"
#include "api/token_loss.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/shared_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>

namespace colibri::cli {
namespace {

struct PerplexityArguments {
    std::string model;
    std::optional<std::string> tokensFile;
    std::optional<std::string> textFile;
    std::optional<std::uint32_t> window;
    EngineArguments engine;
    bool json = false;
};

struct LossSum {
    double loss = 0;
    std::uint64_t tokens = 0;
    std::uint32_t windows = 0;
    double mean() const { return loss / static_cast<double>(tokens); }
};

Result<void> checkFiles(const PerplexityArguments& arguments)
{
    if (arguments.tokensFile.has_value() == arguments.textFile.has_value())
        return usageError(arguments.textFile ? "more than one text" : "no text",
            "give one of --tokens-file FILE or --text-file FILE");
    return checkEngine(arguments.engine);
}

Result<std::vector<TokenId>> readIds(const PerplexityArguments& arguments, const Model& model)
{
    const std::string file = arguments.tokensFile ? *arguments.tokensFile : *arguments.textFile;
    const Result<std::string> text = readFile(file);
    if (!text)
        return text.error();
    Result<std::vector<TokenId>> ids = arguments.tokensFile ? tokenList(*text, file) : model.tokenize(*text);
    if (!ids)
        return ids.error();
    if (ids->size() < 2)
        return usageError(file, "one token predicts nothing; at least 2 are needed");
    const std::uint32_t vocabulary = model.config().vocabSize;
    const auto outside = std::ranges::find_if(*ids, [&](TokenId id) { return id >= vocabulary; });
    if (outside != ids->end())
        return usageError(file,
            fmt::format("token {} at position {} lies outside of the vocabulary of {} ids", *outside,
                outside - ids->begin(), vocabulary));
    return ids;
}

/// Adds the losses of one window: its last token is only a target.
Result<void> addWindow(Session& session, std::span<const TokenId> window, std::stop_token stop, LossSum& sum)
{
    const std::size_t width = session.model()->config().outputSize;
    const auto take = [&](std::uint32_t position, std::uint32_t count, std::span<const float> rows) {
        for (std::uint32_t i = 0; i < count; ++i)
            sum.loss += tokenLoss(rows.subspan(i * width, width), window[position + i + 1]);
        sum.tokens += count;
        return true;
    };
    ++sum.windows;
    return session.evaluate(window.first(window.size() - 1), {}, stop, take);
}

Result<LossSum> lossOfAll(Session& session, std::span<const TokenId> ids, std::uint32_t window, std::stop_token stop)
{
    LossSum sum;
    std::atomic<std::size_t> done{0};
    const ProgressLine line(
        [&] { return percentText("reading", static_cast<double>(done.load()), static_cast<double>(ids.size())); });
    for (std::size_t at = 0; at + 1 < ids.size(); at += window) {
        const std::size_t count = std::min<std::size_t>(window + std::size_t{1}, ids.size() - at);
        if (const Result<void> added = addWindow(session, ids.subspan(at, count), stop, sum); !added)
            return added.error();
        done.store(at + count);
    }
    return sum;
}

Result<int> perplexity(const PerplexityArguments& arguments, std::stop_token stop)
{
    if (const Result<void> checked = checkFiles(arguments); !checked)
        return checked.error();
    const Result<OpenedModel> opened = openWithProgress(arguments.model, arguments.engine.open, stop);
    if (!opened)
        return opened.error();
    if (opened->model->config().architecture == Architecture::LinearMoe)
        return usageError(arguments.model, "a linear_moe has no output head, so it predicts no tokens");
    const Result<std::vector<TokenId>> ids = readIds(arguments, *opened->model);
    if (!ids)
        return ids.error();
    Result<std::unique_ptr<Session>> session = Session::create(opened->model, arguments.engine.engine);
    if (!session)
        return session.error();
    const std::uint32_t context = (*session)->context();
    const std::uint32_t window = arguments.window.value_or(context);
    if (window > context)
        return usageError("--window", fmt::format("{} tokens are longer than the context of {}", window, context));
    const Result<LossSum> sum = lossOfAll(**session, *ids, window, stop);
    if (!sum)
        return sum.error();
    const double mean = sum->mean();
    if (arguments.json)
        printJson({{"tokens", sum->tokens}, {"mean_loss", mean}, {"perplexity", std::exp(mean)}, {"window", window},
            {"windows", sum->windows}, {"engine", engineJson((*session)->info())}});
    else
        print(
            fmt::format("tokens      {}\nmean loss   {:.6f}\nperplexity  {:.4f}\n", sum->tokens, mean, std::exp(mean)));
    return exitDone;
}

} // namespace

Action configurePerplexity(CLI::App& app)
{
    const auto arguments = std::make_shared<PerplexityArguments>();
    addModel(app, arguments->model);
    addText(app, {"--tokens-file", "FILE", "token ids, separated by white space or commas, or a JSON array", "Text"},
        arguments->tokensFile);
    addText(app, {"--text-file", "FILE", "a text, tokenized first", "Text"}, arguments->textFile);
    addNumber<std::uint32_t>(
        app, {"--window", "N", "tokens that are read together (default: the context)"}, arguments->window, 1);
    addFlag(app, {"--json", {}, "print one JSON value"}, arguments->json);
    addEngineOptions(app, arguments->engine);
    return [arguments](std::stop_token stop) { return perplexity(*arguments, stop); };
}

} // namespace colibri::cli
