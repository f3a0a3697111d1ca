// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/timing_event.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace colibri {

/// Tokens a second of the clock, waits included, over the time of a run. At most `mostBuckets` stretches of equal
/// length, which doubles when they do not reach: a run of any length costs the same.
class SpeedSeries {
public:
    static constexpr std::size_t mostBuckets = 512;
    static constexpr std::uint64_t firstBucketNs = 50'000'000;

    /// Steps in the order of their time. The tokens of a step are spread evenly over its time.
    void add(const TimingEvent& event);
    void clear() { *this = {}; }

    struct Point {
        double beginS = 0; ///< since the first step began
        double lengthS = 0;
        double tokensPerSecond = 0;
        bool prefill = false; ///< most of its tokens belong to the prompt
        bool complete = true; ///< false: a step in it was not recorded, so that the speed is too low
    };
    /// The stretches so far; the last one reaches to the end of the newest step.
    std::vector<Point> points() const;
    double seconds() const
    {
        return double(m_endNs) * 1e-9;
    } ///< from the begin of the first step to the end of the last

private:
    struct Bucket {
        double prefill = 0; ///< tokens
        double decode = 0;
        bool complete = true;
    };
    void reach(std::uint64_t endNs);
    void markMissing(std::uint64_t fromNs, std::uint64_t toNs);

    std::vector<Bucket> m_buckets;
    std::uint64_t m_bucketNs = firstBucketNs;
    std::optional<std::uint64_t> m_beginNs; ///< of the first step; empty: none yet
    std::uint64_t m_endNs = 0; ///< since then
    std::uint64_t m_nextPosition = 0; ///< of the step that would follow
};

} // namespace colibri
