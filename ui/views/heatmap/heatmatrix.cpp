// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/heatmap/heatmatrix.h"

#include "stores/steps.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace colibri {
namespace {

constexpr int steps = 255; ///< on each side of zero: finer than the eye

/// divergingColor() of -1 to 1 in even steps; it takes far longer than a look into a table.
const std::vector<QRgb>& divergingTable(ColorScheme scheme)
{
    const auto make = [](ColorScheme of) {
        std::vector<QRgb> colors;
        for (int step = -steps; step <= steps; ++step)
            colors.push_back(divergingColor(double(step) / steps, of));
        return colors;
    };
    static const std::array tables{make(ColorScheme::Light), make(ColorScheme::Dark)};
    return tables[static_cast<std::size_t>(scheme)];
}

} // namespace

QRgb heatColor(double value, const HeatScale& scale, ColorScheme scheme)
{
    const double share = value / scale.top;
    if (scale.kind == HeatScale::Kind::Amount || std::isnan(share))
        return amountColor(share, scheme);
    const auto step = static_cast<int>(std::lround(steps * std::clamp(share, -1., 1.)));
    return divergingTable(scheme)[static_cast<std::size_t>(step + steps)];
}

QImage renderHeat(const HeatMatrix& matrix, Range rows, Range columns, const HeatScale& scale, ColorScheme scheme)
{
    const QSize size(columns.size(), rows.size());
    if (size.isEmpty())
        return {};
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    for (int row = rows.first; row < rows.end; ++row) {
        auto* pixel = reinterpret_cast<QRgb*>(image.scanLine(row - rows.first));
        for (int column = columns.first; column < columns.end; ++column)
            *pixel++ = heatColor(matrix.at(row, column), scale, scheme);
    }
    return image;
}

double largestMagnitude(const HeatMatrix& matrix)
{
    double largest = 0;
    for (const double value : matrix.values)
        largest = std::max(largest, std::isnan(value) ? 0. : std::abs(value));
    return largest;
}

double steadyTop(double before, double largest, bool grow)
{
    const double top = grow ? stepUp(largest) : fineStepUp(largest);
    return top > before || largest < before * (grow ? 1. / 3 : 0.6) ? top : before;
}

ValueTable heatValues(const HeatMatrix& matrix)
{
    ValueTable table;
    table.headers << matrix.rowAxis;
    for (int column = 0; column < matrix.columns; ++column)
        table.headers << QStringLiteral("%1 %2").arg(matrix.columnAxis, matrix.columnTitle(column));
    for (int row = 0; row < matrix.rows; ++row) {
        std::vector<double>& line = table.rows.emplace_back();
        line.push_back(row);
        for (int column = 0; column < matrix.columns; ++column)
            line.push_back(matrix.at(row, column));
    }
    return table;
}

} // namespace colibri
