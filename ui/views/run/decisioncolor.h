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

    bool operator==(const Coloring&) const = default;
};

/// Where a margin stands on the colour map: 0 for none, 1/2 at one unit, 1 without bound. NaN stays NaN.
double marginShare(float margin);
/// The colour of a decision; `position` must be routed. Nothing and an unused rank give noDataColor().
QRgb decisionColor(const RunRecord& record, int position, int layer, ColorBy by, int rank, ColorScheme scheme);

} // namespace colibri
