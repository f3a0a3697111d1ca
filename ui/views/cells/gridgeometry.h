// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QRect>
#include <QSize>

namespace colibri {

/// A half-open range of indices.
struct Range {
    int first = 0;
    int end = 0;

    int size() const { return end - first; }
    bool operator==(const Range&) const = default;
};

/// Where the cells of a token x layer grid lie: tokens along x, layers along y, a header above and one at the left that
/// do not scroll. Pixels of the viewport; no widget.
struct GridGeometry {
    QSize cell{8, 8};
    QSize header{48, 64}; ///< width of the left one, height of the upper one
    QSize viewport;
    QPoint scroll; ///< pixels of the grid left of and above the first visible ones
    int tokens = 0;
    int layers = 0;

    QRect cellArea() const; ///< of the viewport, without headers
    QSize scrollRange() const; ///< largest useful `scroll`
    Range visibleTokens() const;
    Range visibleLayers() const;
    QRect cellRect(int token, int layer) const;
    int tokenAt(int x) const; ///< -1: none there
    int layerAt(int y) const; ///< -1: none there
    /// The `scroll` nearest to this one that shows the whole cell; when it has to change, with so many tokens on both
    /// sides of it, as far as half of the view has room for them.
    QPoint scrollShowing(int token, int layer, int neighbours = 0) const;
};

inline constexpr int zoomLevels = 8;
/// Size of a cell; `level` from 0 (an overview) to zoomLevels - 1.
QSize cellSize(int level);
/// How many ids of `idWidth` pixels (a blank of `blankWidth` between two) a cell has room for.
int idsThatFit(QSize cell, int idWidth, int blankWidth, int lineHeight);
/// The smallest of 1, 2, 5, 10, 20, ... that keeps labels apart when every such cell has one.
int labelStep(int cellLength, int labelLength);

} // namespace colibri
