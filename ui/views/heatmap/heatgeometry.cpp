// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/heatmap/heatgeometry.h"

#include <algorithm>
#include <cmath>

namespace colibri {
namespace {

constexpr double wholeCells = 6;

/// Where item `at` of `count` begins in a length.
int edge(int at, int count, int length)
{
    return static_cast<int>(static_cast<long long>(at) * length / std::max(1, count));
}

/// The item at a place of the length; -1: none there.
int itemAt(int place, int count, int length)
{
    if (place < 0 || place >= length || count <= 0)
        return -1;
    int item = static_cast<int>(static_cast<long long>(place) * count / length);
    while (item + 1 < count && edge(item + 1, count, length) <= place)
        ++item;
    return item;
}

Range visible(int scroll, int shown, int count, int length)
{
    if (count <= 0 || length <= 0 || shown <= 0)
        return {0, 0};
    const int last = std::min(scroll + shown, length) - 1;
    // With more items than pixels some have none of their own; the first one is the one that begins here.
    const auto first = static_cast<int>(static_cast<long long>(scroll) * count / length);
    return {first, itemAt(last, count, length) + 1};
}

int scrolledTo(int scroll, int shown, int from, int to)
{
    if (from < scroll)
        return from;
    return to > scroll + shown ? std::min(from, to - shown) : scroll;
}

int fitting(int room, int count, int largest)
{
    return std::max(0, std::min(room, count * largest));
}

} // namespace

QRect HeatGeometry::cellArea() const
{
    return {header.width(), header.height(), std::max(0, viewport.width() - header.width()),
        std::max(0, viewport.height() - header.height())};
}

QSize HeatGeometry::content() const
{
    const QSize area = cellArea().size();
    double wide = fitting(area.width(), columns, largestFit.width());
    double high = fitting(area.height(), rows, largestFit.height());
    if (square && rows > 0 && columns > 0) {
        const double side = std::min(wide / columns, high / rows);
        // Whole pixels, but where cells would lose too much by it.
        const double cell = side >= wholeCells ? std::floor(side) : side;
        wide = cell * columns;
        high = cell * rows;
    }
    return {static_cast<int>(std::lround(wide * zoom)), static_cast<int>(std::lround(high * zoom))};
}

QSize HeatGeometry::scrollRange() const
{
    const QSize beyond = content() - cellArea().size();
    return {std::max(0, beyond.width()), std::max(0, beyond.height())};
}

double HeatGeometry::largestZoom() const
{
    HeatGeometry whole = *this;
    whole.zoom = 1;
    const QSize all = whole.content();
    if (all.isEmpty())
        return 1;
    const double wide = double(largestZoomed.width()) * columns / all.width();
    const double high = double(largestZoomed.height()) * rows / all.height();
    return std::max({1., wide, high});
}

Range HeatGeometry::visibleRows() const
{
    return visible(scroll.y(), cellArea().height(), rows, content().height());
}

Range HeatGeometry::visibleColumns() const
{
    return visible(scroll.x(), cellArea().width(), columns, content().width());
}

QRect HeatGeometry::cellRect(int row, int column) const
{
    const QSize all = content();
    const QPoint from(edge(column, columns, all.width()), edge(row, rows, all.height()));
    const QPoint to(edge(column + 1, columns, all.width()), edge(row + 1, rows, all.height()));
    const QPoint origin = cellArea().topLeft() - scroll;
    return {from + origin, to + origin - QPoint(1, 1)};
}

int HeatGeometry::rowAt(int y) const
{
    return y < header.height() ? -1 : itemAt(y - header.height() + scroll.y(), rows, content().height());
}

int HeatGeometry::columnAt(int x) const
{
    return x < header.width() ? -1 : itemAt(x - header.width() + scroll.x(), columns, content().width());
}

QSize HeatGeometry::smallestCell() const
{
    const QSize all = content();
    return {columns > 0 ? all.width() / columns : 0, rows > 0 ? all.height() / rows : 0};
}

std::optional<int> HeatGeometry::titleAt(int item, int length, bool alongX) const
{
    const QRect cell = cellRect(alongX ? 0 : item, alongX ? item : 0);
    const QRect area = cellArea();
    const int from = alongX ? cell.left() : cell.top();
    const int to = from + (alongX ? cell.width() : cell.height());
    const int first = alongX ? area.left() : area.top();
    const int end = first + (alongX ? area.width() : area.height());
    const int begin = from + (to - from - length) / 2;
    const bool seen = from >= first && to <= end;
    if (seen)
        return std::max(first, std::min(begin, end - length));
    return begin >= first && begin + length <= end ? std::optional(begin) : std::nullopt;
}

QPoint HeatGeometry::scrollShowing(int row, int column) const
{
    const QSize all = content();
    const QSize area = cellArea().size();
    QPoint to = scroll;
    if (column >= 0)
        to.setX(scrolledTo(
            scroll.x(), area.width(), edge(column, columns, all.width()), edge(column + 1, columns, all.width())));
    if (row >= 0)
        to.setY(
            scrolledTo(scroll.y(), area.height(), edge(row, rows, all.height()), edge(row + 1, rows, all.height())));
    return to;
}

} // namespace colibri
