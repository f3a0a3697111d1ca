// SPDX-License-Identifier: Apache-2.0
#include "session/step_counters.h"

#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace colibri {
namespace {

constexpr std::uint64_t mostCounted = notCounted - 1;

std::uint32_t saturated(std::uint64_t count)
{
    return static_cast<std::uint32_t>(std::min(count, mostCounted));
}

int openEvent(const StepCounters::Event& event)
{
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = event.type;
    attributes.config = event.config;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.inherit = 1; // threads made later count into this
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

std::string reasonOf(int error)
{
    switch (error) {
    case EACCES:
    case EPERM: {
        std::string level;
        std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> level;
        return "the system does not allow it" + (level.empty() ? level : " (perf_event_paranoid " + level + ")");
    }
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "the processor does not offer them to this system, as in many virtual machines";
    case ENOSYS:
        return "the system was built without performance counters";
    default:
        return std::strerror(error); // NOLINT(concurrency-mt-unsafe): glibc gives each thread its own text
    }
}

} // namespace

const StepCounters::Events& StepCounters::hardware()
{
    static constexpr Events events{{{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "cache misses"},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "branch misses"}}};
    return events;
}

StepCounters::StepCounters(const Events& events)
{
    std::array<std::string, 2> reasons;
    for (std::size_t i = 0; i < events.size(); ++i) {
        m_files[i] = openEvent(events[i]);
        if (m_files[i] < 0)
            reasons[i] = reasonOf(errno);
    }
    if (!reasons[0].empty() && reasons[0] == reasons[1]) {
        m_note = std::string(events[0].name) + " and " + events[1].name + " are not counted: " + reasons[0];
        return;
    }
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (!reasons[i].empty())
            m_note += (m_note.empty() ? "" : "; ") + std::string(events[i].name) + " are not counted: " + reasons[i];
    }
}

StepCounters::~StepCounters()
{
    for (const int file : m_files) {
        if (file >= 0)
            close(file);
    }
}

StepCounters::Sample StepCounters::sample() const noexcept
{
    Sample sample;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    sample.minorFaults = static_cast<std::uint64_t>(usage.ru_minflt);
    sample.majorFaults = static_cast<std::uint64_t>(usage.ru_majflt);
    for (std::size_t i = 0; i < m_files.size(); ++i) {
        Reading& reading = sample.events[i];
        if (m_files[i] >= 0 && read(m_files[i], &reading, sizeof reading) != sizeof reading)
            reading = {};
    }
    return sample;
}

std::uint32_t StepCounters::difference(const Reading& before, const Reading& after) noexcept
{
    if (after.runningNs <= before.runningNs || after.value < before.value)
        return notCounted;
    const std::uint64_t count = after.value - before.value;
    const std::uint64_t enabledNs = after.enabledNs - before.enabledNs;
    const std::uint64_t runningNs = after.runningNs - before.runningNs;
    if (enabledNs <= runningNs)
        return saturated(count);
    const double scaled = static_cast<double>(count) * static_cast<double>(enabledNs) / static_cast<double>(runningNs);
    return saturated(static_cast<std::uint64_t>(std::min(scaled, static_cast<double>(mostCounted))));
}

void StepCounters::restart() noexcept
{
    m_last = sample();
}

void StepCounters::take(TimingEvent& event) noexcept
{
    const Sample now = sample();
    event.minorFaults = saturated(now.minorFaults - m_last.minorFaults);
    event.majorFaults = saturated(now.majorFaults - m_last.majorFaults);
    event.cacheMisses = difference(m_last.events[0], now.events[0]);
    event.branchMisses = difference(m_last.events[1], now.events[1]);
    m_last = now;
}

} // namespace colibri
