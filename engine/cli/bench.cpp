// SPDX-License-Identifier: Apache-2.0
#include "api/session.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/machine.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/shared_json.h"
#include "cli/weight_kinds.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace colibri::cli {
namespace {

struct BenchArguments {
    std::string model;
    std::uint32_t promptTokens = 128;
    std::uint32_t genTokens = 64;
    std::uint32_t repeat = 3;
    bool json = false;
    EngineArguments engine;
};

/// One opening and run.
struct Sample {
    double openS = 0;
    double firstTokenS = 0;
    double prefillTokS = 0;
    double decodeTokS = 0;
};

struct Measurement {
    const char* key;
    const char* label;
    const char* unit;
    double Sample::*value;
};
constexpr Measurement measurements[]{
    {"decode_tok_s", "decode", "tok/s", &Sample::decodeTokS},
    {"prefill_tok_s", "prefill", "tok/s", &Sample::prefillTokS},
    {"first_token_s", "first token", "s", &Sample::firstTokenS},
    {"open_s", "opening", "s", &Sample::openS},
};

struct Summary {
    double median = 0;
    double lowest = 0;
    double highest = 0;
};

struct Report {
    std::vector<Sample> samples;
    EngineInfo info;
    std::uint64_t decodeBytes = 0; ///< weights that a token reads
    ProcessMemory memory; ///< peaks
    std::optional<double> bandwidth; ///< bytes a second

    Summary summary(double Sample::*value) const;
    std::optional<double> bandwidthShare() const
    {
        const double used = summary(&Sample::decodeTokS).median * static_cast<double>(decodeBytes);
        return bandwidth ? std::optional(used / *bandwidth) : std::nullopt;
    }
};

Summary Report::summary(double Sample::*value) const
{
    std::vector<double> values;
    for (const Sample& sample : samples)
        values.push_back(sample.*value);
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    const double median = values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    return {median, values.front(), values.back()};
}

/// Ids spread over the vocabulary, the same in every run; 2654435761 is the golden ratio of 2^32.
std::vector<TokenId> promptOf(std::uint32_t count, std::uint32_t vocabulary)
{
    std::vector<TokenId> ids(count);
    for (std::uint32_t i = 0; i < count; ++i)
        ids[i] = static_cast<TokenId>((std::uint64_t{i * 2654435761u} * vocabulary) >> 32);
    return ids;
}

Result<Sample> measure(const BenchArguments& arguments, Session& session, double openS, std::stop_token stop)
{
    const std::uint32_t positions = arguments.promptTokens + arguments.genTokens;
    if (positions > session.context())
        return usageError("--prompt-tokens",
            fmt::format("{} and {} generated tokens need {} positions, the context holds {}", arguments.promptTokens,
                arguments.genTokens, positions, session.context()));
    RunRequest request{
        promptOf(arguments.promptTokens, session.model()->config().vocabSize), arguments.genTokens, {}, true};
    if (const Result<void> begun = session.begin(std::move(request), session.makeRecord()); !begun)
        return begun.error();
    const Result<StopReason> reason = session.advance(arguments.genTokens, stop);
    if (!reason)
        return reason.error();
    if (*reason == StopReason::Cancelled)
        return Error{Errc::Cancelled, "bench", {}, {}, "interrupted"};
    const RunTimings timings = session.timings();
    return Sample{openS, timings.firstTokenS, rate(timings.prefillTokens, timings.prefillS).value_or(0),
        rate(timings.decodeTokens, timings.decodeS).value_or(0)};
}

/// One repetition, added to `report`.
Result<void> addSample(const BenchArguments& arguments, Report& report, std::stop_token stop)
{
    const Result<OpenedModel> opened = openWithProgress(arguments.model, arguments.engine.open, stop);
    if (!opened)
        return opened.error();
    if (opened->model->config().architecture == Architecture::LinearMoe)
        return usageError(arguments.model, "a linear_moe has no output head and makes no tokens");
    Result<std::unique_ptr<Session>> session = Session::create(opened->model, arguments.engine.engine);
    if (!session)
        return session.error();
    const ProgressLine line([&] { return fmt::format("run {} of {}", report.samples.size() + 1, arguments.repeat); });
    const Result<Sample> sample = measure(arguments, **session, opened->seconds, stop);
    if (!sample)
        return sample.error();
    const ProcessMemory memory = processMemory();
    report.memory.peakResidentBytes = memory.peakResidentBytes;
    report.memory.anonymousBytes = std::max(report.memory.anonymousBytes, memory.anonymousBytes);
    report.decodeBytes = decodeBytesPerToken(*opened->model);
    report.info = (*session)->info();
    report.samples.push_back(*sample);
    return {};
}

Json reportJson(const BenchArguments& arguments, const Report& report)
{
    Json json = Json::object();
    Json spread = Json::object();
    for (const Measurement& measurement : measurements) {
        const Summary summary = report.summary(measurement.value);
        json[measurement.key] = summary.median;
        spread[measurement.key] = {summary.lowest, summary.highest};
    }
    json["decode_bytes_per_token"] = report.decodeBytes;
    json["read_bandwidth_bytes_s"] = jsonOf(report.bandwidth);
    json["decode_bandwidth_share"] = jsonOf(report.bandwidthShare());
    json["peak_rss_bytes"] = report.memory.peakResidentBytes;
    json["peak_anonymous_bytes"] = report.memory.anonymousBytes;
    json["spread"] = std::move(spread);
    json["prompt_tokens"] = arguments.promptTokens;
    json["gen_tokens"] = arguments.genTokens;
    json["repeat"] = arguments.repeat;
    json["engine"] = engineJson(report.info, 0);
    return json;
}

std::string reportText(const BenchArguments& arguments, const Report& report)
{
    std::string text =
        fmt::format("{}: {} prompt tokens, {} generated, {} runs; {} threads, {}, {}\n\n{:<24}{:>12}{:>12}{:>12}\n",
            arguments.model, arguments.promptTokens, arguments.genTokens, arguments.repeat, report.info.threads,
            report.info.isa, name(report.info.numerics), "", "median", "lowest", "highest");
    for (const Measurement& measurement : measurements) {
        const Summary summary = report.summary(measurement.value);
        text += fmt::format("{:<24}{:>12.4g}{:>12.4g}{:>12.4g}  {}\n", measurement.label, summary.median,
            summary.lowest, summary.highest, measurement.unit);
    }
    text += fmt::format("\n{:<24}{:>12}\n", "weights of a token", sizeText(report.decodeBytes));
    if (report.bandwidth)
        text += fmt::format("{:<24}{:>12}  a second, of which decode uses {:.0f} %\n", "memory reads",
            sizeText(static_cast<std::uint64_t>(*report.bandwidth)), 100 * report.bandwidthShare().value_or(0));
    return text
        + fmt::format("{:<24}{:>12}\n{:<24}{:>12}  of which not from files\n", "peak memory",
            sizeText(report.memory.peakResidentBytes), "", sizeText(report.memory.anonymousBytes));
}

Result<int> bench(const BenchArguments& arguments, std::stop_token stop)
{
    if (const Result<void> checked = checkEngine(arguments.engine); !checked)
        return checked.error();
    Report report;
    for (std::uint32_t i = 0; i < arguments.repeat; ++i)
        if (const Result<void> added = addSample(arguments, report, stop); !added)
            return added.error();
    report.bandwidth = measureReadBandwidth(report.info.threads);
    if (arguments.json)
        printJson(reportJson(arguments, report));
    else
        print(reportText(arguments, report));
    return exitDone;
}

} // namespace

Action configureBench(CLI::App& app)
{
    const auto arguments = std::make_shared<BenchArguments>();
    addModel(app, arguments->model);
    addNumber<std::uint32_t>(
        app, {"--prompt-tokens", "N", "length of the prompt (default 128)"}, arguments->promptTokens, 1, 1u << 20);
    addNumber<std::uint32_t>(
        app, {"--gen-tokens", "N", "tokens to make (default 64)"}, arguments->genTokens, 2, 1u << 20);
    addNumber<std::uint32_t>(app, {"--repeat", "N", "openings and runs (default 3)"}, arguments->repeat, 1, 1000);
    addFlag(app, {"--json", {}, "print one JSON value"}, arguments->json);
    addEngineOptions(app, arguments->engine);
    return [arguments](std::stop_token stop) { return bench(*arguments, stop); };
}

} // namespace colibri::cli
