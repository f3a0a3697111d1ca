// SPDX-License-Identifier: Apache-2.0
#include "cli/machine.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <fstream>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace colibri::cli {
namespace {

constexpr int bandwidthPasses = 5;

std::size_t bandwidthBufferBytes()
{
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    const std::size_t wanted =
        std::max<std::size_t>(std::size_t{256} << 20, 4 * static_cast<std::size_t>(std::max(cache, 0L)));
    const long pages = sysconf(_SC_AVPHYS_PAGES);
    const std::size_t available =
        static_cast<std::size_t>(std::max(pages, 0L)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return std::min(wanted, available / 2);
}

/// Reads all words; the result only keeps the reads from being left out.
std::uint64_t readWords(std::span<const std::uint64_t> words)
{
    std::array<std::uint64_t, 16> sums{};
    const std::size_t whole = words.size() / sums.size() * sums.size();
    for (std::size_t at = 0; at < whole; at += sums.size())
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += words[at + i];
    std::uint64_t total = 0;
    for (const std::uint64_t sum : sums)
        total += sum;
    return total;
}

} // namespace

ProcessMemory processMemory()
{
    ProcessMemory memory;
    std::ifstream status("/proc/self/status");
    const std::pair<std::string, std::uint64_t*> fields[]{
        {"VmRSS:", &memory.residentBytes}, {"VmHWM:", &memory.peakResidentBytes}, {"RssAnon:", &memory.anonymousBytes}};
    for (std::string word; status >> word;)
        for (const auto& [field, target] : fields)
            if (std::uint64_t kibibytes = 0; word == field && status >> kibibytes)
                *target = kibibytes * 1024;
    return memory;
}

std::optional<double> measureReadBandwidth(std::uint32_t threads)
{
    const std::size_t share = bandwidthBufferBytes() / sizeof(std::uint64_t) / threads;
    std::vector<std::uint64_t> buffer;
    try {
        buffer.assign(share * threads, 1);
    } catch (const std::bad_alloc&) {
        return std::nullopt;
    }
    using Clock = std::chrono::steady_clock;
    Clock::time_point started;
    double best = std::numeric_limits<double>::infinity();
    bool running = false;
    const auto turn = [&]() noexcept { // every second one ends a pass
        const auto now = Clock::now();
        if (running)
            best = std::min(best, std::chrono::duration<double>(now - started).count());
        running = !running;
        started = now;
    };
    std::barrier gate(static_cast<std::ptrdiff_t>(threads), turn);
    std::atomic<std::uint64_t> sink{0};
    std::vector<std::thread> pool;
    for (std::uint32_t i = 0; i < threads; ++i)
        pool.emplace_back([&, words = std::span(buffer).subspan(i * share, share)] {
            for (int pass = 0; pass < bandwidthPasses; ++pass) {
                gate.arrive_and_wait();
                sink += readWords(words);
                gate.arrive_and_wait();
            }
        });
    for (std::thread& thread : pool)
        thread.join();
    return static_cast<double>(share * threads * sizeof(std::uint64_t)) / best;
}

} // namespace colibri::cli
