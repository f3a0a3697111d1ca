// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"
#include "types/saved_run.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace colibri {

/// Called as work goes on, on the calling thread, with bytes; `total` stays the same.
using SavedRunProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Writes a run to `path`, whole or not at all; replaces a file of that name. The run may go on: what it has published
/// when this is called is saved. Blocking: not on the GUI thread. Stopping gives Errc::Cancelled.
Result<void> saveRun(
    const SavedRun& run, const std::string& path, const SavedRunProgress& progress, std::stop_token stop);

/// Reads what saveRun wrote and checks all of it. Blocking, too.
Result<SavedRun> loadRun(const std::string& path, const SavedRunProgress& progress, std::stop_token stop);

/// Whether a regular file begins as a saved run does, whatever its name. Reads 8 bytes.
bool isSavedRun(const std::string& path);

} // namespace colibri
