// SPDX-License-Identifier: GPL-3.0-or-later
// What ExpertGridView paints.
#include "views/run/expertgridview.h"

#include "views/cells/cellimage.h"
#include "views/run/tokenglyphs.h"
#include "views/theme/theme.h"

#include <QGlyphRun>
#include <QPainter>
#include <QRawFont>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace colibri {
namespace {

constexpr int smallestLined = 12; ///< cells from this width on are divided by lines and can carry marks
constexpr int markSize = 7;
constexpr int differenceLine = 2; ///< under the names of tokens
constexpr double accentTint = 0.3;

void drawDigits(
    QPainter& painter, const CellDigits& cells, const QRawFont& font, const QList<quint32>& glyphs, QRgb ink)
{
    if (cells.digits.isEmpty())
        return;
    QList<quint32> indexes;
    indexes.reserve(cells.digits.size());
    for (const quint32 digit : cells.digits)
        indexes.push_back(glyphs[static_cast<qsizetype>(digit)]);
    QGlyphRun run;
    run.setRawFont(font);
    run.setGlyphIndexes(indexes);
    run.setPositions(cells.points);
    painter.setPen(QColor::fromRgb(ink));
    painter.drawGlyphRun({}, run);
}

/// Diagonal lines. A pattern brush would do, but Qt fills it on several threads, which takes the engine's cores.
void hatch(QPainter& painter, const QRect& area, const QColor& color)
{
    constexpr int step = 8;
    QList<QLine> lines;
    for (int sum = area.left() + area.top(); sum <= area.right() + area.bottom(); sum += step) {
        // The points of the area whose coordinates add up to `sum`.
        const int left = std::max(area.left(), sum - area.bottom());
        const int right = std::min(area.right(), sum - area.top());
        lines.emplace_back(left, sum - left, right, sum - right);
    }
    painter.setPen(color);
    painter.drawLines(lines);
}

/// Of cells that are all of this size.
std::vector<int> evenEdges(int cells, int size)
{
    std::vector<int> edges(static_cast<std::size_t>(cells) + 1);
    for (std::size_t i = 0; i < edges.size(); ++i)
        edges[i] = static_cast<int>(i) * size;
    return edges;
}

} // namespace

/// Colours of one paint.
struct ExpertGridView::Inks {
    ColorScheme scheme;
    const ThemeColors& theme;
    QColor text;
    QColor muted;
    QColor base;
    QColor chosenGround; ///< of headers: a tint of the accent
};

CellRequest ExpertGridView::request() const
{
    return {m_geometry.visibleTokens(), m_geometry.visibleLayers(), m_run.routed(), m_coloring.by, m_coloring.rank,
        schemeOf(palette()), m_coloring.marginMiddle};
}

void ExpertGridView::paintEvent(QPaintEvent*)
{
    if (!hasCells())
        return;
    QPainter painter(viewport());
    painter.setFont(font());
    const ColorScheme scheme = schemeOf(palette());
    const ThemeColors& theme = themeColors(scheme);
    const Inks inks{scheme, theme, palette().color(QPalette::Text), QColor::fromRgb(theme.mutedText),
        palette().color(QPalette::Base),
        QColor::fromRgb(mixed(palette().color(QPalette::Base).rgb(), theme.accent, accentTint))};
    painter.setClipRect(m_geometry.cellArea());
    paintCells(painter, inks);
    painter.setClipping(false);
    paintTokenHeader(painter, inks);
    paintLayerHeader(painter, inks);
    painter.setClipRect(m_geometry.cellArea().adjusted(-2, -2, 0, 0));
    paintSelection(painter, inks);
}

void ExpertGridView::paintCells(QPainter& painter, const Inks& inks) const
{
    const CellRequest cells = request();
    const bool lined = m_geometry.cell.width() >= smallestLined;
    const QImage image = renderCells(*m_run.record(), cells, !lined);
    const QPoint corner = m_geometry.cellRect(cells.tokens.first, cells.layers.first).topLeft();
    painter.drawImage(corner,
        spreadCells(image, evenEdges(cells.tokens.size(), m_geometry.cell.width()),
            evenEdges(cells.layers.size(), m_geometry.cell.height())));
    if (lined)
        paintLines(painter, inks);
    if (m_digits.ids > 0)
        paintIds(painter);
    paintMarks(painter, inks);
}

/// Lines between cells, hatching over what is pending, and the line between prompt and answer.
void ExpertGridView::paintLines(QPainter& painter, const Inks& inks) const
{
    const CellRequest cells = request();
    const QRect area = m_geometry.cellRect(cells.tokens.first, cells.layers.first)
                           .united(m_geometry.cellRect(cells.tokens.end - 1, cells.layers.end - 1));
    if (cells.routed < cells.tokens.end) {
        const int left = m_geometry.cellRect(std::max(cells.routed, cells.tokens.first), 0).left();
        hatch(painter, QRect(QPoint(left, area.top()), area.bottomRight()), QColor::fromRgb(inks.theme.line));
    }
    for (int token = cells.tokens.first; token < cells.tokens.end; ++token)
        painter.fillRect(QRect(m_geometry.cellRect(token, 0).right(), area.top(), 1, area.height()), inks.base);
    for (int layer = cells.layers.first; layer < cells.layers.end; ++layer)
        painter.fillRect(QRect(area.left(), m_geometry.cellRect(0, layer).bottom(), area.width(), 1), inks.base);
}

void ExpertGridView::paintIds(QPainter& painter) const
{
    const CellRequest cells = request();
    const QRawFont raw = QRawFont::fromFont(font());
    const QList<quint32> glyphs = raw.glyphIndexesForString(QStringLiteral("0123456789"));
    const CellText text = cellText(*m_run.record(), cells, m_geometry.cell, m_digits);
    painter.save();
    painter.translate(m_geometry.cellRect(cells.tokens.first, cells.layers.first).topLeft());
    drawDigits(painter, text.dark, raw, glyphs, qRgb(0, 0, 0));
    drawDigits(painter, text.light, raw, glyphs, qRgb(255, 255, 255));
    painter.restore();
}

/// Corners of cells with a zeroed expert, and the frame of the selected cell.
void ExpertGridView::paintMarks(QPainter& painter, const Inks& inks) const
{
    const CellRequest cells = request();
    const int marked =
        m_geometry.cell.width() >= smallestLined ? std::min(cells.tokens.end, cells.routed) : cells.tokens.first;
    painter.setPen(inks.base);
    painter.setBrush(QColor::fromRgb(inks.theme.errorText));
    for (int layer = cells.layers.first; layer < cells.layers.end; ++layer) {
        for (int token = cells.tokens.first; token < marked; ++token) {
            if (m_run.record()->zeroed(static_cast<std::uint32_t>(token), static_cast<std::uint32_t>(layer)) == 0)
                continue;
            const QPoint corner = m_geometry.cellRect(token, layer).topRight();
            painter.drawPolygon(QPolygon({corner, corner - QPoint(markSize, 0), corner + QPoint(0, markSize)}));
        }
    }
    const int answer = m_geometry.cellRect(m_run.promptTokens(), 0).left() - 1;
    painter.fillRect(QRect(answer, m_geometry.header.height(), 1,
                         m_geometry.layers * m_geometry.cell.height() - m_geometry.scroll.y()),
        inks.text);
}

/// In two tones: seen on every ground. Reaches into the lines of the headers, so that it is whole in the first cells.
void ExpertGridView::paintSelection(QPainter& painter, const Inks& inks) const
{
    const Selection& at = m_selection.selection();
    if (at.token < 0 || at.token >= m_geometry.tokens || at.layer < 0 || at.layer >= m_geometry.layers)
        return;
    const QRect cell = m_geometry.cellRect(at.token, at.layer);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(inks.text, 2));
    painter.drawRect(cell.adjusted(-1, -1, 0, 0));
    if (cell.width() < smallestLined)
        return;
    painter.setPen(inks.base);
    painter.drawRect(cell.adjusted(1, 1, -2, -2));
}

void ExpertGridView::paintTokenHeader(QPainter& painter, const Inks& inks) const
{
    const QRect header(m_geometry.header.width(), 0, m_geometry.cellArea().width(), m_geometry.header.height());
    const Range tokens = m_geometry.visibleTokens();
    const int line = painter.fontMetrics().height();
    const int width = m_geometry.cell.width();
    const int textStep = labelStep(width, line);
    const int placeStep =
        labelStep(width, painter.fontMetrics().horizontalAdvance(QString::number(m_geometry.tokens)) + grid::unit);
    const int selected = m_selection.selection().token;
    painter.setClipRect(header);
    for (int token = tokens.first; token < tokens.end; ++token) {
        const QRect column(m_geometry.cellRect(token, 0).left(), 0, width, header.height());
        const bool current = token == selected;
        if (current)
            painter.fillRect(column, inks.chosenGround);
        else if (token < m_run.promptTokens())
            painter.fillRect(column, QColor::fromRgb(inks.theme.promptBand));
        painter.setPen(current ? inks.text : inks.muted);
        if (token % placeStep == 0) {
            const int spare = (placeStep - 1) * width / 2; // over the middle of its own column
            painter.drawText(
                column.adjusted(-spare, 0, spare, line - header.height()), Qt::AlignCenter, QString::number(token));
        }
        if (differs(token))
            painter.fillRect(
                QRect(column.left(), header.height() - 1 - differenceLine, std::max(1, width - 1), differenceLine),
                inks.text);
        if (textStep > 1) // a text for every column or for none
            continue;
        const QString text = painter.fontMetrics().elidedText(
            shownOrBytes(m_run.piece(token)), Qt::ElideRight, header.height() - line - grid::half);
        painter.setPen(inks.text);
        if (painter.fontMetrics().horizontalAdvance(text)
            < width - grid::half) { // turned, many a sign looks like another one
            painter.drawText(column.adjusted(0, 0, 0, -grid::half), Qt::AlignHCenter | Qt::AlignBottom, text);
            continue;
        }
        painter.save();
        painter.translate(column.left() + (width - line) / 2, header.height() - grid::half);
        painter.rotate(-90);
        painter.drawText(QRect(0, 0, header.height() - line, line), Qt::AlignLeft | Qt::AlignVCenter, text);
        painter.restore();
    }
    painter.setClipping(false);
    painter.setPen(QColor::fromRgb(inks.theme.line));
    painter.drawLine(0, header.bottom(), m_geometry.viewport.width(), header.bottom());
}

void ExpertGridView::paintLayerHeader(QPainter& painter, const Inks& inks) const
{
    const QRect header(0, m_geometry.header.height(), m_geometry.header.width(), m_geometry.cellArea().height());
    const Range layers = m_geometry.visibleLayers();
    const int step = labelStep(m_geometry.cell.height(), painter.fontMetrics().height() - 2);
    painter.setPen(inks.muted);
    painter.drawText(
        QRect(0, 0, header.width() - grid::half, painter.fontMetrics().height()), Qt::AlignRight, tr("token"));
    painter.drawText(QRect(0, header.top() - painter.fontMetrics().height() - 2, header.width() - grid::half,
                         painter.fontMetrics().height()),
        Qt::AlignRight, tr("layer"));
    painter.setClipRect(header);
    for (int layer = layers.first; layer < layers.end; ++layer) {
        const QRect row(0, m_geometry.cellRect(0, layer).top(), header.width() - 1, m_geometry.cell.height() - 1);
        const bool current = layer == m_selection.selection().layer;
        if (current)
            painter.fillRect(row, inks.chosenGround);
        if (layer == m_coloring.layer)
            painter.fillRect(QRect(row.right() - 2, row.top(), 3, row.height()), QColor::fromRgb(inks.theme.accent));
        if (layer % step != 0)
            continue;
        painter.setPen(inks.text);
        painter.drawText(QRect(0, row.top() - 2, row.width() - grid::unit, step * m_geometry.cell.height() + 3),
            Qt::AlignRight | (step > 1 ? Qt::AlignTop : Qt::AlignVCenter), QString::number(layer));
    }
    painter.setClipping(false);
    painter.setPen(QColor::fromRgb(inks.theme.line));
    painter.drawLine(header.right(), 0, header.right(), m_geometry.viewport.height());
}

} // namespace colibri
