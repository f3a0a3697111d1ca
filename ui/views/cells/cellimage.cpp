// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cells/cellimage.h"

#include <algorithm>
#include <cstddef>

namespace colibri {

QImage spreadCells(const QImage& cells, std::span<const int> columns, std::span<const int> rows)
{
    const int width = columns.back() - columns.front();
    QImage image(width, rows.back() - rows.front(), cells.format());
    if (image.isNull())
        return image;
    for (std::size_t row = 0; row + 1 < rows.size(); ++row) {
        const int top = rows[row] - rows.front();
        const int bottom = rows[row + 1] - rows.front();
        if (top == bottom)
            continue;
        const auto* const colours = reinterpret_cast<const QRgb*>(cells.constScanLine(int(row)));
        auto* const first = reinterpret_cast<QRgb*>(image.scanLine(top));
        for (std::size_t column = 0; column + 1 < columns.size(); ++column)
            std::fill(first + (columns[column] - columns.front()), first + (columns[column + 1] - columns.front()),
                colours[column]);
        for (int line = top + 1; line < bottom; ++line)
            std::copy_n(first, width, reinterpret_cast<QRgb*>(image.scanLine(line)));
    }
    return image;
}

} // namespace colibri
