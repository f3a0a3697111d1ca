// SPDX-License-Identifier: Apache-2.0
#include "format/run_header.h"

#include <nlohmann/json.hpp>

namespace colibri {
namespace {

using Json = nlohmann::ordered_json;

Json engineObject(const EngineInfo& info)
{
    return {{"version", info.version}, {"isa", info.isa}, {"numerics", name(info.numerics)},
        {"activations", name(info.activations)}, {"kv", name(info.kv)}, {"threads", info.threads},
        {"batch", info.batch}, {"context", info.context}, {"routing", name(info.routing)}, {"model_id", info.modelId}};
}

Json samplingObject(const SamplingOptions& sampling)
{
    return {{"temperature", sampling.temperature}, {"top_k", sampling.topK}, {"top_p", sampling.topP},
        {"min_p", sampling.minP}, {"repeat_penalty", sampling.repeatPenalty}, {"seed", sampling.seed}};
}

Json optionsObject(const EngineOptions& options)
{
    return {{"threads", options.threads}, {"batch", options.batch}, {"context", options.context},
        {"kv", name(options.kv)}, {"numerics", name(options.numerics)}, {"activations", name(options.activations)},
        {"isa", name(options.isa)}, {"routing", options.routing ? Json(name(*options.routing)) : Json()},
        {"breaker", name(options.breaker)}};
}

Json requestObject(const SavedRun& run)
{
    return {{"prompt", run.promptIsText ? Json(run.promptText) : Json()}, {"max_tokens", run.maxTokens},
        {"ignore_end_of_text", run.ignoreEndOfText}, {"pace", run.pace}, {"sampling", samplingObject(run.sampling)},
        {"engine", optionsObject(run.engine)}};
}

Json countsObject(const RunHeader& header)
{
    const RunCounts& counts = header.counts;
    return {{"tokens", counts.tokens}, {"prompt_tokens", counts.promptTokens}, {"routed", counts.routed},
        {"layers", counts.layers}, {"experts", counts.experts}, {"k", counts.k}, {"logits_from", counts.logitsFrom},
        {"timings", counts.timings}, {"dropped_timings", header.run.droppedTimings},
        {"breaker_events", header.breakerEvents}};
}

Json sectionList(const RunHeader& header)
{
    Json list = Json::array();
    for (std::size_t section = 0; section < RunSectionCount; ++section)
        list.push_back({{"name", runSectionKinds[section].name}, {"dtype", runSectionKinds[section].dtype},
            {"offset", header.sections[section].offset}, {"size", header.sections[section].size}});
    return list;
}

} // namespace

std::string runHeaderText(const RunHeader& header)
{
    const SavedRun& run = header.run;
    const Json root = {{"format", runFormatName}, {"version", runVersion}, {"engine", engineObject(run.info)},
        {"model_path", run.modelPath}, {"request", requestObject(run)},
        {"end", {{"reason", name(run.reason)}, {"error", run.error.empty() ? Json() : Json(run.error)}}},
        {"memory", {{"arena_bytes", run.arenaBytes}, {"kv_bytes", run.kvBytes}}}, {"counter_note", run.counterNote},
        {"counts", countsObject(header)}, {"sections", sectionList(header)}};
    // Bytes that are no UTF-8 (a path may have them) become U+FFFD.
    std::string text = root.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.append((runAlignment - (runPreambleBytes + text.size()) % runAlignment) % runAlignment, ' ');
    return text;
}

} // namespace colibri
