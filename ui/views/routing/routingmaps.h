// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/routingcounts.h"
#include "views/heatmap/heatmatrix.h"

#include <QString>

#include <vector>

namespace colibri {

enum class RoutingMeasure : std::uint8_t { Load, Weight, Zeroed };

/// Of one layer, [experts]. Load: decisions; Weight: share of the layer's weight; Zeroed: decisions in which the output
/// was zeroed.
std::vector<double> measured(const RoutingSum& counts, int layer, RoutingMeasure measure);
/// As shares that runs of different lengths can be compared by. Load: of the layer's load; Weight: of its weight;
/// Zeroed: of its load. NaN where nothing was counted.
std::vector<double> measuredShares(const RoutingSum& counts, int layer, RoutingMeasure measure);

/// measured() of all layers [layers][experts]; experts without load are marked where the layer has any.
HeatMatrix measureMap(const RoutingSum& counts, RoutingMeasure measure);
/// measuredShares() of `one` minus those of `other`; both have the same shape. Marked: without load in one of them.
HeatMatrix differenceMap(const RoutingSum& one, const RoutingSum& other, RoutingMeasure measure);
/// The least end of a scale of differences: a quarter of the share of each expert when all have the same, so that no
/// small difference has the full colour.
double leastDifferenceTop(int experts);
/// How many decisions of a layer chose both experts [experts][experts]; NaN on the diagonal.
HeatMatrix togetherMap(const RoutingSum& counts, int layer);
/// The share of decisions of the layer that chose both, in `one` minus in `other`.
HeatMatrix togetherDifferenceMap(const RoutingSum& one, const RoutingSum& other, int layer);

/// What the numbers of a measure are; `asShares` as measuredShares() has them.
QString measureUnit(RoutingMeasure measure, bool asShares);
/// A share, or a difference of shares with its sign, in percent with as many digits as a scale up to `top` needs.
QString percentText(double share, double top, bool sign);
QString countText(double count); ///< as the locale groups it

} // namespace colibri
