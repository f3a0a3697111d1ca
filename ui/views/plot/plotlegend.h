// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QCustomPlot;

namespace colibri {

/// Moves the legend of a plot above the axes, where it covers nothing. Before each drawing it gets as many rows as its
/// entries need in the width that the plot has.
void placeLegendAbove(QCustomPlot& plot);

} // namespace colibri
