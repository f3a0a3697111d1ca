// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/cells/gridgeometry.h"

#include <QPoint>
#include <QRect>
#include <QSize>

#include <optional>

namespace colibri {

/// Where the cells of a heat map lie: a header above and one at the left, which do not scroll; the cells share what is
/// left, so that their sizes differ by up to a pixel; square ones share the less of width and height. Pixels of the
/// viewport; no widget.
struct HeatGeometry {
    static constexpr QSize largestFit{96, 48}; ///< cells that fit are no larger
    static constexpr QSize largestZoomed{56, 28}; ///< zooming ends when cells have this size

    int rows = 0;
    int columns = 0;
    QSize header{32, 32}; ///< width of the left one, height of the upper one
    QSize viewport;
    QPoint scroll; ///< pixels of the cells left of and above the first visible ones
    double zoom = 1; ///< 1: all cells fit
    bool square = false; ///< cells are as wide as they are high

    QRect cellArea() const; ///< of the viewport, without headers
    QSize content() const; ///< of all cells
    QSize scrollRange() const; ///< largest useful `scroll`
    double largestZoom() const; ///< 1 when the cells that fit are large enough
    Range visibleRows() const;
    Range visibleColumns() const;
    QRect cellRect(int row, int column) const;
    int rowAt(int y) const; ///< -1: none there
    int columnAt(int x) const; ///< -1: none there
    QSize smallestCell() const;
    /// Where the title of a row (a column: `alongX`) of this length begins: in the middle of its cells, moved for the
    /// first and the last ones so that all of it lies beside the cells; empty: there is no room, the cells reach beyond
    /// what is seen.
    std::optional<int> titleAt(int item, int length, bool alongX) const;
    /// The `scroll` nearest to this one that shows the whole cell; a row or column of -1 leaves its direction alone.
    QPoint scrollShowing(int row, int column) const;
};

} // namespace colibri
