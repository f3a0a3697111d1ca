// SPDX-License-Identifier: Apache-2.0
#include "cli/shared_json.h"

#include "cli/machine.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace colibri::cli {
namespace {

/// `value` divided by `step` until it is below it, with the unit that this gives.
std::string scaled(std::uint64_t value, double step, std::initializer_list<const char*> units)
{
    double shown = static_cast<double>(value);
    auto unit = units.begin();
    for (; shown >= step && unit + 1 != units.end(); ++unit)
        shown /= step;
    return unit == units.begin() ? fmt::format("{}{}", value, *unit) : fmt::format("{:.1f}{}", shown, *unit);
}

} // namespace

Json engineJson(const EngineInfo& info, std::optional<std::uint64_t> seed)
{
    Json json{{"version", info.version}, {"isa", info.isa}, {"numerics", name(info.numerics)},
        {"activations", name(info.activations)}, {"kv", name(info.kv)}, {"threads", info.threads},
        {"batch", info.batch}, {"context", info.context}, {"routing", name(info.routing)}};
    if (seed)
        json["seed"] = *seed;
    json["model_id"] = info.modelId;
    return json;
}

Json engineJson(const Model& model)
{
    return {{"version", COLIBRI_VERSION}, {"model_id", model.id()}};
}

Json timingsJson(double loadS, const RunTimings& timings)
{
    return {{"load_s", loadS}, {"first_token_s", timings.firstTokenS},
        {"prefill_tok_s", jsonOf(rate(timings.prefillTokens, timings.prefillS))},
        {"decode_tok_s", jsonOf(rate(timings.decodeTokens, timings.decodeS))}};
}

Json memoryJson(const Model& model, const Session& session)
{
    const ModelMemory memory = model.memory();
    return {{"resident_bytes", processMemory().residentBytes}, {"arena_bytes", session.memory().arenaBytes},
        {"mapped_bytes", memory.mappedBytes}, {"copied_bytes", memory.copiedBytes}};
}


std::optional<double> rate(double amount, double seconds)
{
    return amount > 0 && seconds > 0 ? std::optional(amount / seconds) : std::nullopt;
}

Json jsonOf(const std::optional<double>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

std::string sizeText(std::uint64_t bytes)
{
    return scaled(bytes, 1024, {" B", " KiB", " MiB", " GiB", " TiB"});
}

std::string countText(std::uint64_t count)
{
    return scaled(count, 1000, {"", " K", " M", " G", " T"});
}

} // namespace colibri::cli
