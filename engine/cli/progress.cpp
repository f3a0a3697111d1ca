// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include "cli/report.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <unistd.h>

namespace colibri::cli {
namespace {

void renew(std::stop_token stop, const std::function<std::string()>& describe)
{
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    bool written = false;
    while (!wake.wait_for(lock, stop, std::chrono::milliseconds(100), [&stop] { return stop.stop_requested(); })) {
        const std::string line = "\r\033[K" + describe();
        std::fwrite(line.data(), 1, line.size(), stderr);
        written = true;
    }
    if (written)
        std::fputs("\r\033[K", stderr);
}

} // namespace

ProgressLine::ProgressLine(std::function<std::string()> describe)
{
    if (isatty(STDERR_FILENO))
        m_thread = std::jthread([describe = std::move(describe)](std::stop_token stop) { renew(stop, describe); });
}

std::string percentText(const std::string& label, double done, double total)
{
    return total > 0 ? fmt::format("{} {:.0f} %", label, 100 * done / total) : label;
}

Error missingModel()
{
    return usageError("MODEL", "missing: a model's folder or GGUF file, or the word demo");
}

std::string openingText(const OpenProgress& progress)
{
    return percentText(
        "opening", static_cast<double>(progress.bytesDone()), static_cast<double>(progress.bytesTotal()));
}

Result<OpenedModel> openWithProgress(const std::string& path, const OpenOptions& options, std::stop_token stop)
{
    if (path.empty())
        return missingModel();
    OpenProgress progress;
    const auto start = std::chrono::steady_clock::now();
    Result<ModelPtr> model = Error{};
    {
        const ProgressLine line([&progress] { return openingText(progress); });
        model = openModel(path, options, &progress, stop);
    }
    if (!model)
        return model.error();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    return OpenedModel{std::move(*model), taken.count()};
}

} // namespace colibri::cli
