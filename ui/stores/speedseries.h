// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/timing_event.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace colibri {

/// Tokens a second of the clock, waits included, over the time of a run. The run is divided into at most `mostBuckets`
/// buckets of equal length, which doubles when they do not reach: a run of any length costs the same.
///
/// The tokens of a step are spread evenly over its time, and each bucket has the speed of the time in it that is known.
/// A step of the answer lasts until the next one begins, so that a steady pace is a steady speed wherever a bucket
/// ends. That is not known of the newest step, of one before a pause and of one before a step that was not recorded:
/// they have no speed. A step of the prompt lasts until it ends, since steps of the prompt do not wait for each other.
class SpeedSeries {
public:
    static constexpr std::size_t mostBuckets = 512;
    static constexpr std::uint64_t firstBucketNs = 50'000'000;
    static constexpr double leastTokens = 4; ///< of a stretch: the time of one token varies more than the speed

    /// Steps in the order of their time. `afterPause`: the run was paused before this one.
    void add(const TimingEvent& event, bool afterPause = false);
    void clear() { *this = {}; }

    struct Point {
        double beginS = 0; ///< since the first step began
        double lengthS = 0;
        double tokensPerSecond = 0;
        bool prefill = false; ///< of the prompt
    };
    /// The stretches of known speed so far, of the prompt before those of the answer; where one does not begin at the
    /// end of the one before, nothing is known between. A stretch is a bucket, or more of them until it has
    /// `leastTokens`; what remains at an end belongs to the stretch before it.
    std::vector<Point> points() const;
    double seconds() const
    {
        return double(m_endNs) * 1e-9;
    } ///< from the begin of the first step to the end of the last

private:
    /// The known time of one phase in a bucket.
    struct Known {
        std::uint64_t beginNs = 0; ///< since the first step began
        std::uint64_t endNs = 0;
        double ns = 0; ///< less than from begin to end when there is a hole
        double tokens = 0;

        void add(const Known& other);
    };
    using Bucket = std::array<Known, 2>; ///< prompt, answer
    void reach(std::uint64_t endNs);
    std::vector<Known> stretches(std::size_t phase) const;
    void spread(std::uint64_t fromNs, std::uint64_t toNs, std::uint32_t tokens, bool answer);

    std::vector<Bucket> m_buckets;
    std::uint64_t m_bucketNs = firstBucketNs;
    std::optional<std::uint64_t> m_beginNs; ///< of the first step; empty: none yet
    std::uint64_t m_endNs = 0; ///< since then
    std::optional<TimingEvent> m_last; ///< the newest step
};

} // namespace colibri
