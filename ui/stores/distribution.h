// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace colibri {

/// The percentiles that are shown, in thousandths: P50, P90, P99 and P99.9.
inline constexpr unsigned shownPercentiles[]{500, 900, 990, 999};
/// How many values a percentile needs: with fewer, its nearest rank would be the largest value whatever the values are.
/// 2 for P50, 10 for P90, 100 for P99, 1,000 for P99.9.
constexpr std::uint64_t samplesFor(unsigned perMille)
{
    return (1000 + (1000 - perMille) - 1) / (1000 - perMille);
}

/// The values of one quantity while they arrive. Up to exactLimit values all figures are exact. Beyond it, values are
/// counted in bins whose width is at most 1/128 of their value: percentiles are then wrong by 1/256 (0.4 %) at most and
/// countAbove() by a part of one bin; count, sum, extremes, mean and deviation stay exact.
class Distribution {
public:
    static constexpr std::size_t exactLimit = 100'000;

    /// In the order they were measured; best in batches, since each costs a pass over what is held.
    void add(std::span<const std::uint64_t> values);
    void clear() { *this = {}; }

    std::uint64_t count() const { return m_count; }
    bool exact() const { return m_count <= exactLimit; }
    std::uint64_t sum() const { return m_sum; }
    std::uint64_t least() const { return m_least; } ///< 0 when there are none, as are the next two
    std::uint64_t largest() const { return m_largest; }
    double mean() const { return m_count > 0 ? double(m_sum) / double(m_count) : 0; }
    /// The standard deviation of a sample (divided by count - 1); 0 with fewer than two values.
    double deviation() const;
    /// By nearest rank, definition 1 of Hyndman and Fan (The American Statistician 50, 1996): in ascending order the
    /// value number ceil(perMille / 1000 * count), counted from 1. Empty below samplesFor(perMille) values.
    std::optional<std::uint64_t> percentile(unsigned perMille) const;
    std::uint64_t countAbove(std::uint64_t limit) const;

private:
    void countInBins(std::span<const std::uint64_t> values);

    std::vector<std::uint64_t> m_sorted; ///< all values; empty beyond exactLimit
    std::vector<std::uint32_t> m_bins; ///< counted from the first value on, so that passing exactLimit costs nothing
    std::uint64_t m_count = 0;
    std::uint64_t m_sum = 0;
    std::uint64_t m_least = 0;
    std::uint64_t m_largest = 0;
    double m_runningMean = 0; ///< of B. P. Welford's method (Technometrics 4, 1962)
    double m_squares = 0; ///< sum of the squared distances from the mean
};

} // namespace colibri
