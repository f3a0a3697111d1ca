// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/latencystats.h"
#include "stores/maxfold.h"
#include "stores/speedseries.h"

#include <array>
#include <chrono>
#include <vector>

namespace colibri {

/// What is known of a run's timings beyond the events themselves: figures, speed, and the largest of any stretch. It
/// grows with the events and holds about 50 bytes for each.
class LatencyHistory {
public:
    using Clock = std::chrono::steady_clock;

    /// Takes over what is new in `events` until `deadline`. False: there is more.
    bool catchUp(const std::vector<TimingEvent>& events, Clock::time_point deadline, Pauses pauses = {});
    void clear();

    std::size_t size() const { return m_steps.size(); } ///< events taken over
    const LatencyStats& stats() const { return m_stats; }
    const SpeedSeries& speed() const { return m_speed; }
    /// Milliseconds a token, without and with the wait before it.
    const MaxFold& steps() const { return m_steps; }
    const MaxFold& stepsWithWaiting() const { return m_withWaiting; }
    /// Counts of each step, -1 where there is none. Not for times.
    const MaxFold& counts(Quantity quantity) const
    {
        return m_counts[std::size_t(quantity) - std::size_t(Quantity::MinorFaults)];
    }

private:
    LatencyStats m_stats;
    SpeedSeries m_speed;
    MaxFold m_steps;
    MaxFold m_withWaiting;
    std::array<MaxFold, quantityCount - std::size_t(Quantity::MinorFaults)> m_counts;
};

/// Milliseconds a token of each stage of events[index], Stage::Waiting included (0 where it is not known, and after a
/// pause).
std::array<double, stageCount> tokenStagesMs(
    const std::vector<TimingEvent>& events, std::size_t index, Pauses pauses = {});

} // namespace colibri
