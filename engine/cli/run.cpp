// SPDX-License-Identifier: Apache-2.0
#include "api/session.h"
#include "api/text_stream.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/run_outputs.h"
#include "cli/shared_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>
#include <optional>
#include <unistd.h>

namespace colibri::cli {
namespace {

constexpr std::uint32_t defaultTokens = 128;

struct RunArguments {
    std::string model;
    PromptArguments prompt;
    std::optional<std::uint32_t> tokens;
    bool ignoreEndOfText = false;
    bool json = false;
    SamplingArguments sampling;
    EngineArguments engine;
};

/// What is printed while tokens are made: text, or ids for a model without a tokenizer.
class LiveText {
public:
    LiveText(const Model& model, bool shown)
        : m_model(model)
        , m_stream(model)
        , m_shown(shown)
    {
    }
    void add(TokenId id)
    {
        if (m_shown)
            print(m_model.hasTokenizer() ? std::string(m_stream.push(id)) : fmt::format("{} ", id));
    }
    void finish()
    {
        if (!m_shown)
            return;
        print(m_stream.finish());
        if (isatty(STDOUT_FILENO) || !m_model.hasTokenizer())
            print("\n");
    }

private:
    const Model& m_model;
    TextStream m_stream;
    bool m_shown;
};

std::string rateText(const std::optional<double>& rate)
{
    return rate ? fmt::format(" ({:.1f} tok/s)", *rate) : std::string();
}

void printTimings(
    StopReason reason, double loadS, const RunTimings& timings, std::size_t generated, std::uint64_t breakerEvents)
{
    std::string line = fmt::format("loaded in {:.2f} s, prompt of {} tokens in {:.3f} s{}, {} tokens made, {} of "
                                   "them in {:.3f} s{}; ended by {}\n",
        loadS, timings.prefillTokens, timings.prefillS, rateText(rate(timings.prefillTokens, timings.prefillS)),
        generated, timings.decodeTokens, timings.decodeS, rateText(rate(timings.decodeTokens, timings.decodeS)),
        name(reason));
    if (breakerEvents > 0)
        line += fmt::format("{} expert outputs were not finite and counted as zero\n", breakerEvents);
    std::fwrite(line.data(), 1, line.size(), stderr);
}

Json runJson(const RunArguments& arguments, const OpenedModel& opened, const Session& session,
    const std::vector<TokenId>& prompt, StopReason reason, const RunRecord& record, double loadS)
{
    const std::vector<TokenId> made(session.generated().begin(), session.generated().end());
    return {{"prompt_token_ids", prompt}, {"token_ids", made}, {"text", opened.model->detokenize(made)},
        {"stop_reason", name(reason)}, {"timings", timingsJson(loadS, session.timings())},
        {"memory", memoryJson(*opened.model, session)}, {"breaker_events", record.breakerEvents()},
        {"engine", engineJson(session.info(), arguments.sampling.options.seed)}};
}

/// Makes all tokens of the run; `live` gets each.
Result<StopReason> generate(Session& session, const RunRecord& record, std::size_t promptTokens, std::uint32_t tokens,
    LiveText& live, std::stop_token stop)
{
    std::optional<ProgressLine> line(std::in_place, [&record, promptTokens] {
        return percentText("reading the prompt", record.routed(), static_cast<double>(promptTokens));
    });
    Result<StopReason> reason = session.advance(tokens, stop, [&](TokenId id) {
        line.reset();
        live.add(id);
    });
    line.reset();
    live.finish();
    return reason;
}

Result<int> runLanguage(const RunArguments& arguments, const OpenedModel& opened, Session& session,
    const std::vector<TokenId>& prompt, double loadS, std::stop_token stop)
{
    const std::uint32_t tokens = arguments.tokens.value_or(defaultTokens);
    const std::shared_ptr<RunRecord> record = session.makeRecord();
    RunRequest request{prompt, tokens, arguments.sampling.options, arguments.ignoreEndOfText};
    if (const Result<void> begun = session.begin(std::move(request), record); !begun)
        return begun.error();
    LiveText live(*opened.model, !arguments.json);
    const Result<StopReason> reason = generate(session, *record, prompt.size(), tokens, live, stop);
    if (!reason)
        return reason.error();
    if (arguments.json)
        printJson(runJson(arguments, opened, session, prompt, *reason, *record, loadS));
    else
        printTimings(*reason, loadS, session.timings(), session.generated().size(), record->breakerEvents());
    return *reason == StopReason::Cancelled ? exitInterrupted : exitDone;
}

/// A model without a head makes no tokens: options that only concern these are refused.
Result<void> checkOutputsOnly(const RunArguments& arguments)
{
    std::vector<std::string> given = arguments.sampling.given;
    if (arguments.tokens)
        given.emplace_back("-n");
    if (arguments.ignoreEndOfText)
        given.emplace_back("--ignore-eos");
    if (!given.empty())
        return usageError(given.front(), "a linear_moe has no output head and makes no tokens");
    if (!arguments.prompt.ids)
        return usageError(
            arguments.prompt.text ? "-p" : "--prompt-file", "a linear_moe reads token ids: --tokens 1,2,3");
    return {};
}

Result<int> run(const RunArguments& arguments, std::stop_token stop)
{
    if (const Result<void> checked = checkEngine(arguments.engine); !checked)
        return checked.error();
    const Result<Prompt> prompt = readPrompt(arguments.prompt, PromptKind::TextOrIds, stop);
    if (!prompt)
        return prompt.error();
    const auto start = std::chrono::steady_clock::now();
    const Result<OpenedModel> opened = openWithProgress(arguments.model, arguments.engine.open, stop);
    if (!opened)
        return opened.error();
    const bool outputsOnly = opened->model->config().architecture == Architecture::LinearMoe;
    if (const Result<void> checked = outputsOnly ? checkOutputsOnly(arguments) : Result<void>(); !checked)
        return checked.error();
    const Result<std::vector<TokenId>> ids = promptIds(*opened->model, *prompt);
    if (!ids)
        return ids.error();
    Result<std::unique_ptr<Session>> session = Session::create(opened->model, arguments.engine.engine);
    if (!session)
        return session.error();
    const double loadS = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (outputsOnly)
        return runOutputs(**session, *ids, loadS, arguments.json, stop);
    return runLanguage(arguments, *opened, **session, *ids, loadS, stop);
}

} // namespace

Action configureRun(CLI::App& app)
{
    const auto arguments = std::make_shared<RunArguments>();
    addModel(app, arguments->model);
    addPromptOptions(app, arguments->prompt, PromptKind::TextOrIds);
    addNumber<std::uint32_t>(app, {"-n", "N", "tokens to make at most (default 128)"}, arguments->tokens, 0);
    addFlag(app, {"--ignore-eos", {}, "go on after an end-of-text token"}, arguments->ignoreEndOfText);
    addFlag(app, {"--json", {}, "print one JSON value instead of the text"}, arguments->json);
    addSamplingOptions(app, arguments->sampling);
    addEngineOptions(app, arguments->engine);
    return [arguments](std::stop_token stop) { return run(*arguments, stop); };
}

} // namespace colibri::cli
