// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/speedseries.h"

#include <algorithm>

namespace colibri {

void SpeedSeries::reach(std::uint64_t endNs)
{
    m_endNs = std::max(m_endNs, endNs);
    while (m_endNs > m_bucketNs * mostBuckets) {
        for (std::size_t i = 0; i < m_buckets.size(); i += 2) {
            const Bucket next = i + 1 < m_buckets.size() ? m_buckets[i + 1] : Bucket{};
            m_buckets[i / 2] = {m_buckets[i].prefill + next.prefill, m_buckets[i].decode + next.decode,
                m_buckets[i].complete && next.complete};
        }
        m_buckets.resize((m_buckets.size() + 1) / 2);
        m_bucketNs *= 2;
    }
    m_buckets.resize((m_endNs + m_bucketNs - 1) / m_bucketNs);
}

void SpeedSeries::markMissing(std::uint64_t fromNs, std::uint64_t toNs)
{
    for (std::uint64_t bucket = fromNs / m_bucketNs; bucket < m_buckets.size() && bucket * m_bucketNs <= toNs; ++bucket)
        m_buckets[bucket].complete = false;
}

void SpeedSeries::add(const TimingEvent& event)
{
    if (!m_beginNs)
        m_beginNs = event.startNs;
    const std::uint64_t from = event.startNs > *m_beginNs ? event.startNs - *m_beginNs : 0;
    const std::uint64_t to = from + std::max<std::uint64_t>(1, event.totalNs);
    const std::uint64_t before = m_endNs;
    reach(to);
    if (event.position != m_nextPosition)
        markMissing(before, from);
    m_nextPosition = std::uint64_t{event.position} + event.tokens;
    for (std::uint64_t at = from; at < to;) {
        const std::uint64_t bucket = at / m_bucketNs;
        const std::uint64_t end = std::min(to, (bucket + 1) * m_bucketNs);
        const double tokens = double(event.tokens) * double(end - at) / double(to - from);
        (event.prefill ? m_buckets[bucket].prefill : m_buckets[bucket].decode) += tokens;
        at = end;
    }
}

std::vector<SpeedSeries::Point> SpeedSeries::points() const
{
    std::vector<Point> points;
    points.reserve(m_buckets.size());
    for (std::size_t i = 0; i < m_buckets.size(); ++i) {
        const std::uint64_t begin = i * m_bucketNs;
        const double lengthS = double(std::min(m_endNs, begin + m_bucketNs) - begin) * 1e-9;
        const Bucket& bucket = m_buckets[i];
        points.push_back({double(begin) * 1e-9, lengthS, (bucket.prefill + bucket.decode) / lengthS,
            bucket.prefill > bucket.decode, bucket.complete});
    }
    return points;
}

} // namespace colibri
