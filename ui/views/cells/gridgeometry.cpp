// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cells/gridgeometry.h"

#include <algorithm>
#include <array>

namespace colibri {
namespace {

constexpr std::array<QSize, zoomLevels> sizes{
    {{2, 3}, {4, 5}, {8, 8}, {14, 14}, {24, 20}, {44, 20}, {68, 22}, {96, 28}}};

Range visible(int scroll, int length, int cell, int count)
{
    const int first = std::min(count, scroll / cell);
    return {first, std::clamp((scroll + length + cell - 1) / cell, first, count)};
}

int scrolledTo(int scroll, int length, int from, int to)
{
    if (from < scroll)
        return from;
    return to > scroll + length ? std::min(from, to - length) : scroll;
}

} // namespace

QSize cellSize(int level)
{
    return sizes[static_cast<std::size_t>(std::clamp(level, 0, zoomLevels - 1))];
}

int idsThatFit(QSize cell, int idWidth, int blankWidth, int lineHeight)
{
    if (cell.height() < lineHeight)
        return 0;
    return std::max(0, (cell.width() - 4 + blankWidth) / (idWidth + blankWidth));
}

int labelStep(int cellLength, int labelLength)
{
    constexpr std::array<int, 3> mantissas{1, 2, 5};
    for (int power = 1; power < 1'000'000; power *= 10) {
        for (const int mantissa : mantissas) {
            if (mantissa * power * cellLength >= labelLength)
                return mantissa * power;
        }
    }
    return 1'000'000;
}

QRect GridGeometry::cellArea() const
{
    return {header.width(), header.height(), std::max(0, viewport.width() - header.width()),
        std::max(0, viewport.height() - header.height())};
}

QSize GridGeometry::scrollRange() const
{
    const QSize area = cellArea().size();
    return {std::max(0, tokens * cell.width() - area.width()), std::max(0, layers * cell.height() - area.height())};
}

Range GridGeometry::visibleTokens() const
{
    return visible(scroll.x(), cellArea().width(), cell.width(), tokens);
}
Range GridGeometry::visibleLayers() const
{
    return visible(scroll.y(), cellArea().height(), cell.height(), layers);
}

QRect GridGeometry::cellRect(int token, int layer) const
{
    return {QPoint(header.width() + token * cell.width() - scroll.x(),
                header.height() + layer * cell.height() - scroll.y()),
        cell};
}

int GridGeometry::tokenAt(int x) const
{
    const int token = (x - header.width() + scroll.x()) / cell.width();
    return x >= header.width() && x < viewport.width() && token < tokens ? token : -1;
}

int GridGeometry::layerAt(int y) const
{
    const int layer = (y - header.height() + scroll.y()) / cell.height();
    return y >= header.height() && y < viewport.height() && layer < layers ? layer : -1;
}

QPoint GridGeometry::scrollShowing(int token, int layer, int neighbours) const
{
    const QSize area = cellArea().size();
    const int from = token * cell.width();
    const int to = from + cell.width();
    const bool shown = from >= scroll.x() && to <= scroll.x() + area.width();
    const int beside = shown ? 0 : std::min(neighbours * cell.width(), area.width() / 4);
    return {std::clamp(scrolledTo(scroll.x(), area.width(), from - beside, to + beside), 0,
                std::max(scrollRange().width(), 0)),
        scrolledTo(scroll.y(), area.height(), layer * cell.height(), (layer + 1) * cell.height())};
}

} // namespace colibri
