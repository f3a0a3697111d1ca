// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/heatmap/heatmatrix.h"

namespace colibri::test {

/// Layers and experts, with the number of each cell as its value.
inline HeatMatrix matrixOf(int rows, int columns)
{
    HeatMatrix matrix;
    matrix.rows = rows;
    matrix.columns = columns;
    matrix.rowAxis = QStringLiteral("layer");
    matrix.columnAxis = QStringLiteral("expert");
    for (int cell = 0; cell < rows * columns; ++cell)
        matrix.values.push_back(cell);
    return matrix;
}

} // namespace colibri::test
