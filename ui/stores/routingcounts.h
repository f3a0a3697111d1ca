// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/run_record.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace colibri {

/// Margins of one layer, in logit units, in bins of one width; all bounds are exact in binary.
struct MarginCounts {
    static constexpr int bins = 128;
    static constexpr double binWidth = 1. / 32;
    static constexpr double overflowFrom = bins * binWidth;

    std::array<std::uint32_t, bins> counts{}; ///< bin b: b * binWidth <= margin < (b + 1) * binWidth; below 0: bin 0
    std::uint32_t overflow = 0; ///< overflowFrom and more
    std::uint32_t none = 0; ///< NaN: the decision had no margin
    std::uint32_t zero = 0; ///< exactly 0; they are in bin 0 as well

    void add(float margin);
    void add(const MarginCounts& other);
    bool operator==(const MarginCounts&) const = default;
};

/// What a stretch of positions asked of each expert. A plain value; its size does not grow with the stretch:
/// layers * experts * (2 * experts + 14) bytes, about.
class RoutingCounts {
public:
    RoutingCounts() = default; ///< no layers
    explicit RoutingCounts(const RunRecord::Shape& shape);

    int layers() const { return m_layers; }
    int experts() const { return m_experts; }
    std::uint32_t positions() const { return m_positions; }

    /// Counts the positions from..to-1, which have to be routed. The record has this shape; a position is to be added
    /// once.
    void add(const RunRecord& record, std::uint32_t from, std::uint32_t to);

    // [experts] of one layer.
    std::span<const std::uint32_t> loads(int layer) const { return row(m_loads, layer); } ///< decisions that chose it
    std::span<const double> weights(int layer) const { return row(m_weights, layer); } ///< sum of its weights
    /// Decisions in which its output was zeroed. Ranks from 31 on share one bit of the record and count together.
    std::span<const std::uint32_t> zeroed(int layer) const { return row(m_zeroed, layer); }

    /// Decisions that chose both; symmetric; of an expert with itself: its load.
    std::uint32_t together(int layer, int a, int b) const;
    const MarginCounts& margins(int layer) const { return m_margins[static_cast<std::size_t>(layer)]; }

    bool operator==(const RoutingCounts&) const = default;

private:
    template <class T>
    std::span<const T> row(const std::vector<T>& table, int layer) const
    {
        const auto width = static_cast<std::size_t>(m_experts);
        return std::span(table).subspan(static_cast<std::size_t>(layer) * width, width);
    }
    void addDecision(const RunRecord& record, std::uint32_t position, std::uint32_t layer);

    int m_layers = 0;
    int m_experts = 0;
    std::uint32_t m_positions = 0;
    std::vector<std::uint32_t> m_loads; ///< [layers][experts]
    std::vector<double> m_weights; ///< [layers][experts]
    std::vector<std::uint32_t> m_zeroed; ///< [layers][experts]
    std::vector<std::uint32_t> m_pairs; ///< [layers][experts * (experts - 1) / 2], of a < b at b * (b - 1) / 2 + a
    std::vector<MarginCounts> m_margins; ///< [layers]
};

/// One or two counts of the same shape taken together, such as those of prompt and answer. Refers to them.
class RoutingSum {
public:
    RoutingSum() = default; ///< nothing: no layers
    explicit RoutingSum(const RoutingCounts& one)
        : m_parts{&one, nullptr}
    {
    }
    RoutingSum(const RoutingCounts& one, const RoutingCounts& other)
        : m_parts{&one, &other}
    {
    }

    int layers() const { return m_parts[0] ? m_parts[0]->layers() : 0; }
    int experts() const { return m_parts[0] ? m_parts[0]->experts() : 0; }
    std::uint32_t positions() const;
    std::vector<double> loads(int layer) const; ///< [experts]
    std::vector<double> weights(int layer) const; ///< [experts]
    std::vector<double> zeroed(int layer) const; ///< [experts]
    double together(int layer, int a, int b) const;
    MarginCounts margins(int layer) const;

private:
    std::array<const RoutingCounts*, 2> m_parts{};
};

} // namespace colibri
