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
        measure();
    });
}

void HeatLegend::setUnit(const QString& unit)
{
    m_unit = unit;
    measure();
}

void HeatLegend::setMarkMeaning(const QString& meaning)
{
    m_markMeaning = meaning;
    measure();
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
    return {40 * grid::unit, m_lines * (fontMetrics().height() + grid::unit)};
}

int HeatLegend::widthOf(const QString& text) const
{
    // Rounded up: a text that is given less than its width is cut.
    return static_cast<int>(std::ceil(QFontMetricsF(font()).horizontalAdvance(text)));
}

int HeatLegend::numberWidth() const
{
    return std::max(widthOf(QString(numberPlaces, u'0')), widthOf(m_view.numberText(m_view.scale().top)));
}

int HeatLegend::bottomWidth() const
{
    const int text = widthOf(m_view.numberText(m_view.scale().bottom()));
    return m_view.scale().kind == HeatScale::Kind::Amount ? text : std::max(numberWidth(), text);
}

QString HeatLegend::markText() const
{
    return m_markMeaning.isEmpty() ? QString() : QStringLiteral("\u2715 ") + m_markMeaning;
}

int HeatLegend::scaleWidth() const
{
    return bottomWidth() + grid::unit + barWidth + grid::unit + numberWidth();
}

int HeatLegend::meaningWidth() const
{
    int all = 0;
    for (const QString& text : {m_unit, markText()})
        all += text.isEmpty() ? 0 : (all > 0 ? grid::unit : 0) + widthOf(text);
    return all;
}

int HeatLegend::neededWidth(int line) const
{
    const int meaning = meaningWidth();
    if (m_lines > 1)
        return 2 * grid::half + (line == 0 ? scaleWidth() : meaning);
    return 2 * grid::half + scaleWidth() + (meaning > 0 ? grid::unit : 0) + meaning;
}

void HeatLegend::measure()
{
    if (!isVisible()) // it has no width yet
        return;
    m_lines = 1;
    if (neededWidth(0) > width())
        m_lines = 2;
    if (height() != sizeHint().height())
        setFixedHeight(sizeHint().height());
    update();
}

void HeatLegend::showEvent(QShowEvent*)
{
    measure();
}

void HeatLegend::resizeEvent(QResizeEvent*)
{
    measure();
}

void HeatLegend::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        measure();
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
    const HeatScale& scale = m_view.scale();
    const int line = height() / m_lines;
    int x = grid::half;
    int y = 0;
    const auto write = [&](const QString& text, int width, Qt::Alignment side, const QColor& ink) {
        painter.setPen(ink);
        const bool whole = widthOf(text) <= width;
        const QString shown = whole ? text : fontMetrics().elidedText(text, Qt::ElideRight, std::max(0, width));
        painter.drawText(QRect(x, y, std::max(0, width), line), side | Qt::AlignVCenter, shown);
        x += width + grid::unit;
    };
    const QColor ink = palette().color(QPalette::WindowText);
    const QColor muted = QColor::fromRgb(themeColors(schemeOf(palette())).mutedText);
    write(m_view.numberText(scale.bottom()), bottomWidth(), Qt::AlignRight, ink);
    paintBar(painter, QRect(x, grid::half, barWidth, line - grid::unit));
    x += barWidth + grid::unit;
    write(m_view.numberText(scale.top), numberWidth(), Qt::AlignLeft, ink);
    if (m_lines > 1) {
        x = grid::half;
        y = line;
    }
    const auto right = [&] { return width() - grid::half - x; };
    write(m_unit, std::min(widthOf(m_unit), right()), Qt::AlignLeft, muted);
    if (hasMark(m_view.matrix()))
        write(markText(), std::min(widthOf(markText()), right()), Qt::AlignLeft, ink);
    const QString current = m_view.currentText();
    if (const int room = right(); widthOf(current) <= room)
        write(current, room, Qt::AlignRight, ink);
}

} // namespace colibri
