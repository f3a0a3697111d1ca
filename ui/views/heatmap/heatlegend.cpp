// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/heatmap/heatlegend.h"

#include "views/heatmap/heatview.h"
#include "views/theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace colibri {
namespace {

constexpr int barWidth = 8 * grid::unit;
constexpr int numberPlaces = 7; ///< room for a number, so that nothing moves when it grows

bool hasMark(const HeatMatrix& matrix)
{
    return std::any_of(matrix.marks.begin(), matrix.marks.end(), [](std::uint8_t mark) { return mark != 0; });
}

} // namespace

HeatLegend::HeatLegend(const HeatView& view, QWidget* parent)
    : QWidget(parent)
    , m_view(view)
{
    setFont(monospaceFont());
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setToolTip(tr("The colours of the cells, from the lowest to the highest number; the current cell in words"));
    connect(&view, &HeatView::currentChanged, this, [this] {
        setAccessibleName(text());
        setToolTip(text()); // where there is no room, all of it is read here
        update();
    });
}

void HeatLegend::setUnit(const QString& unit)
{
    m_unit = unit;
    update();
}

void HeatLegend::setMarkMeaning(const QString& meaning)
{
    m_markMeaning = meaning;
    update();
}

QString HeatLegend::text() const
{
    const HeatScale& scale = m_view.scale();
    QString all = tr("%1 to %2 %3").arg(m_view.numberText(scale.bottom()), m_view.numberText(scale.top), m_unit);
    if (hasMark(m_view.matrix()))
        all += QStringLiteral("; \u2715 %1").arg(m_markMeaning);
    const QString current = m_view.currentText();
    return current.isEmpty() ? all : all + QStringLiteral("; ") + current;
}

QSize HeatLegend::sizeHint() const
{
    return {40 * grid::unit, fontMetrics().height() + grid::unit};
}

void HeatLegend::paintBar(QPainter& painter, const QRect& bar) const
{
    const ColorScheme scheme = schemeOf(palette());
    const HeatScale& scale = m_view.scale();
    for (int x = 0; x < bar.width(); ++x) {
        const double value = scale.bottom() + (scale.top - scale.bottom()) * x / (bar.width() - 1);
        painter.fillRect(
            QRect(bar.left() + x, bar.top(), 1, bar.height()), QColor::fromRgb(heatColor(value, scale, scheme)));
    }
    painter.setPen(QColor::fromRgb(themeColors(scheme).line));
    painter.drawRect(bar.adjusted(0, 0, -1, -1));
}

void HeatLegend::paintEvent(QPaintEvent*)
{
    if (m_view.matrix().isEmpty())
        return;
    QPainter painter(this);
    painter.setFont(font());
    // Rounded up: a text that is given less than its width is cut.
    const auto widthOf = [metrics = QFontMetricsF(font())](const QString& text) {
        return static_cast<int>(std::ceil(metrics.horizontalAdvance(text)));
    };
    const int number = widthOf(QString(numberPlaces, u'0'));
    const HeatScale& scale = m_view.scale();
    int x = grid::half;
    const auto write = [&](const QString& text, int width, Qt::Alignment side, const QColor& ink) {
        painter.setPen(ink);
        const QString shown = fontMetrics().elidedText(text, Qt::ElideRight, std::max(0, width));
        painter.drawText(QRect(x, 0, std::max(0, width), height()), side | Qt::AlignVCenter, shown);
        x += width + grid::unit;
    };
    const QColor ink = palette().color(QPalette::WindowText);
    const QColor muted = QColor::fromRgb(themeColors(schemeOf(palette())).mutedText);
    const bool amount = scale.kind == HeatScale::Kind::Amount;
    write(m_view.numberText(scale.bottom()), amount ? widthOf(QStringLiteral("0")) : number, Qt::AlignRight, ink);
    paintBar(painter, QRect(x, grid::half, barWidth, height() - grid::unit));
    x += barWidth + grid::unit;
    write(m_view.numberText(scale.top), number, Qt::AlignLeft, ink);
    write(m_unit, widthOf(m_unit), Qt::AlignLeft, muted);
    if (hasMark(m_view.matrix())) {
        const QString mark = QStringLiteral("\u2715 ") + m_markMeaning;
        write(mark, std::min(widthOf(mark), width() - grid::half - x), Qt::AlignLeft, muted);
    }
    const QString current = m_view.currentText();
    if (const int room = width() - grid::half - x; widthOf(current) <= room)
        write(current, room, Qt::AlignRight, ink);
}

} // namespace colibri
