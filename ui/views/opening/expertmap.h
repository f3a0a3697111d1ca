// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/open_progress.h"
#include "views/theme/colourmaps.h"

#include <QImage>
#include <QPoint>
#include <QRect>
#include <QSize>

#include <array>
#include <optional>
#include <span>

namespace colibri {

inline constexpr int expertStateCount = 5;

/// Where the cells of a layer x expert map lie: layers are rows, experts are columns. Device-independent pixels.
struct ExpertMapGrid {
    int layers = 0;
    int experts = 0;
    int cell = 0; ///< side of a square cell, its gap included; 0: there is nothing to draw
    int gap = 0; ///< free pixels at a cell's right and bottom

    QSize size() const { return {experts * cell, layers * cell}; }
    QRect cellRect(int layer, int expert) const { return {expert * cell, layer * cell, cell - gap, cell - gap}; }
    /// x is the expert, y the layer; empty outside of the map.
    std::optional<QPoint> cellAt(QPoint at) const;
};
/// The largest whole cells that fit into `available`, at least 1 and at most 24 pixels.
ExpertMapGrid fitExpertMap(int layers, int experts, QSize available);

using ExpertStateColors = std::array<QRgb, expertStateCount>; ///< indexed by ExpertState
ExpertStateColors expertStateColors(ColorScheme scheme);

/// The map as one premultiplied image. `states` is [layers][experts]; a failed expert also gets a cross where the cell
/// has room for it. Gaps are transparent. A null image when there is nothing to draw.
QImage renderExpertMap(std::span<const ExpertState> states, const ExpertMapGrid& grid, const ExpertStateColors& colors,
    double devicePixelRatio = 1);

/// How many experts are in each state, indexed by ExpertState.
std::array<int, expertStateCount> countStates(std::span<const ExpertState> states);

} // namespace colibri
