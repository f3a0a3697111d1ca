// SPDX-License-Identifier: Apache-2.0
#include "cli/option_groups.h"

#include "cli/arguments.h"
#include "cli/inputs.h"
#include "cli/report.h"

#include <algorithm>

namespace colibri::cli {
namespace {

constexpr const char* engineGroup = "Engine";
constexpr const char* samplingGroup = "Sampling";
constexpr const char* promptGroup = "Prompt";
constexpr std::uint32_t maxU32 = std::numeric_limits<std::uint32_t>::max();
constexpr float maxFloat = std::numeric_limits<float>::max();

using RawSetter = Result<void> (*)(RawOptions& raw, const std::string& value);
struct RawKey {
    std::string_view key;
    RawSetter set;
};

/// Puts a number of at least 1 into a field of RawOptions.
template <std::uint32_t RawOptions::*field>
Result<void> setSize(RawOptions& raw, const std::string& value)
{
    const Result<std::uint32_t> number = numberFrom<std::uint32_t>(value, 1, maxU32);
    if (!number)
        return number.error();
    raw.*field = *number;
    return {};
}

/// Puts the value that `lookUp` finds into a field of RawOptions; `allowed` lists the names.
template <auto field, class LookUp>
Result<void> setNamed(RawOptions& raw, const std::string& value, LookUp lookUp, const char* allowed)
{
    const auto found = lookUp(value);
    if (!found)
        return usageError({}, "\"" + value + "\" is not one of " + allowed);
    raw.*field = *found;
    return {};
}

std::optional<bool> truthNamed(std::string_view value)
{
    return value == "true" ? std::optional(true) : value == "false" ? std::optional(false) : std::nullopt;
}

constexpr RawKey rawKeys[]{
    {"in", setSize<&RawOptions::in>},
    {"out", setSize<&RawOptions::out>},
    {"dtype",
        [](RawOptions& raw, const std::string& value) {
            return setNamed<&RawOptions::dtype>(raw, value, exportDTypeNamed, "f32, f16, bf16, int8");
        }},
    {"layout",
        [](RawOptions& raw, const std::string& value) {
            return setNamed<&RawOptions::layout>(raw, value, layoutNamed, "row_major, column_major");
        }},
    {"bias",
        [](RawOptions& raw, const std::string& value) {
            return setNamed<&RawOptions::bias>(raw, value, truthNamed, "true, false");
        }},
    {"index",
        [](RawOptions& raw, const std::string& value) {
            return setNamed<&RawOptions::index>(raw, value, tableIndexNamed, "token, position");
        }},
};

Result<void> setRawField(RawOptions& raw, const std::string& field)
{
    const std::size_t equals = field.find('=');
    const std::string key = field.substr(0, equals);
    const auto found = std::ranges::find(rawKeys, key, &RawKey::key);
    if (equals == std::string::npos || found == std::end(rawKeys))
        return usageError({}, "\"" + field + "\" is none of in=, out=, dtype=, layout=, bias=, index=");
    if (const Result<void> set = found->set(raw, field.substr(equals + 1)); !set)
        return usageError("--raw " + key, set.error().why);
    return {};
}

/// Reads one text option's value: `-` as text is standard input.
Result<std::string> readText(const PromptArguments& arguments, std::stop_token stop)
{
    if (arguments.file)
        return readFile(*arguments.file);
    return *arguments.text == "-" ? readStandardInput(stop) : *arguments.text;
}

} // namespace

Result<RawOptions> parseRaw(const std::string& text)
{
    RawOptions raw;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        if (const Result<void> set = setRawField(raw, text.substr(at, end - at)); !set)
            return set.error();
        at = end + 1;
    }
    return raw;
}

void addRawOption(CLI::App& app, std::optional<RawOptions>& raw)
{
    const OptionText text{"--raw", "KEY=VALUE,...",
        "read the folder as a raw export without headers; keys in, out (sizes), dtype, layout (row_major, "
        "column_major), "
        "bias (true, false), index (token, position: what a row of the routing table stands for); what is left out "
        "comes "
        "from config.json or the file sizes",
        engineGroup};
    addOption(app, text, [&raw](const std::string& value) -> Result<void> {
        Result<RawOptions> parsed = parseRaw(value);
        if (!parsed)
            return parsed.error();
        raw = *parsed;
        return {};
    });
}

void addEngineOptions(CLI::App& app, EngineArguments& arguments)
{
    EngineOptions& engine = arguments.engine;
    const auto text = [](const char* names, const char* value, const char* help) {
        return OptionText{names, value, help, engineGroup};
    };
    addNumber<std::uint32_t>(
        app, text("--threads", "N", "compute threads (default: all cores)"), engine.threads, 1, 1024);
    addNumber<std::uint32_t>(app,
        text("--batch", "N", "tokens of a prompt that are computed together (default 256); changes no bit"),
        engine.batch, 1);
    addNumber<std::uint32_t>(app,
        text("--context", "N", "room for prompt and continuation, in tokens (default: the model's, at most 4096)"),
        engine.context, 1);
    addChoice<KvType>(app, text("--kv", "f32|f16", "storage of keys and values (default f32)"), engine.kv);
    addChoice<Numerics>(app,
        text("--numerics", "NAME",
            "reproducible (default): the same bits on every machine; scalar: the same in plain code, slow"),
        engine.numerics);
    addChoice<Activations>(app,
        text(
            "--activations", "q8|f32", "for int8 weights: activations rounded to 8 bits in blocks (default), or never"),
        engine.activations);
    addChoice<Isa>(app, text("--isa", "NAME", "instruction set: auto (default), scalar, avx2 or avx512"), engine.isa);
    addChoice<RoutingSource>(app,
        text("--routing", "live|table", "who chooses experts (default: the router, else the model's table)"),
        engine.routing);
    addChoice<Breaker>(app,
        text("--nonfinite", "zero|fatal",
            "when an expert gives NaN or infinity: its output counts as zero (default), or the run ends; counted "
            "either way"),
        engine.breaker);
    addChoice<LoadMode>(app,
        text("--load", "NAME",
            "auto (default), lazy: pages are read when touched, or populate: all are read while opening"),
        arguments.open.load);
    addRawOption(app, arguments.open.raw);
}

Result<void> checkEngine(const EngineArguments& arguments)
{
    const bool scalarOnly = arguments.engine.isa == Isa::Auto || arguments.engine.isa == Isa::Scalar;
    if (arguments.engine.numerics == Numerics::Scalar && !scalarOnly)
        return usageError(
            "--isa " + std::string(name(arguments.engine.isa)), "excluded by --numerics scalar, which is plain code");
    return {};
}

void addSamplingOptions(CLI::App& app, SamplingArguments& arguments)
{
    SamplingOptions& options = arguments.options;
    const auto add = [&]<class T>(
                         const char* name, const char* value, const char* help, T& target, T lowest, T highest) {
        addOption(app, {name, value, help, samplingGroup},
            [&arguments, &target, name, lowest, highest](const std::string& typed) -> Result<void> {
                const Result<T> number = numberFrom<T>(typed, lowest, highest);
                if (!number)
                    return number.error();
                target = *number;
                arguments.given.emplace_back(name);
                return {};
            });
    };
    add("--temperature", "T", "0 (default): always the most probable token", options.temperature, 0.f, maxFloat);
    add("--top-k", "N", "keep the N most probable tokens (0, default: off)", options.topK, 0u, maxU32);
    add("--top-p", "P", "keep the most probable tokens that reach P together (1, default: off)", options.topP, 0.f,
        1.f);
    add("--min-p", "P", "drop tokens below P times the best one's probability (0, default: off)", options.minP, 0.f,
        1.f);
    add("--repeat-penalty", "X", "over the last 64 tokens (1, default: off)", options.repeatPenalty, 0.f, maxFloat);
    add("--seed", "N", "of the random generator (default 0)", options.seed, std::uint64_t{0},
        std::numeric_limits<std::uint64_t>::max());
}

void addPromptOptions(CLI::App& app, PromptArguments& arguments, PromptKind kind)
{
    addText(app, {"-p,--prompt", "TEXT", "the text; - reads standard input", promptGroup}, arguments.text);
    addText(app, {"--prompt-file", "FILE", "the text from a file", promptGroup}, arguments.file);
    if (kind == PromptKind::TextOrIds)
        addText(app, {"--tokens", "1,2,3", "token ids as they are", promptGroup}, arguments.ids);
}

Result<Prompt> readPrompt(const PromptArguments& arguments, PromptKind kind, std::stop_token stop)
{
    const int given =
        int{arguments.text.has_value()} + int{arguments.file.has_value()} + int{arguments.ids.has_value()};
    const std::string choices = kind == PromptKind::TextOrIds ? "-p TEXT, --prompt-file FILE or --tokens 1,2,3"
                                                              : "-p TEXT or --prompt-file FILE";
    if (given != 1)
        return usageError(given == 0 ? "no prompt" : "more than one prompt", "give one of " + choices);
    Prompt prompt;
    if (arguments.ids) {
        Result<std::vector<TokenId>> ids = tokenList(*arguments.ids, "--tokens");
        if (!ids)
            return ids.error();
        prompt.ids = std::move(*ids);
        return prompt;
    }
    Result<std::string> text = readText(arguments, stop);
    if (!text)
        return text.error();
    prompt.text = std::move(*text);
    return prompt;
}

Result<std::vector<TokenId>> promptIds(const Model& model, const Prompt& prompt)
{
    return prompt.text ? model.tokenize(*prompt.text) : prompt.ids;
}

} // namespace colibri::cli
