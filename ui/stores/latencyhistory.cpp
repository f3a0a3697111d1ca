// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/latencyhistory.h"

#include <algorithm>
#include <numeric>

namespace colibri {
namespace {

constexpr std::size_t clockGrain = 1024; ///< events between two looks at the clock

} // namespace

std::array<double, stageCount> tokenStagesMs(const std::vector<TimingEvent>& events, std::size_t index, Pauses pauses)
{
    const TimingEvent& event = events[index];
    std::array<double, stageCount> stages = stagesOf(event);
    if (index > 0)
        stages[std::size_t(Stage::Waiting)] =
            double(gapBetween(events[index - 1], event, pauses).value_or(Gap{}).waitingNs);
    for (double& value : stages)
        value *= 1e-6 / std::max(1u, event.tokens);
    return stages;
}

bool LatencyHistory::catchUp(const std::vector<TimingEvent>& events, Clock::time_point deadline, Pauses pauses)
{
    while (size() < events.size()) {
        const std::size_t from = size();
        const std::size_t to = std::min(events.size(), from + clockGrain);
        m_stats.add(std::span(events).subspan(from, to - from), pauses);
        for (std::size_t index = from; index < to; ++index) {
            const auto gap = index > 0 ? gapBetween(events[index - 1], events[index], pauses) : std::nullopt;
            m_speed.add(events[index], gap && gap->paused);
            const auto stages = tokenStagesMs(events, index, pauses);
            const double all = std::accumulate(stages.begin(), stages.end(), 0.);
            m_steps.append(static_cast<float>(all - stages[std::size_t(Stage::Waiting)]));
            m_withWaiting.append(static_cast<float>(all));
            for (std::size_t count = 0; count < m_counts.size(); ++count) {
                const auto value = countOf(events[index], Quantity(count + std::size_t(Quantity::MinorFaults)));
                m_counts[count].append(value ? static_cast<float>(*value) : -1.f);
            }
        }
        if (to < events.size() && Clock::now() >= deadline)
            return false;
    }
    return true;
}

void LatencyHistory::clear()
{
    *this = {};
}

} // namespace colibri
