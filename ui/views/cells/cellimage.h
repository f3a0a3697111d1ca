// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>

#include <span>

namespace colibri {

/// `cells`, which has a pixel of 32 bits for each cell, with each as wide and as high as its edges say: cell x reaches
/// from columns[x] to columns[x + 1], counted from columns[0], and rows alike. Edges ascend, one more than there are
/// cells; two that are equal leave a cell out. QPainter scales an image in steps that are rounded, and puts a pixel of
/// a cell into its neighbour.
QImage spreadCells(const QImage& cells, std::span<const int> columns, std::span<const int> rows);

} // namespace colibri
