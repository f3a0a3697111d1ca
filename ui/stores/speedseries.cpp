// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/speedseries.h"

#include <algorithm>

namespace colibri {

void SpeedSeries::Known::add(const Known& other)
{
    if (other.ns == 0)
        return;
    beginNs = ns > 0 ? std::min(beginNs, other.beginNs) : other.beginNs;
    endNs = std::max(endNs, other.endNs);
    ns += other.ns;
    tokens += other.tokens;
}

void SpeedSeries::reach(std::uint64_t endNs)
{
    while (endNs > m_bucketNs * mostBuckets) {
        for (std::size_t i = 0; i < m_buckets.size(); ++i) {
            if (i % 2 == 0)
                m_buckets[i / 2] = m_buckets[i];
            else
                for (std::size_t phase = 0; phase < m_buckets[i].size(); ++phase)
                    m_buckets[i / 2][phase].add(m_buckets[i][phase]);
        }
        m_buckets.resize((m_buckets.size() + 1) / 2);
        m_bucketNs *= 2;
    }
    m_buckets.resize(std::max(m_buckets.size(), std::size_t((endNs + m_bucketNs - 1) / m_bucketNs)));
}

void SpeedSeries::spread(std::uint64_t fromNs, std::uint64_t toNs, std::uint32_t tokens, bool answer)
{
    reach(toNs);
    for (std::uint64_t at = fromNs; at < toNs;) {
        const std::uint64_t bucket = at / m_bucketNs;
        const std::uint64_t end = std::min(toNs, (bucket + 1) * m_bucketNs);
        const auto ns = double(end - at);
        m_buckets[bucket][answer].add({at, end, ns, double(tokens) * ns / double(toNs - fromNs)});
        at = end;
    }
}

void SpeedSeries::add(const TimingEvent& event, bool afterPause)
{
    if (!m_beginNs)
        m_beginNs = event.startNs;
    const auto since = [this](std::uint64_t ns) { return ns > *m_beginNs ? ns - *m_beginNs : 0; };
    const std::uint64_t from = since(event.startNs);
    const std::uint64_t to = from + std::max<std::uint64_t>(1, event.totalNs);
    if (event.prefill)
        spread(from, to, event.tokens, false);
    else if (m_last && !m_last->prefill && !afterPause
        && std::uint64_t{m_last->position} + m_last->tokens == event.position)
        spread(since(m_last->startNs), from, m_last->tokens, true);
    m_endNs = std::max(m_endNs, to);
    m_last = event;
}

std::vector<SpeedSeries::Known> SpeedSeries::stretches(std::size_t phase) const
{
    std::vector<Known> stretches;
    const auto isShort = [this](const Known& known) {
        return known.endNs - known.beginNs < m_bucketNs || known.tokens < leastTokens;
    };
    const auto closeLast = [&] { // a short one joins the one before it
        if (stretches.size() < 2 || !isShort(stretches.back()))
            return;
        Known& before = stretches[stretches.size() - 2];
        if (before.endNs == stretches.back().beginNs) {
            before.add(stretches.back());
            stretches.pop_back();
        }
    };
    for (const Bucket& bucket : m_buckets) {
        const Known& known = bucket[phase];
        if (known.ns == 0)
            continue;
        const bool goesOn = !stretches.empty() && stretches.back().endNs == known.beginNs;
        if (goesOn && isShort(stretches.back())) {
            stretches.back().add(known);
            continue;
        }
        if (!goesOn)
            closeLast();
        stretches.push_back(known);
    }
    closeLast();
    return stretches;
}

std::vector<SpeedSeries::Point> SpeedSeries::points() const
{
    std::vector<Point> points;
    for (const std::size_t phase : {0, 1}) {
        for (const Known& known : stretches(phase))
            points.push_back({double(known.beginNs) * 1e-9, double(known.endNs - known.beginNs) * 1e-9,
                known.tokens / (known.ns * 1e-9), phase == 0});
    }
    return points;
}

} // namespace colibri
