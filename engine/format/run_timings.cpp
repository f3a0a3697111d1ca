// SPDX-License-Identifier: Apache-2.0
#include "format/run_timings.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace colibri {
namespace {

/// Calls `visit` with every field in the order of the file.
template <class Event, class Visit>
void visitFields(Event& event, Visit visit)
{
    visit(event.startNs);
    visit(event.totalNs);
    visit(event.position);
    visit(event.tokens);
    for (auto* const stage : {&event.attentionNs, &event.routerNs, &event.expertsNs, &event.headNs, &event.samplingNs})
        visit(*stage);
    visit(event.prefill);
    for (auto* const count : {&event.minorFaults, &event.majorFaults, &event.cacheMisses, &event.branchMisses})
        visit(*count);
}

} // namespace

bool TimingOrder::takes(const TimingEvent& event)
{
    const float stages[]{event.attentionNs, event.routerNs, event.expertsNs, event.headNs, event.samplingNs};
    if (event.position < m_next || event.position >= m_tokens || event.tokens == 0
        || event.tokens > m_tokens - event.position || event.prefill > 1 || event.startNs < m_startNs
        || event.startNs > maxRunNs || event.totalNs > maxRunNs
        || !std::ranges::all_of(stages, [](float ns) { return std::isfinite(ns) && ns >= 0; }))
        return false;
    m_next = event.position + event.tokens;
    m_startNs = event.startNs;
    return true;
}

std::array<std::byte, runTimingBytes> timingBytes(const TimingEvent& event)
{
    std::array<std::byte, runTimingBytes> bytes{};
    std::size_t at = 0;
    visitFields(event, [&](const auto& field) {
        std::memcpy(&bytes[at], &field, sizeof field);
        at += sizeof field;
    });
    return bytes;
}

TimingEvent timingFrom(std::span<const std::byte> bytes)
{
    TimingEvent event;
    std::size_t at = 0;
    visitFields(event, [&](auto& field) {
        std::memcpy(&field, &bytes[at], sizeof field);
        at += sizeof field;
    });
    return event;
}

} // namespace colibri
