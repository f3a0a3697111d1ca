// SPDX-License-Identifier: GPL-3.0-or-later
// What HeatView paints.
#include "views/cells/cellimage.h"
#include "views/heatmap/heatview.h"
#include "views/theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <vector>

namespace colibri {
namespace {

constexpr int smallestLined = 8; ///< cells from this size on are divided by lines
constexpr int smallestMarked = 4; ///< cells from this size on have room for a cross
constexpr int largestCross = 10;
constexpr double accentTint = 0.3;

int shortSide(QSize size)
{
    return std::min(size.width(), size.height());
}

/// What figures and capitals take of a line.
int inkHeight(const QFontMetrics& metrics)
{
    return metrics.capHeight() + 2;
}

} // namespace

/// Colours of one paint.
struct HeatView::Inks {
    ColorScheme scheme;
    QColor text;
    QColor muted;
    QColor base;
    QColor line;
    QColor chosenGround; ///< of titles: a tint of the accent
};

void HeatView::paintEvent(QPaintEvent*)
{
    const ColorScheme scheme = schemeOf(palette());
    const ThemeColors& theme = themeColors(scheme);
    const Inks inks{scheme, palette().color(QPalette::Text), QColor::fromRgb(theme.mutedText),
        palette().color(QPalette::Base), QColor::fromRgb(theme.line),
        QColor::fromRgb(mixed(palette().color(QPalette::Base).rgb(), theme.accent, accentTint))};
    QPainter painter(viewport());
    if (m_matrix.isEmpty()) {
        painter.setFont(window()->font());
        painter.setPen(inks.muted);
        const QRect room = viewport()->rect().adjusted(grid::unit, grid::unit, -grid::unit, -grid::unit);
        painter.drawText(room, Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return;
    }
    painter.setFont(font());
    painter.setClipRect(m_geometry.cellArea());
    paintCells(painter, inks);
    paintNumbers(painter, inks);
    paintMarks(painter, inks);
    paintCurrent(painter, inks);
    painter.setClipping(false);
    paintTitles(painter, inks);
}

void HeatView::paintCells(QPainter& painter, const Inks& inks) const
{
    const Range rows = m_geometry.visibleRows();
    const Range columns = m_geometry.visibleColumns();
    if (rows.size() <= 0 || columns.size() <= 0)
        return;
    const QRect area =
        m_geometry.cellRect(rows.first, columns.first).united(m_geometry.cellRect(rows.end - 1, columns.end - 1));
    std::vector<int> lefts;
    for (int column = columns.first; column < columns.end; ++column)
        lefts.push_back(m_geometry.cellRect(rows.first, column).left());
    lefts.push_back(area.right() + 1);
    std::vector<int> tops;
    for (int row = rows.first; row < rows.end; ++row)
        tops.push_back(m_geometry.cellRect(row, columns.first).top());
    tops.push_back(area.bottom() + 1);
    painter.drawImage(
        area.topLeft(), spreadCells(renderHeat(m_matrix, rows, columns, m_scale, inks.scheme), lefts, tops));
    if (shortSide(m_geometry.smallestCell()) < smallestLined)
        return;
    for (int column = columns.first; column < columns.end; ++column)
        painter.fillRect(QRect(m_geometry.cellRect(0, column).right(), area.top(), 1, area.height()), inks.base);
    for (int row = rows.first; row < rows.end; ++row)
        painter.fillRect(QRect(area.left(), m_geometry.cellRect(row, 0).bottom(), area.width(), 1), inks.base);
}

/// The numbers, when the longest one of those that are seen has room in every cell.
void HeatView::paintNumbers(QPainter& painter, const Inks& inks) const
{
    const QFontMetrics metrics(font());
    const QSize cell = m_geometry.smallestCell();
    const int digit = metrics.horizontalAdvance(QLatin1Char('0'));
    if (cell.height() < inkHeight(metrics) + 2 || cell.width() < 2 * digit)
        return;
    const Range rows = m_geometry.visibleRows();
    const Range columns = m_geometry.visibleColumns();
    std::vector<QString> texts;
    int widest = 0;
    for (int row = rows.first; row < rows.end; ++row) {
        for (int column = columns.first; column < columns.end; ++column) {
            texts.push_back(m_matrix.marked(row, column) ? QString() : numberText(m_matrix.at(row, column)));
            widest = std::max(widest, static_cast<int>(texts.back().size()) * digit);
        }
    }
    if (widest + grid::half > cell.width())
        return;
    auto text = texts.cbegin();
    for (int row = rows.first; row < rows.end; ++row) {
        for (int column = columns.first; column < columns.end; ++column) {
            painter.setPen(QColor::fromRgb(readableOn(heatColor(m_matrix.at(row, column), m_scale, inks.scheme))));
            painter.drawText(m_geometry.cellRect(row, column), Qt::AlignCenter, *text++);
        }
    }
}

/// A cross in marked cells.
void HeatView::paintMarks(QPainter& painter, const Inks& inks) const
{
    const int side = shortSide(m_geometry.smallestCell());
    if (m_matrix.marks.empty() || side < smallestMarked)
        return;
    const Range rows = m_geometry.visibleRows();
    const Range columns = m_geometry.visibleColumns();
    const int arm = std::min(side - 2, largestCross) / 2;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (int row = rows.first; row < rows.end; ++row) {
        for (int column = columns.first; column < columns.end; ++column) {
            if (!m_matrix.marked(row, column))
                continue;
            painter.setPen(QPen(QColor::fromRgb(readableOn(heatColor(m_matrix.at(row, column), m_scale, inks.scheme))),
                side > 8 ? 1.5 : 1));
            const QPointF middle = QRectF(m_geometry.cellRect(row, column)).center();
            painter.drawLine(middle - QPointF(arm, arm), middle + QPointF(arm, arm));
            painter.drawLine(middle - QPointF(arm, -arm), middle + QPointF(arm, -arm));
        }
    }
    painter.restore();
}

/// The frame of the current cell, in two tones, so that it is seen on every ground.
void HeatView::paintCurrent(QPainter& painter, const Inks& inks) const
{
    if (m_row < 0)
        return;
    const QRect cell = m_column >= 0
        ? m_geometry.cellRect(m_row, m_column)
        : m_geometry.cellRect(m_row, 0).united(m_geometry.cellRect(m_row, m_matrix.columns - 1));
    const bool wide = shortSide(cell.size()) >= smallestLined;
    const int outside = wide ? 0 : 1; // or a narrow cell would lie under its frame
    painter.setBrush(Qt::NoBrush);
    if (m_column < 0) {
        painter.setPen(inks.text);
        painter.drawRect(cell.adjusted(0, 0, -1, -1)); // inside: the last row has nothing below it
        return;
    }
    painter.setPen(QPen(inks.text, 2));
    painter.drawRect(cell.adjusted(-1, -1, outside, outside));
    painter.setPen(inks.base);
    if (wide)
        painter.drawRect(cell.adjusted(1, 1, -2, -2));
    painter.drawRect(cell.adjusted(-3, -3, 2 + outside, 2 + outside));
}

void HeatView::paintTitles(QPainter& painter, const Inks& inks) const
{
    const QFontMetrics metrics = painter.fontMetrics();
    const QSize header = m_geometry.header;
    const QRect area = m_geometry.cellArea();
    const int left = header.width() - grid::unit;
    painter.setPen(inks.muted);
    painter.drawText(
        QRect(area.left(), 0, area.width(), metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, m_matrix.columnAxis);
    painter.drawText(
        QRect(0, metrics.height(), left, metrics.height()), Qt::AlignRight | Qt::AlignVCenter, m_matrix.rowAxis);

    paintColumnTitles(painter, inks);
    paintRowTitles(painter, inks);
    painter.setClipping(false);
    painter.setPen(inks.line);
    painter.drawLine(header.width() - 1, area.top(), header.width() - 1, m_geometry.viewport.height());
    painter.drawLine(area.left(), header.height() - 1, m_geometry.viewport.width(), header.height() - 1);
}

void HeatView::paintColumnTitles(QPainter& painter, const Inks& inks) const
{
    const QFontMetrics metrics = painter.fontMetrics();
    const QSize header = m_geometry.header;
    const QRect area = m_geometry.cellArea();
    const int length = std::max(1, m_geometry.smallestCell().width());
    const int widest = metrics.horizontalAdvance(m_matrix.columnTitle(m_matrix.columns - 1)) + grid::unit;
    const int closest = labelStep(length, widest);
    const int columnStep = closest == 1 ? 1 : labelStep(length, widest + grid::unit); // the outer ones may be moved
    const Range columns = m_geometry.visibleColumns();
    painter.setClipRect(QRect(area.left(), 0, area.width(), header.height()));
    for (int column = columns.first; column < columns.end; ++column) {
        const QRect rect = m_geometry.cellRect(0, column);
        const bool current = column == m_column;
        if (current)
            painter.fillRect(QRect(rect.left(), header.height() - grid::half, rect.width(), grid::half), inks.text);
        if (column % columnStep != 0)
            continue;
        const QString title = m_matrix.columnTitle(column);
        const int width = metrics.horizontalAdvance(title);
        painter.setPen(inks.text);
        if (const auto x = m_geometry.titleAt(column, width, true))
            painter.drawText(QRect(*x, metrics.height(), width + 1, metrics.height()), Qt::AlignLeft, title);
    }
}

void HeatView::paintRowTitles(QPainter& painter, const Inks& inks) const
{
    const QFontMetrics metrics = painter.fontMetrics();
    const QSize header = m_geometry.header;
    const QRect area = m_geometry.cellArea();
    const int length = std::max(1, m_geometry.smallestCell().height());
    const int rowStep = labelStep(length, metrics.height() - 2);
    const int ink = inkHeight(metrics);
    const Range rows = m_geometry.visibleRows();
    painter.setClipRect(QRect(0, area.top(), header.width(), area.height()));
    for (int row = rows.first; row < rows.end; ++row) {
        const QRect rect = m_geometry.cellRect(row, 0);
        if (row == m_row)
            painter.fillRect(QRect(0, rect.top(), header.width() - 1, rect.height()), inks.chosenGround);
        if (row % rowStep != 0)
            continue;
        painter.setPen(inks.text);
        if (const auto y = m_geometry.titleAt(row, ink, false))
            painter.drawText(QRect(0, *y - (metrics.height() - ink) / 2, header.width() - grid::unit, metrics.height()),
                Qt::AlignRight | Qt::AlignVCenter, m_matrix.rowTitle(row));
    }
}

} // namespace colibri
