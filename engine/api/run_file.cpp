// SPDX-License-Identifier: Apache-2.0
#include "api/run_file.h"

#include "format/run_file.h"

namespace colibri {

Result<void> saveRun(
    const SavedRun& run, const std::string& path, const SavedRunProgress& progress, std::stop_token stop)
{
    return writeRunFile(run, path, progress, std::move(stop));
}

Result<SavedRun> loadRun(const std::string& path, const SavedRunProgress& progress, std::stop_token stop)
{
    return readRunFile(path, progress, stop);
}

bool isSavedRun(const std::string& path)
{
    return hasRunMagic(path);
}

} // namespace colibri
