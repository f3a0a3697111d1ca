// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/routingcounts.h"

#include <algorithm>
#include <cmath>

namespace colibri {
namespace {

std::size_t pairAt(std::size_t a, std::size_t b)
{
    const auto [low, high] = std::minmax(a, b);
    return high * (high - 1) / 2 + low;
}

std::size_t pairCount(std::size_t experts)
{
    return experts > 0 ? experts * (experts - 1) / 2 : 0;
}

template <class T>
void accumulate(std::vector<double>& sum, std::span<const T> part)
{
    for (std::size_t at = 0; at < part.size(); ++at)
        sum[at] += static_cast<double>(part[at]);
}

} // namespace

void MarginCounts::add(float margin)
{
    if (std::isnan(margin)) {
        ++none;
        return;
    }
    if (margin == 0)
        ++zero;
    const double bin = std::floor(std::max(0., static_cast<double>(margin)) / binWidth);
    if (bin >= bins)
        ++overflow;
    else
        ++counts[static_cast<std::size_t>(bin)];
}

void MarginCounts::add(const MarginCounts& other)
{
    for (std::size_t bin = 0; bin < counts.size(); ++bin)
        counts[bin] += other.counts[bin];
    overflow += other.overflow;
    none += other.none;
    zero += other.zero;
}

RoutingCounts::RoutingCounts(const RunRecord::Shape& shape)
    : m_layers(static_cast<int>(shape.layers))
    , m_experts(static_cast<int>(shape.experts))
    , m_loads(std::size_t{shape.layers} * shape.experts)
    , m_weights(m_loads.size())
    , m_zeroed(m_loads.size())
    , m_pairs(shape.layers * pairCount(shape.experts))
    , m_margins(shape.layers)
{
}

void RoutingCounts::add(const RunRecord& record, std::uint32_t from, std::uint32_t to)
{
    for (std::uint32_t position = from; position < to; ++position) {
        for (std::uint32_t layer = 0; layer < static_cast<std::uint32_t>(m_layers); ++layer)
            addDecision(record, position, layer);
    }
    m_positions += to > from ? to - from : 0;
}

void RoutingCounts::addDecision(const RunRecord& record, std::uint32_t position, std::uint32_t layer)
{
    const auto experts = static_cast<std::size_t>(m_experts);
    const std::span<const std::uint16_t> chosen = record.experts(position, layer);
    const std::span<const float> weights = record.weights(position, layer);
    const std::uint32_t zeroed = record.zeroed(position, layer);
    const std::size_t first = layer * experts;
    std::uint32_t* const pairs = m_pairs.data() + layer * pairCount(experts);
    for (std::size_t rank = 0; rank < chosen.size(); ++rank) {
        const std::size_t expert = chosen[rank];
        if (expert >= experts)
            continue;
        ++m_loads[first + expert];
        m_weights[first + expert] += static_cast<double>(weights[rank]);
        m_zeroed[first + expert] += zeroed >> std::min<std::size_t>(rank, 31) & 1u;
        for (std::size_t other = 0; other < rank; ++other) {
            if (chosen[other] < experts && chosen[other] != expert)
                ++pairs[pairAt(expert, chosen[other])];
        }
    }
    m_margins[layer].add(record.margin(position, layer));
}

std::uint32_t RoutingCounts::together(int layer, int a, int b) const
{
    if (a == b)
        return loads(layer)[static_cast<std::size_t>(a)];
    return m_pairs[static_cast<std::size_t>(layer) * pairCount(static_cast<std::size_t>(m_experts))
        + pairAt(static_cast<std::size_t>(a), static_cast<std::size_t>(b))];
}

std::uint32_t RoutingSum::positions() const
{
    std::uint32_t sum = 0;
    for (const RoutingCounts* part : m_parts)
        sum += part ? part->positions() : 0;
    return sum;
}

std::vector<double> RoutingSum::loads(int layer) const
{
    std::vector<double> sum(static_cast<std::size_t>(experts()));
    for (const RoutingCounts* part : m_parts) {
        if (part)
            accumulate(sum, part->loads(layer));
    }
    return sum;
}

std::vector<double> RoutingSum::weights(int layer) const
{
    std::vector<double> sum(static_cast<std::size_t>(experts()));
    for (const RoutingCounts* part : m_parts) {
        if (part)
            accumulate(sum, part->weights(layer));
    }
    return sum;
}

std::vector<double> RoutingSum::zeroed(int layer) const
{
    std::vector<double> sum(static_cast<std::size_t>(experts()));
    for (const RoutingCounts* part : m_parts) {
        if (part)
            accumulate(sum, part->zeroed(layer));
    }
    return sum;
}

double RoutingSum::together(int layer, int a, int b) const
{
    double sum = 0;
    for (const RoutingCounts* part : m_parts)
        sum += part ? part->together(layer, a, b) : 0;
    return sum;
}

MarginCounts RoutingSum::margins(int layer) const
{
    MarginCounts sum;
    for (const RoutingCounts* part : m_parts) {
        if (part)
            sum.add(part->margins(layer));
    }
    return sum;
}

} // namespace colibri
