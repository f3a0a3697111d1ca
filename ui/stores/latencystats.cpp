// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/latencystats.h"

#include <algorithm>
#include <cmath>

namespace colibri {
namespace {

std::uint64_t perToken(double ns, std::uint32_t tokens)
{
    return static_cast<std::uint64_t>(std::llround(ns / std::max(1u, tokens)));
}

} // namespace

std::array<double, stageCount> stagesOf(const TimingEvent& event)
{
    std::array<double, stageCount> ns{
        event.attentionNs, event.routerNs, event.expertsNs, event.headNs, event.samplingNs};
    double measured = 0;
    for (std::size_t stage = 0; stage < std::size_t(Stage::Other); ++stage)
        measured += ns[stage];
    ns[std::size_t(Stage::Other)] = std::max(0., double(event.totalNs) - measured);
    return ns;
}

bool follows(const TimingEvent& before, const TimingEvent& event)
{
    return std::uint64_t{before.position} + before.tokens == event.position;
}

std::optional<Gap> gapBetween(const TimingEvent& before, const TimingEvent& event, Pauses pauses)
{
    if (!follows(before, event))
        return std::nullopt;
    const std::uint64_t end = before.startNs + before.totalNs;
    const std::uint64_t ns = event.startNs > end ? event.startNs - end : 0;
    const bool paused = ns > longestWaitNs || std::ranges::binary_search(pauses, event.position);
    return paused ? Gap{0, ns, true} : Gap{ns, 0, false};
}

std::optional<std::uint32_t> countOf(const TimingEvent& event, Quantity quantity)
{
    const std::array<std::uint32_t, 4> counts{
        event.minorFaults, event.majorFaults, event.cacheMisses, event.branchMisses};
    if (isTime(quantity))
        return std::nullopt;
    const std::uint32_t count = counts[std::size_t(quantity) - std::size_t(Quantity::MinorFaults)];
    return count == notCounted ? std::nullopt : std::optional(count);
}

void LatencyStats::collect(const TimingEvent& event, Pauses pauses, Batch& batch)
{
    const Phase phase = phaseOf(event);
    PhaseSums& sums = m_phases[std::size_t(phase)];
    auto& to = batch[std::size_t(phase)];
    const auto put = [&to](Quantity quantity, std::uint64_t value) { to[std::size_t(quantity)].push_back(value); };
    const std::uint64_t step = perToken(double(event.totalNs), event.tokens);
    auto stages = stagesOf(event);
    put(Quantity::Step, step);
    for (std::size_t stage = 0; stage <= std::size_t(Stage::Other); ++stage)
        to[stage + std::size_t(Quantity::Attention)].push_back(perToken(stages[stage], event.tokens));
    if (const auto gap = m_last ? gapBetween(*m_last, event, pauses) : std::nullopt) {
        stages[std::size_t(Stage::Waiting)] = double(gap->waitingNs);
        if (!gap->paused)
            put(Quantity::Waiting, perToken(double(gap->waitingNs), event.tokens));
        m_pauses += gap->paused;
        m_pausedNs += gap->pausedNs;
        const std::uint64_t last = perToken(double(m_last->totalNs), m_last->tokens);
        if (phaseOf(*m_last) == phase)
            put(Quantity::Jitter, step > last ? step - last : last - step);
    }
    for (std::size_t quantity = std::size_t(Quantity::MinorFaults); quantity < quantityCount; ++quantity) {
        if (const auto count = countOf(event, Quantity(quantity)))
            to[quantity].push_back(*count);
    }
    for (std::size_t stage = 0; stage < stageCount; ++stage)
        sums.stageNs[stage] += stages[stage];
    sums.wholeNs += double(event.totalNs);
    sums.tokens += event.tokens;
    m_last = event;
}

void LatencyStats::add(std::span<const TimingEvent> events, Pauses pauses)
{
    Batch batch;
    for (const TimingEvent& event : events)
        collect(event, pauses, batch);
    for (std::size_t phase = 0; phase < phaseCount; ++phase) {
        for (std::size_t quantity = 0; quantity < quantityCount; ++quantity)
            m_phases[phase].values[quantity].add(batch[phase][quantity]);
    }
}

} // namespace colibri
