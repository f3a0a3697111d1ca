// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/timing_event.h"

#include <array>
#include <cstdint>
#include <string>

namespace colibri {

/// What the system counts while a step is computed: page faults of the process (getrusage), and two events of
/// perf_event_open, in user space, of the thread that made this object and of all threads it makes afterwards. That the
/// system does not count them is a normal state. Used by the thread that made it; allocates nothing after construction.
class StepCounters {
public:
    /// A type and a number of perf_event_attr.
    struct Event {
        std::uint32_t type = 0;
        std::uint64_t config = 0;
        const char* name = ""; ///< in the plural, for texts
    };
    using Events = std::array<Event, 2>;
    static const Events& hardware(); ///< misses of the last-level cache, branch misses

    explicit StepCounters(const Events& events = hardware());
    ~StepCounters();
    StepCounters(const StepCounters&) = delete;
    StepCounters& operator=(const StepCounters&) = delete;

    /// Which events are not counted and why, in one sentence; empty: all are.
    const std::string& note() const { return m_note; }

    /// What happened until now belongs to no step.
    void restart() noexcept;
    /// Writes what was counted since the last call of either into the event: faults, cacheMisses (the first event) and
    /// branchMisses (the second). When the processor had to share its counters, the count is scaled to the whole time.
    void take(TimingEvent& event) noexcept;

private:
    struct Reading { ///< as PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING gives it
        std::uint64_t value = 0;
        std::uint64_t enabledNs = 0;
        std::uint64_t runningNs = 0;
    };
    struct Sample {
        std::uint64_t minorFaults = 0;
        std::uint64_t majorFaults = 0;
        std::array<Reading, 2> events;
    };
    Sample sample() const noexcept;
    static std::uint32_t difference(const Reading& before, const Reading& after) noexcept;

    std::array<int, 2> m_files{-1, -1};
    std::string m_note;
    Sample m_last;
};

} // namespace colibri
