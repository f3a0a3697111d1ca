// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/cells/gridgeometry.h"
#include "views/plot/valuetable.h"
#include "views/theme/colourmaps.h"

#include <QImage>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace colibri {

/// What a heat map shows: numbers in rows and columns.
struct HeatMatrix {
    int rows = 0;
    int columns = 0;
    std::vector<double> values; ///< [rows][columns]; NaN: no value
    std::vector<std::uint8_t> marks; ///< [rows][columns], not 0: marked by a cross; empty: none is
    QString rowAxis; ///< what a row is, such as "layer"
    QString columnAxis;
    QStringList rowTitles; ///< [rows]; empty: numbers from 0
    QStringList columnTitles; ///< [columns]; empty: numbers from 0

    bool isEmpty() const { return rows <= 0 || columns <= 0; }
    double at(int row, int column) const { return values[index(row, column)]; }
    bool marked(int row, int column) const { return !marks.empty() && marks[index(row, column)] != 0; }
    QString rowTitle(int row) const { return rowTitles.isEmpty() ? QString::number(row) : rowTitles[row]; }
    QString columnTitle(int column) const
    {
        return columnTitles.isEmpty() ? QString::number(column) : columnTitles[column];
    }

private:
    std::size_t index(int row, int column) const
    {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
    }
};

/// From numbers to colours. Amounts go from 0 to `top`; differences from -top over 0 to top.
struct HeatScale {
    enum class Kind : std::uint8_t { Amount, Diverging };
    Kind kind = Kind::Amount;
    double top = 1; ///< above 0

    double bottom() const { return kind == Kind::Amount ? 0 : -top; }
    bool operator==(const HeatScale&) const = default;
};
/// The colours of amountColor() and divergingColor(), in 255 steps from 0.
QRgb heatColor(double value, const HeatScale& scale, ColorScheme scheme);

/// One pixel for each cell of these rows and columns, ARGB32_Premultiplied; null when there is none.
QImage renderHeat(const HeatMatrix& matrix, Range rows, Range columns, const HeatScale& scale, ColorScheme scheme);

double largestMagnitude(const HeatMatrix& matrix); ///< of all values but NaN; 0: there is none
/// The end of an axis or a scale for amounts up to `largest`, which takes a step up at once, but shrinks from `before`
/// (0: there was none) late. While amounts `grow` these are the steps of stepUp(), and less than a third has to be in
/// use; else those of fineStepUp(), and less than three fifths.
double steadyTop(double before, double largest, bool grow);

/// As numbers: the row's index, then the columns under their titles.
ValueTable heatValues(const HeatMatrix& matrix);

} // namespace colibri
