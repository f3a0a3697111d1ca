// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/routerbars.h"

#include "views/theme/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <limits>

namespace colibri {
namespace {

constexpr int rowSpare = 4;
constexpr int tickLength = 3;

QString endText(double value)
{
    return QString::number(value, 'g', 3);
}

} // namespace

double BarScale::share(double value) const
{
    return high > low && !std::isnan(value) ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0;
}

BarScale barScale(const std::vector<float>& values)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    BarScale scale{infinity, -infinity};
    for (const float value : values) {
        if (std::isfinite(value)) {
            scale.low = std::min(scale.low, static_cast<double>(value));
            scale.high = std::max(scale.high, static_cast<double>(value));
        }
    }
    if (scale.low > scale.high)
        return {};
    if (scale.low == scale.high)
        scale.high = scale.low + 1;
    return scale;
}

/// Left edges and widths of a row's parts, in pixels.
struct RouterBars::Columns {
    int mark, markWidth;
    int expert, expertWidth;
    int bar, barWidth;
    int value, valueWidth;
    int bits, bitsWidth; ///< width 0: no room

    int barX(double share) const { return bar + static_cast<int>(std::lround(share * barWidth)); }
};

RouterBars::RouterBars(SelectionStore& selection, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_selection(selection)
{
    setFont(monospaceFont());
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Router logits"));
    setAccessibleDescription(tr("One row for each expert; the up and down keys walk through them."));
    connect(&selection, &SelectionStore::changed, this, [this] {
        viewport()->update();
        announceCurrentItem(*this, *this);
    });
}

void RouterBars::setReport(std::optional<TokenReport> report, std::uint32_t experts)
{
    m_report = std::move(report);
    m_experts = experts;
    arrange();
}

void RouterBars::setOrder(BarOrder order)
{
    m_order = order;
    arrange();
}

void RouterBars::arrange()
{
    m_rows = m_report ? barOrder(*m_report, m_order) : std::vector<int>();
    m_scale = barScale(m_report ? m_report->logits : std::vector<float>());
    const int rowHeight = fontMetrics().height() + rowSpare;
    const int page = std::max(0, viewport()->height() - axisHeight());
    verticalScrollBar()->setSingleStep(rowHeight);
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(m_rows.size()) * rowHeight - page));
    viewport()->update();
}

void RouterBars::resizeEvent(QResizeEvent*)
{
    arrange();
}

QSize RouterBars::sizeHint() const
{
    return {36 * grid::unit, 30 * grid::unit};
}

QRect RouterBars::rowRect(int row) const
{
    const int height = fontMetrics().height() + rowSpare;
    return {0, axisHeight() + row * height - verticalScrollBar()->value(), viewport()->width(), height};
}

int RouterBars::rowAt(int y) const
{
    const int row = (y - axisHeight() + verticalScrollBar()->value()) / rowRect(0).height();
    return y >= axisHeight() && row < static_cast<int>(m_rows.size()) ? row : -1;
}

int RouterBars::axisHeight() const
{
    return fontMetrics().height() + tickLength + 2;
}

RouterBars::Columns RouterBars::columns() const
{
    const auto wide = [this](const char* sample) { return fontMetrics().horizontalAdvance(QLatin1String(sample)); };
    const int gap = grid::unit;
    Columns columns{};
    columns.mark = grid::half;
    columns.markWidth = wide("00");
    columns.expert = columns.mark + columns.markWidth;
    columns.expertWidth = std::max(wide("00"), fontMetrics().horizontalAdvance(QString::number(m_experts)));
    columns.bar = columns.expert + columns.expertWidth + gap;
    columns.valueWidth = wide("-00.0000");
    columns.bitsWidth = wide("0x00000000");
    const int right = viewport()->width() - grid::half;
    if (right - columns.bar - columns.valueWidth - columns.bitsWidth - 2 * gap < 8 * gap)
        columns.bitsWidth = 0; // the tool tip and the copy have them
    columns.bits = right - columns.bitsWidth;
    columns.value = columns.bits - (columns.bitsWidth > 0 ? gap : 0) - columns.valueWidth;
    columns.barWidth = std::max(1, columns.value - gap - columns.bar);
    return columns;
}

int RouterBars::currentRow() const
{
    const auto found = std::find(m_rows.begin(), m_rows.end(), m_selection.selection().expert);
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

void RouterBars::choose(int row)
{
    if (!m_report || row < 0 || row >= static_cast<int>(m_rows.size()))
        return;
    const int expert = m_rows[static_cast<std::size_t>(row)];
    m_selection.select({m_report->position, m_report->layer, rankOf(*m_report, expert), expert});
    const QRect rect = rowRect(row);
    QScrollBar& bar = *verticalScrollBar();
    bar.setValue(
        bar.value() + std::min(0, rect.top() - axisHeight()) + std::max(0, rect.bottom() - viewport()->height() + 1));
}

QString RouterBars::describe(int expert) const
{
    const float value = m_report->logits[static_cast<std::size_t>(expert)];
    const int rank = rankOf(*m_report, expert);
    const QString line = tr("Expert %1: logit %2, bits %3").arg(expert).arg(logitText(value), bitsText(value));
    if (rank >= 0) {
        const TokenReport::Chosen& chosen = m_report->chosen[static_cast<std::size_t>(rank)];
        const QString picked =
            tr("%1, chosen at rank %2 with weight %3").arg(line).arg(rank).arg(weightText(chosen.weight));
        return chosen.zeroed ? tr("%1, output zeroed").arg(picked) : picked;
    }
    return expert == m_report->firstRejected ? tr("%1, the first rejected").arg(line) : line;
}

QString RouterBars::currentText() const
{
    const int row = currentRow();
    return row < 0 ? QString() : describe(m_rows[static_cast<std::size_t>(row)]);
}

void RouterBars::keyPressEvent(QKeyEvent* event)
{
    const int last = static_cast<int>(m_rows.size()) - 1;
    const int row = currentRow();
    switch (event->key()) {
    case Qt::Key_Up:
        return choose(std::max(0, row - 1));
    case Qt::Key_Down:
        return choose(std::min(last, row + 1));
    case Qt::Key_Home:
        return choose(0);
    case Qt::Key_End:
        return choose(last);
    default:
        event->ignore();
    }
}

void RouterBars::mousePressEvent(QMouseEvent* event)
{
    choose(rowAt(static_cast<int>(event->position().y())));
}

bool RouterBars::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto& help = static_cast<QHelpEvent&>(*event);
    const int row = rowAt(help.pos().y());
    if (help.pos().y() < axisHeight() && !m_rows.empty())
        QToolTip::showText(help.globalPos(), describeAxis(), this);
    else if (row >= 0)
        QToolTip::showText(help.globalPos(), describe(m_rows[static_cast<std::size_t>(row)]), this, rowRect(row));
    else
        QToolTip::hideText();
    return true;
}

void RouterBars::paintEvent(QPaintEvent*)
{
    if (!m_report || m_rows.empty())
        return;
    QPainter painter(viewport());
    painter.setFont(font());
    const Columns parts = columns();
    paintAxis(painter, parts);
    painter.setClipRect(viewport()->rect().adjusted(0, axisHeight(), 0, 0));
    paintMargin(painter, parts);
    const int height = rowRect(0).height();
    const int first = verticalScrollBar()->value() / height;
    for (int row = first; row < static_cast<int>(m_rows.size()) && rowRect(row).top() < viewport()->height(); ++row)
        paintRow(painter, rowRect(row), m_rows[static_cast<std::size_t>(row)], parts);
}

QString RouterBars::describeAxis() const
{
    return tr("Bars go from the least logit of the layer, %1, to the largest, %2. Dashed lines stand at the logits of "
              "the last chosen and of the first rejected expert.")
        .arg(endText(m_scale.low), endText(m_scale.high));
}

/// The ends of the bars and zero, where it has room between them; above the numbers what they are.
void RouterBars::paintAxis(QPainter& painter, const Columns& parts) const
{
    const ThemeColors& theme = themeColors(schemeOf(palette()));
    const int line = fontMetrics().height();
    const int bottom = axisHeight() - 1;
    const QString low = endText(m_scale.low);
    const QString high = endText(m_scale.high);
    const int zeroWidth = fontMetrics().horizontalAdvance(u'0');
    const int zero = parts.barX(m_scale.share(0));
    const QRect bar(parts.bar, 0, parts.barWidth, line);
    painter.setPen(QColor::fromRgb(theme.mutedText));
    painter.drawText(bar, Qt::AlignLeft | Qt::AlignVCenter, low);
    painter.drawText(bar, Qt::AlignRight | Qt::AlignVCenter, high);
    const bool inside = m_scale.low < 0 && m_scale.high > 0;
    if (inside && zero - zeroWidth > bar.left() + fontMetrics().horizontalAdvance(low)
        && zero + zeroWidth < bar.right() - fontMetrics().horizontalAdvance(high))
        painter.drawText(QRect(zero - zeroWidth, 0, 2 * zeroWidth, line), Qt::AlignCenter, QStringLiteral("0"));
    painter.drawText(QRect(parts.value, 0, parts.valueWidth, line), Qt::AlignRight | Qt::AlignVCenter, tr("logit"));
    if (parts.bitsWidth > 0)
        painter.drawText(QRect(parts.bits, 0, parts.bitsWidth, line), Qt::AlignRight | Qt::AlignVCenter, tr("bits"));
    painter.drawLine(parts.bar, bottom, parts.barX(1), bottom);
    for (const double share : {0., inside ? m_scale.share(0) : 0., 1.})
        painter.drawLine(parts.barX(share), bottom - tickLength, parts.barX(share), bottom);
}

/// The band between the logits of the last chosen and the first rejected expert, and the zero line.
void RouterBars::paintMargin(QPainter& painter, const Columns& parts) const
{
    const ThemeColors& theme = themeColors(schemeOf(palette()));
    const int bottom = std::min(viewport()->height(), rowRect(static_cast<int>(m_rows.size()) - 1).bottom() + 1);
    if (m_report->firstRejected >= 0 && !m_report->chosen.empty()) {
        const auto logit = [this](int expert) {
            return static_cast<double>(m_report->logits[static_cast<std::size_t>(expert)]);
        };
        const int to = parts.barX(m_scale.share(logit(m_report->chosen.back().expert)));
        const int from = parts.barX(m_scale.share(logit(m_report->firstRejected)));
        const int left = std::min(from, to);
        painter.fillRect(QRect(left, axisHeight(), std::max(1, std::abs(to - from)), bottom - axisHeight()),
            QColor::fromRgb(theme.pending));
        painter.setPen(QPen(QColor::fromRgb(theme.warningText), 1, Qt::DashLine));
        painter.drawLine(from, axisHeight(), from, bottom);
        painter.drawLine(to, axisHeight(), to, bottom);
    }
    if (m_scale.low > 0 || m_scale.high < 0)
        return;
    const int zero = parts.barX(m_scale.share(0));
    painter.setPen(QColor::fromRgb(theme.line));
    painter.drawLine(zero, axisHeight(), zero, bottom);
}

void RouterBars::paintRow(QPainter& painter, const QRect& row, int expert, const Columns& parts) const
{
    const ColorScheme scheme = schemeOf(palette());
    const ThemeColors& theme = themeColors(scheme);
    const float value = m_report->logits[static_cast<std::size_t>(expert)];
    const int rank = rankOf(*m_report, expert);
    const bool current = expert == m_selection.selection().expert;
    const bool zeroed = rank >= 0 && m_report->chosen[static_cast<std::size_t>(rank)].zeroed;
    const int end = parts.barX(m_scale.share(static_cast<double>(value)));
    const QRect bar(parts.bar, row.top() + 3, std::max(2, end - parts.bar), row.height() - 6);
    const QColor strong = palette().color(QPalette::Text);
    painter.fillRect(bar,
        rank >= 0 ? QColor::fromRgb(expertColor(static_cast<std::uint32_t>(expert), m_experts, scheme))
                  : QColor::fromRgb(theme.line));
    if (rank >= 0 || expert == m_report->firstRejected) {
        painter.setPen(QPen(strong, 1, rank >= 0 ? Qt::SolidLine : Qt::DashLine));
        painter.drawRect(bar.adjusted(0, 0, -1, -1));
    }
    painter.setPen(zeroed ? QColor::fromRgb(theme.errorText) : strong);
    const QRect mark(parts.mark, row.top(), parts.markWidth, row.height());
    painter.drawText(mark, Qt::AlignLeft | Qt::AlignVCenter,
        zeroed                                  ? QStringLiteral("\u2717")
            : rank >= 0                         ? QStringLiteral("\u25cf")
            : expert == m_report->firstRejected ? QStringLiteral("\u25cb")
                                                : QString());
    painter.setPen(rank >= 0 ? strong : QColor::fromRgb(theme.mutedText));
    painter.drawText(QRect(parts.expert, row.top(), parts.expertWidth, row.height()), Qt::AlignRight | Qt::AlignVCenter,
        QString::number(expert));
    painter.drawText(QRect(parts.value, row.top(), parts.valueWidth, row.height()), Qt::AlignRight | Qt::AlignVCenter,
        logitText(value));
    if (parts.bitsWidth > 0) {
        painter.setPen(QColor::fromRgb(theme.mutedText));
        painter.drawText(QRect(parts.bits, row.top(), parts.bitsWidth, row.height()), Qt::AlignRight | Qt::AlignVCenter,
            bitsText(value));
    }
    if (current) {
        painter.setPen(QPen(QColor::fromRgb(theme.accent), 2));
        painter.drawRect(row.adjusted(1, 1, -2, -1));
    }
}

} // namespace colibri
