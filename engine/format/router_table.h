// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/model_source.h"

#include <cstdint>
#include <stop_token>

namespace colibri {

/// Checks a static table whose range in its file was checked: every id is below `numExperts` and no expert stands twice
/// in a row. Reads the whole table, stops between rows.
Result<void> checkRouterTable(
    const ModelSource& source, const RouterTable& table, std::uint32_t numExperts, std::stop_token stop);

/// Checks the source's sanity entries against its table. Their layers and tokens lie inside of it.
Result<void> checkSanity(const ModelSource& source, const RouterTable& table);

} // namespace colibri
