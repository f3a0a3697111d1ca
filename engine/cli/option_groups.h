// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/model.h"
#include "types/engine_options.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace colibri::cli {

/// --raw: how a folder without a header is read.
void addRawOption(CLI::App& app, std::optional<RawOptions>& raw);
/// "in=512,out=512,dtype=f16,layout=row_major,bias=true,index=position" in any order and number.
Result<RawOptions> parseRaw(const std::string& text);

struct EngineArguments {
    EngineOptions engine;
    OpenOptions open;
};
/// Options of how a model is opened and run.
void addEngineOptions(CLI::App& app, EngineArguments& arguments);
/// Refuses choices that exclude each other.
Result<void> checkEngine(const EngineArguments& arguments);

struct SamplingArguments {
    SamplingOptions options;
    std::vector<std::string> given; ///< names of the options that were given
};
void addSamplingOptions(CLI::App& app, SamplingArguments& arguments);

/// Where token ids come from; exactly one is given.
struct PromptArguments {
    std::optional<std::string> text; ///< "-": standard input
    std::optional<std::string> file;
    std::optional<std::string> ids;
};
enum class PromptKind { TextOnly, TextOrIds };
void addPromptOptions(CLI::App& app, PromptArguments& arguments, PromptKind kind);
/// What was typed, read but not yet tokenized: ids, or a text.
struct Prompt {
    std::vector<TokenId> ids;
    std::optional<std::string> text;
};
Result<Prompt> readPrompt(const PromptArguments& arguments, PromptKind kind, std::stop_token stop);
Result<std::vector<TokenId>> promptIds(const Model& model, const Prompt& prompt);

} // namespace colibri::cli
