// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/routingstore.h"

#include <algorithm>

namespace colibri {
namespace {

constexpr int clockGrain = 16; ///< positions between two looks at the clock
constexpr int profileGrain = 256; ///< the same for one layer
constexpr std::uint64_t releaseBytes = std::uint64_t{64} << 20; ///< of a record in a file that are in memory at a time

} // namespace

RoutingStore::RoutingStore(const RunStore& run, QObject* parent)
    : QObject(parent)
    , m_run(run)
{
    m_slices.setInterval(0);
    connect(&m_slices, &QTimer::timeout, this, &RoutingStore::takeSlice);
    connect(&run, &RunStore::reset, this, &RoutingStore::restart);
    connect(&run, &RunStore::routedAdvanced, this, &RoutingStore::advance);
    restart();
}

void RoutingStore::setActive(bool active)
{
    if (active == m_active)
        return;
    m_active = active;
    if (!active)
        m_slices.stop();
    advance();
}

void RoutingStore::restart()
{
    const RunRecord::Shape shape = m_run.record() ? m_run.record()->shape() : RunRecord::Shape{0, 0, 0, 0, 0};
    m_counted = 0;
    m_prompt = RoutingCounts(shape);
    m_answer = RoutingCounts(shape);
    m_profile = {};
    m_profiled = 0;
    m_sinceSignal.invalidate();
    emit reset();
    advance();
}

RoutingSum RoutingStore::counts(Stretch stretch) const
{
    if (stretch == Stretch::All)
        return {m_prompt, m_answer};
    return RoutingSum(stretch == Stretch::Prompt ? m_prompt : m_answer);
}

void RoutingStore::setProfile(int layer, int expert, Stretch stretch)
{
    const bool possible = layer >= 0 && layer < layers() && expert >= 0 && expert < experts();
    const ExpertProfile wanted = possible ? ExpertProfile(layer, expert) : ExpertProfile();
    if (wanted.layer() == m_profile.layer() && wanted.expert() == m_profile.expert() && stretch == m_profileStretch)
        return;
    m_profile = wanted;
    m_profileStretch = stretch;
    m_profiled = 0;
    advance();
    emit changed();
}

int RoutingStore::profileEnd() const
{
    if (m_profile.expert() < 0)
        return m_profiled;
    return m_profileStretch == Stretch::Prompt ? std::min(m_run.promptTokens(), m_run.routed()) : m_run.routed();
}

void RoutingStore::advance()
{
    if (!m_active || m_slices.isActive() || !isBehind())
        return;
    if (!countUntil(Clock::now() + tickBudget))
        m_slices.start();
}

void RoutingStore::takeSlice()
{
    if (countUntil(Clock::now() + sliceBudget))
        m_slices.stop();
}

bool RoutingStore::countUntil(Clock::time_point deadline)
{
    const bool done = countPositions(deadline) && countProfile(deadline);
    if (done || !m_sinceSignal.isValid() || m_sinceSignal.elapsed() >= signalMs) {
        m_sinceSignal.start();
        emit changed();
    }
    return done;
}

/// Counts the memory pages that were touched: those of a position hold all of its layers.
void RoutingStore::looked(int positions)
{
    const RunRecord::Shape& shape = m_run.record()->shape();
    const std::uint64_t rowBytes = std::uint64_t{shape.layers} * (shape.k + 2) * sizeof(float);
    m_lookedBytes += rowBytes * static_cast<std::uint64_t>(positions);
    if (m_lookedBytes < releaseBytes)
        return;
    m_run.record()->release();
    m_lookedBytes = 0;
}

bool RoutingStore::countPositions(Clock::time_point deadline)
{
    while (m_counted < m_run.routed()) {
        const bool prompt = m_counted < m_run.promptTokens();
        const int end = prompt ? std::min(m_run.promptTokens(), m_run.routed()) : m_run.routed();
        const int to = std::min(m_counted + clockGrain, end);
        (prompt ? m_prompt : m_answer)
            .add(*m_run.record(), static_cast<std::uint32_t>(m_counted), static_cast<std::uint32_t>(to));
        looked(to - m_counted);
        m_counted = to;
        if (Clock::now() >= deadline)
            return m_counted == m_run.routed();
    }
    return true;
}

bool RoutingStore::countProfile(Clock::time_point deadline)
{
    if (m_profileStretch == Stretch::Answer) // the prompt may have come after setProfile()
        m_profiled = std::max(m_profiled, m_run.promptTokens());
    while (m_profiled < profileEnd()) {
        const int to = std::min(m_profiled + profileGrain, profileEnd());
        m_profile.add(*m_run.record(), static_cast<std::uint32_t>(m_profiled), static_cast<std::uint32_t>(to));
        looked(to - m_profiled);
        m_profiled = to;
        if (Clock::now() >= deadline)
            return m_profiled == profileEnd();
    }
    return true;
}

} // namespace colibri
