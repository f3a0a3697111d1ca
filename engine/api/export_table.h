// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/export.h"
#include "format/router_table_plan.h"

#include <cstdint>
#include <functional>

namespace colibri {

/// What has to be done for the routing table of an export; for the files of engine/api only.
struct RouterTableTask {
    bool kept = false; ///< the source's own table goes along, nothing has to be computed
    RouterTablePlan plan; ///< sizes and ids; no rows yet
    std::vector<TokenId> tokens; ///< to be read, each below plan.rows
    TableReport report; ///< what is known before
    std::vector<std::string> notes;
};

/// Decides between a table that is kept, an exact one and a profile, see RouterTableOptions. Fails with Unsupported
/// when there is nothing to profile over or the token ids have no end, with OutOfRange for an id beyond the vocabulary,
/// and with OutOfMemory when rows and sums of the ids would take more than 2 GiB.
Result<RouterTableTask> routerTableTask(const Model& model, const RouterTableOptions& options);

/// Called with the work done and the whole of it, in tokens.
using TableProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Routes the tokens of a task that is not kept, and completes its plan and its report. Fails as Session::evaluate
/// does, and with NonFinite for router logits that are not finite.
Result<void> computeRouterTable(const Model& model, const RouterTableOptions& options, RouterTableTask& task,
    const TableProgress& progress, const std::stop_token& stop);

} // namespace colibri
