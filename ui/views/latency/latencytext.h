// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/latencyhistory.h"
#include "views/latency/stepfolds.h"
#include "views/theme/colourmaps.h"

#include <QBrush>
#include <QString>

namespace colibri {

/// Words and colours that the parts of the latency page share.
QString stageName(Stage stage);
QString phaseName(Phase phase);
QString noStepText(ShownPhase phase); ///< instead of a plot, while the phase has no step
QString pausesText(const LatencyStats& stats); ///< how many there were, and that they are no waiting
/// Attention to sampling have colours of the fixed set; the rest is grey, and waiting is hatched as well.
QBrush stageBrush(Stage stage, ColorScheme scheme);

/// Three significant digits, at most four after the point: "4.21", "0.0312", "842".
QString threeDigits(double value);
QString milliseconds(double ms); ///< "4.21 ms"
/// A step in lines: which tokens, how long, then each stage that took time. `folded` steps share the column: when there
/// are more than one, it says that this is the slowest. `waiting`: the wait before it, too, and a pause.
QString stepText(
    const std::vector<TimingEvent>& events, std::size_t index, std::size_t folded, bool waiting, Pauses pauses = {});

} // namespace colibri
