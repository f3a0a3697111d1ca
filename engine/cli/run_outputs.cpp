// SPDX-License-Identifier: Apache-2.0
#include "cli/run_outputs.h"

#include "cli/report.h"
#include "cli/shared_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>

namespace colibri::cli {
namespace {

std::vector<std::uint16_t> usedExperts(const RunRecord& record, std::uint32_t position, std::uint32_t layer)
{
    const std::span<const std::uint16_t> all = record.experts(position, layer);
    return {all.begin(), std::ranges::find(all, noExpert)};
}

std::string line(const RunRecord& record, std::uint32_t position, TokenId id, std::span<const float> row)
{
    std::string text = fmt::format("{}\t{}\t", position, id);
    for (std::uint32_t layer = 0; layer < record.shape().layers; ++layer)
        text += fmt::format("{}{}", layer == 0 ? "" : ";", fmt::join(usedExperts(record, position, layer), ","));
    for (std::size_t i = 0; i < row.size(); ++i)
        fmt::format_to(std::back_inserter(text), "{}{:.9g}", i == 0 ? '\t' : ' ', row[i]);
    return text + "\n";
}

/// Experts and weights as [layers][n][k].
void addRouting(Json& json, const RunRecord& record, std::uint32_t tokens)
{
    Json experts = Json::array();
    Json weights = Json::array();
    for (std::uint32_t layer = 0; layer < record.shape().layers; ++layer) {
        Json layerExperts = Json::array();
        Json layerWeights = Json::array();
        for (std::uint32_t position = 0; position < tokens; ++position) {
            const std::vector<std::uint16_t> used = usedExperts(record, position, layer);
            const std::span<const float> all = record.weights(position, layer).first(used.size());
            layerExperts.push_back(used);
            layerWeights.push_back(std::vector<float>(all.begin(), all.end()));
        }
        experts.push_back(std::move(layerExperts));
        weights.push_back(std::move(layerWeights));
    }
    json["experts"] = std::move(experts);
    json["weights"] = std::move(weights);
}

Json resultJson(
    const Session& session, const std::vector<TokenId>& ids, const std::vector<float>& outputs, const RunRecord& record)
{
    const std::size_t width = session.model()->config().outputSize;
    Json rows = Json::array();
    for (std::size_t at = 0; at + width <= outputs.size(); at += width)
        rows.push_back(std::vector<float>(outputs.begin() + static_cast<std::ptrdiff_t>(at),
            outputs.begin() + static_cast<std::ptrdiff_t>(at + width)));
    Json json{{"prompt_token_ids", ids}, {"outputs", std::move(rows)}};
    addRouting(json, record, static_cast<std::uint32_t>(outputs.size() / width));
    return json;
}

} // namespace

Result<int> runOutputs(Session& session, const std::vector<TokenId>& ids, double loadS, bool json, std::stop_token stop)
{
    const std::size_t width = session.model()->config().outputSize;
    const std::shared_ptr<RunRecord> record = session.makeRecord();
    std::vector<float> outputs; // only kept for JSON
    const auto take = [&](std::uint32_t position, std::uint32_t count, std::span<const float> rows) {
        if (json)
            outputs.insert(outputs.end(), rows.begin(), rows.end());
        for (std::uint32_t i = 0; i < count && !json; ++i)
            print(line(*record, position + i, ids[position + i], rows.subspan(i * width, width)));
        return true;
    };
    const auto start = std::chrono::steady_clock::now();
    const Result<void> evaluated = session.evaluate(ids, record, stop, take);
    const bool cancelled = !evaluated && evaluated.error().code == Errc::Cancelled;
    if (!evaluated && !cancelled)
        return evaluated.error();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (json) {
        const auto made = static_cast<double>(outputs.size() / width);
        Json value = resultJson(session, ids, outputs, *record);
        value["stop_reason"] = cancelled ? "cancelled" : "done";
        value["timings"] = {{"load_s", loadS}, {"run_s", seconds}, {"tok_s", jsonOf(rate(made, seconds))}};
        value["memory"] = memoryJson(*session.model(), session);
        value["breaker_events"] = record->breakerEvents();
        value["engine"] = engineJson(session.info());
        printJson(value);
    } else {
        const std::string timings = fmt::format("loaded in {:.2f} s, computed in {:.3f} s\n", loadS, seconds);
        std::fwrite(timings.data(), 1, timings.size(), stderr);
    }
    return cancelled ? exitInterrupted : exitDone;
}

} // namespace colibri::cli
