// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace colibri {

/// Finds the largest value of any stretch of a growing series in logarithmic time: what a view shows when many values
/// share a pixel, so that a spike is never lost.
class MaxFold {
public:
    void append(float value);
    void clear();

    std::size_t size() const { return m_values.size(); }
    float operator[](std::size_t index) const { return m_values[index]; }
    /// The index of the first largest value in [from, to); from < to <= size(), fewer than 2^32 values.
    std::size_t largest(std::size_t from, std::size_t to) const;

private:
    static constexpr std::size_t fanOut = 16;

    std::deque<float> m_values; ///< grows without moving: a pause for copying would be felt
    std::vector<std::vector<std::uint32_t>> m_levels; ///< of each block of fanOut^(level + 1) values the first largest
};

} // namespace colibri
