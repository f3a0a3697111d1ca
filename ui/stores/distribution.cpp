// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace colibri {
namespace {

constexpr int mantissaBits = 8; ///< of a bin's lowest value; smaller values have a bin each
constexpr std::size_t half = std::size_t{1} << (mantissaBits - 1);
constexpr std::size_t binCount = 2 * half + (64 - mantissaBits) * half;

std::size_t binOf(std::uint64_t value)
{
    const int bits = std::bit_width(value);
    if (bits <= mantissaBits)
        return static_cast<std::size_t>(value);
    const int shift = bits - mantissaBits;
    return half * static_cast<std::size_t>(shift) + static_cast<std::size_t>(value >> shift);
}

struct Bin {
    std::uint64_t first = 0;
    std::uint64_t width = 1;
};

Bin binAt(std::size_t index)
{
    if (index < 2 * half)
        return {index, 1};
    const std::size_t shift = index / half - 1;
    return {static_cast<std::uint64_t>(index - half * shift) << shift, std::uint64_t{1} << shift};
}

} // namespace

void Distribution::add(std::span<const std::uint64_t> values)
{
    if (values.empty())
        return;
    if (m_count == 0)
        m_least = values[0];
    for (const std::uint64_t value : values) {
        ++m_count;
        m_sum += value;
        m_least = std::min(m_least, value);
        m_largest = std::max(m_largest, value);
        const double before = double(value) - m_runningMean;
        m_runningMean += before / double(m_count);
        m_squares += before * (double(value) - m_runningMean);
    }
    countInBins(values);
    if (!exact()) {
        m_sorted = {};
        return;
    }
    const auto middle = static_cast<std::ptrdiff_t>(m_sorted.size());
    m_sorted.insert(m_sorted.end(), values.begin(), values.end());
    std::sort(m_sorted.begin() + middle, m_sorted.end());
    std::inplace_merge(m_sorted.begin(), m_sorted.begin() + middle, m_sorted.end());
}

void Distribution::countInBins(std::span<const std::uint64_t> values)
{
    m_bins.resize(binCount);
    for (const std::uint64_t value : values)
        ++m_bins[binOf(value)];
}

double Distribution::deviation() const
{
    return m_count > 1 ? std::sqrt(m_squares / double(m_count - 1)) : 0;
}

std::optional<std::uint64_t> Distribution::percentile(unsigned perMille) const
{
    if (m_count < samplesFor(perMille))
        return std::nullopt;
    const std::uint64_t rank = (perMille * m_count + 999) / 1000;
    if (exact())
        return m_sorted[rank - 1];
    std::uint64_t below = 0;
    std::size_t index = 0;
    for (; below + m_bins[index] < rank; ++index)
        below += m_bins[index];
    const Bin bin = binAt(index);
    return std::clamp(bin.first + bin.width / 2, m_least, m_largest);
}

std::uint64_t Distribution::countAbove(std::uint64_t limit) const
{
    if (exact())
        return static_cast<std::uint64_t>(m_sorted.end() - std::upper_bound(m_sorted.begin(), m_sorted.end(), limit));
    const std::size_t at = binOf(limit);
    std::uint64_t above = 0;
    for (std::size_t index = at + 1; index < m_bins.size(); ++index)
        above += m_bins[index];
    const Bin bin = binAt(at); // its values are taken as spread evenly
    const double share = double(bin.first + bin.width - 1 - limit) / double(bin.width);
    return above + static_cast<std::uint64_t>(std::llround(share * m_bins[at]));
}

} // namespace colibri
