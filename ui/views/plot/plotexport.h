// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QCustomPlot;

namespace colibri {

/// Writes a plot at its present size: PNG at twice the scale, SVG or PDF, by the ending of `path`. Returns what went
/// wrong, empty when it is written; an existing file stays whole when it fails.
QString exportPlot(QCustomPlot& plot, const QString& path);

/// Asks for a file, starting with `name`, and writes the picture; an error is shown over the plot. Does not wait.
void savePlotAs(QCustomPlot& plot, const QString& name);

} // namespace colibri
