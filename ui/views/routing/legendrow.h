// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QCustomPlot;

namespace colibri {

/// Shows the legend as a row above the axes, where it covers nothing, or hides it and gives its room back.
void showLegendRow(QCustomPlot& plot, bool shown);

} // namespace colibri
