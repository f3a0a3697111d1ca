// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/run_record.h"
#include "views/theme/colourmaps.h"

#include <cstdint>

namespace colibri {

/// What the ground of a token or a cell tells.
enum class ColorBy : std::uint8_t { Expert, Margin, Nothing };

/// How decisions are coloured. `layer` is what the text shows; a grid shows all of them.
struct Coloring {
    ColorBy by = ColorBy::Expert;
    int layer = 0;
    int rank = 0; ///< 0: the best of the chosen experts
    double marginMiddle = 1; ///< the margin in the middle of the colour map

    bool operator==(const Coloring&) const = default;
};

/// Where a margin stands on the colour map: 0 for none, 1/2 at `middle`, 1 without bound. NaN stays NaN.
double marginShare(float margin, double middle = 1);
/// A middle that spreads the margins of the first `routed` positions over the map: their median, brought to one digit
/// of 1, 2 or 5 so that it seldom changes while a run grows. 1 when there are none.
double marginMiddle(const RunRecord& record, int routed);
/// The colour of a decision; `position` must be routed. Nothing and an unused rank give noDataColor().
QRgb decisionColor(const RunRecord& record, int position, int layer, ColorBy by, int rank, ColorScheme scheme,
    double marginMiddle = 1);

} // namespace colibri
