// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/routing/routingmaps.h"

#include "stores/routingfigures.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>

namespace colibri {
namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("RoutingMaps", text);
}

HeatMatrix emptyMap(int rows, int columns, const QString& rowAxis)
{
    HeatMatrix map;
    map.rows = rows;
    map.columns = columns;
    map.rowAxis = rowAxis;
    map.columnAxis = translated("expert");
    map.values.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    return map;
}

double sumOf(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.);
}

void markWithoutLoad(HeatMatrix& map, const RoutingSum& counts)
{
    map.marks.resize(map.values.size());
    auto mark = map.marks.begin();
    for (int layer = 0; layer < map.rows; ++layer) {
        const std::vector<double> loads = counts.loads(layer);
        const bool any = sumOf(loads) > 0;
        for (const double load : loads)
            *mark++ |= any && load == 0;
    }
}

/// Decisions of a layer that chose both, times `factor`; `values` is [experts][experts].
void addTogether(std::vector<double>& values, const RoutingSum& counts, int layer, double factor)
{
    const int experts = counts.experts();
    for (int a = 0; a < experts; ++a) {
        for (int b = 0; b < a; ++b) {
            const double share = counts.together(layer, a, b) * factor;
            values[static_cast<std::size_t>(a * experts + b)] += share;
            values[static_cast<std::size_t>(b * experts + a)] += share;
        }
        values[static_cast<std::size_t>(a * experts + a)] = std::numeric_limits<double>::quiet_NaN();
    }
}

double perDecision(const RoutingSum& counts)
{
    return counts.positions() > 0 ? 1. / counts.positions() : std::numeric_limits<double>::quiet_NaN();
}

} // namespace

std::vector<double> measured(const RoutingSum& counts, int layer, RoutingMeasure measure)
{
    if (measure == RoutingMeasure::Weight)
        return shares(counts.weights(layer));
    return measure == RoutingMeasure::Load ? counts.loads(layer) : counts.zeroed(layer);
}

std::vector<double> measuredShares(const RoutingSum& counts, int layer, RoutingMeasure measure)
{
    if (measure != RoutingMeasure::Zeroed)
        return shares(measure == RoutingMeasure::Weight ? counts.weights(layer) : counts.loads(layer));
    const double decisions = sumOf(counts.loads(layer));
    std::vector<double> values = counts.zeroed(layer);
    for (double& value : values)
        value /= decisions; // 0 / 0: NaN
    return values;
}

HeatMatrix measureMap(const RoutingSum& counts, RoutingMeasure measure)
{
    HeatMatrix map = emptyMap(counts.layers(), counts.experts(), translated("layer"));
    for (int layer = 0; layer < counts.layers(); ++layer) {
        const std::vector<double> values = measured(counts, layer, measure);
        map.values.insert(map.values.end(), values.begin(), values.end());
    }
    markWithoutLoad(map, counts);
    return map;
}

HeatMatrix differenceMap(const RoutingSum& one, const RoutingSum& other, RoutingMeasure measure)
{
    HeatMatrix map = emptyMap(one.layers(), one.experts(), translated("layer"));
    for (int layer = 0; layer < one.layers(); ++layer) {
        const std::vector<double> left = measuredShares(one, layer, measure);
        const std::vector<double> right = measuredShares(other, layer, measure);
        std::transform(left.begin(), left.end(), right.begin(), std::back_inserter(map.values), std::minus<>());
    }
    markWithoutLoad(map, one);
    markWithoutLoad(map, other);
    return map;
}

double leastDifferenceTop(int experts)
{
    return 0.25 / std::max(1, experts);
}

HeatMatrix togetherMap(const RoutingSum& counts, int layer)
{
    HeatMatrix map = emptyMap(counts.experts(), counts.experts(), translated("expert"));
    map.values.resize(static_cast<std::size_t>(map.rows) * static_cast<std::size_t>(map.columns));
    addTogether(map.values, counts, layer, 1);
    return map;
}

HeatMatrix togetherDifferenceMap(const RoutingSum& one, const RoutingSum& other, int layer)
{
    HeatMatrix map = emptyMap(one.experts(), one.experts(), translated("expert"));
    map.values.resize(static_cast<std::size_t>(map.rows) * static_cast<std::size_t>(map.columns));
    addTogether(map.values, one, layer, perDecision(one));
    addTogether(map.values, other, layer, -perDecision(other));
    return map;
}

QString measureUnit(RoutingMeasure measure, bool asShares)
{
    if (measure == RoutingMeasure::Weight)
        return translated("of weight");
    if (measure == RoutingMeasure::Load)
        return asShares ? translated("of load") : translated("tokens");
    return asShares ? translated("of load zeroed") : translated("zeroed");
}

QString percentText(double share, double top, bool sign)
{
    if (std::isnan(share))
        return QStringLiteral("\u2013");
    const int digits = std::clamp(1 - static_cast<int>(std::floor(std::log10(100 * top) + 1e-9)), 1, 4);
    const QString text = QString::number(std::abs(100 * share), 'f', digits);
    const bool zero = text.toDouble() == 0; // which has no sign
    return (zero ? QString() : share < 0 ? QStringLiteral("-") : sign ? QStringLiteral("+") : QString()) + text + u'%';
}

QString countText(double count)
{
    return std::isnan(count) ? QStringLiteral("\u2013") : QLocale().toString(std::llround(count));
}

} // namespace colibri
