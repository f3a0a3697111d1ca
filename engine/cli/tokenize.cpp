// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/shared_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace colibri::cli {
namespace {

struct TokenizeArguments {
    std::string model;
    PromptArguments prompt;
    bool json = false;
};

/// The bytes of a token as a JSON string; bytes that are no UTF-8 by themselves show as U+FFFD.
std::string quoted(std::string_view bytes)
{
    return Json(bytes).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string lines(const Model& model, const std::vector<TokenId>& ids)
{
    std::string text;
    for (const TokenId id : ids)
        text += fmt::format("{}\t{}\n", id, quoted(model.tokenBytes(id)));
    return text;
}

Result<int> tokenizePrompt(const TokenizeArguments& arguments, std::stop_token stop)
{
    const Result<Prompt> prompt = readPrompt(arguments.prompt, PromptKind::TextOnly, stop);
    if (!prompt)
        return prompt.error();
    const Result<OpenedModel> opened = openWithProgress(arguments.model, {LoadMode::Lazy, {}}, stop);
    if (!opened)
        return opened.error();
    const Model& model = *opened->model;
    const Result<std::vector<TokenId>> ids = promptIds(model, *prompt);
    if (!ids)
        return ids.error();
    if (arguments.json)
        printJson({{"token_ids", *ids}, {"engine", engineJson(model)}});
    else
        print(lines(model, *ids));
    return exitDone;
}

} // namespace

Action configureTokenize(CLI::App& app)
{
    const auto arguments = std::make_shared<TokenizeArguments>();
    addModel(app, arguments->model);
    addPromptOptions(app, arguments->prompt, PromptKind::TextOnly);
    addFlag(app, {"--json", {}, "print one JSON value"}, arguments->json);
    return [arguments](std::stop_token stop) { return tokenizePrompt(*arguments, stop); };
}

} // namespace colibri::cli
