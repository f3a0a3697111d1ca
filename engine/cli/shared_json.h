// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/session.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace colibri::cli {

using Json = nlohmann::ordered_json;

/// How a run's result came about.
Json engineJson(const EngineInfo& info, std::optional<std::uint64_t> seed = {});
/// The same for what computes nothing: version and model.
Json engineJson(const Model& model);
Json timingsJson(double loadS, const RunTimings& timings);
Json memoryJson(const Model& model, const Session& session);

/// Amount per second; empty when nothing was done.
std::optional<double> rate(double amount, double seconds);
/// null for an empty one.
Json jsonOf(const std::optional<double>& value);

/// "12.3 MiB"
std::string sizeText(std::uint64_t bytes);
/// "20.6 M"
std::string countText(std::uint64_t count);

} // namespace colibri::cli
