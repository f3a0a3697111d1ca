// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/colorbar.h"

#include "views/theme/flowlayout.h"
#include "views/theme/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QPainter>
#include <QSpinBox>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>

namespace colibri {
namespace {

constexpr std::array marginTicks{
    0., 0.2, 0.5, 1., 2., 5.}; ///< in middles: round numbers, about evenly apart on the scale
constexpr double mostOfBand = 0.4; ///< of the height, where numbers stand above a band

} // namespace

std::uint32_t numberStep(std::uint32_t experts, double width, int numberWidth)
{
    std::uint32_t step = 1;
    while (step < experts && step * width < numberWidth * double(experts))
        step *= 2;
    return step;
}

ColorLegend::ColorLegend(QWidget* parent)
    : QWidget(parent)
{
    QFont small = monospaceFont();
    small.setPointSizeF(small.pointSizeF() * 0.85);
    setFont(small);
    setMinimumWidth(8 * grid::unit);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ColorLegend::show(ColorBy by, std::uint32_t experts)
{
    m_by = by;
    m_experts = experts;
    const std::array<QString, 3> meanings{tr("Colour of each expert, by its id"),
        tr("Colour of a margin, from none to large; the scale is that of the run, whose median is near the middle"),
        QString()};
    setToolTip(meanings[static_cast<std::size_t>(by)]);
    setAccessibleName(toolTip());
    update();
}

void ColorLegend::setMargins(double middle, const QString& unit)
{
    m_middle = middle;
    m_unit = unit;
    update();
}

QSize ColorLegend::sizeHint() const
{
    return {24 * grid::unit, fontMetrics().height() + grid::unit};
}

void ColorLegend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setFont(font());
    if (m_by == ColorBy::Expert && m_experts > 0)
        paintExperts(painter);
    else if (m_by == ColorBy::Margin)
        paintMargins(painter);
}

ColorLegend::Chips ColorLegend::chips() const
{
    const int numbered = fontMetrics().horizontalAdvance(QString::number(m_experts - 1)) + grid::half;
    const double chip = std::min(double(numbered), double(width()) / m_experts);
    return {width() - chip * m_experts, chip, numberStep(m_experts, chip * m_experts, numbered)};
}

bool ColorLegend::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || m_by != ColorBy::Expert || m_experts == 0)
        return QWidget::event(event);
    const auto& help = static_cast<QHelpEvent&>(*event);
    const Chips row = chips();
    const int expert = static_cast<int>(std::floor((help.pos().x() - row.left) / row.width));
    QToolTip::showText(help.globalPos(),
        expert >= 0 && expert < static_cast<int>(m_experts) ? tr("Expert %1").arg(expert) : toolTip(), this);
    return true;
}

void ColorLegend::paintExperts(QPainter& painter) const
{
    const ColorScheme scheme = schemeOf(palette());
    const Chips row = chips();
    const bool each = row.step == 1;
    const double top = each ? grid::half : std::floor(height() * (1 - mostOfBand));
    for (std::uint32_t expert = 0; expert < m_experts; ++expert) {
        const QRectF rect(
            row.left + row.width * expert, top, row.width - (each ? 1 : 0), height() - top - (each ? grid::half : 0));
        const QRgb color = expertColor(expert, m_experts, scheme);
        painter.fillRect(rect, QColor::fromRgb(color));
        painter.setPen(each ? QColor::fromRgb(readableOn(color)) : palette().color(QPalette::WindowText));
        if (each)
            painter.drawText(rect, Qt::AlignCenter, QString::number(expert));
        else if (expert % row.step == 0)
            painter.drawText(QRectF(rect.left(), 0, row.width * row.step, top), Qt::AlignLeft | Qt::AlignVCenter,
                QString::number(expert));
    }
}

void ColorLegend::paintMargins(QPainter& painter) const
{
    const ColorScheme scheme = schemeOf(palette());
    const QString title = tr("margin, %1").arg(m_unit);
    const int titleWidth = fontMetrics().horizontalAdvance(title) + grid::unit;
    const int length = std::clamp(width() - titleWidth, std::min(width(), 8 * grid::unit), 36 * grid::unit);
    const int left = width() - length;
    for (int x = 0; x < length; ++x)
        painter.fillRect(left + x, grid::half, 1, height() - grid::unit,
            QColor::fromRgb(amountColor(double(x) / std::max(1, length - 1), scheme)));
    painter.setPen(QColor::fromRgb(themeColors(scheme).mutedText));
    painter.drawText(QRect(0, 0, left - grid::unit, height()), Qt::AlignRight | Qt::AlignVCenter,
        fontMetrics().elidedText(title, Qt::ElideRight, std::max(0, left - grid::unit)));
    int free = 0; // from here on there is room for a number
    for (const double part : marginTicks) {
        const double margin = part * m_middle;
        const double share = marginShare(static_cast<float>(margin), m_middle);
        const QString text = QString::number(margin, 'g', 3);
        const int x = static_cast<int>(std::lround(share * length));
        const int end = x + 3 + fontMetrics().horizontalAdvance(text);
        if (x < free || end > length)
            continue;
        free = end + grid::half;
        painter.setPen(QColor::fromRgb(readableOn(amountColor(std::min(1.0, share + 0.06), scheme))));
        painter.drawLine(left + x, grid::half, left + x, height() - grid::half - 1);
        painter.drawText(QRect(left + x + 3, 0, end - x, height()), Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

ColorBar::ColorBar(QWidget* parent)
    : QWidget(parent)
    , m_by(new QComboBox(this))
    , m_layer(new QSpinBox(this))
    , m_rank(new QSpinBox(this))
    , m_legend(new ColorLegend(this))
{
    m_by->addItems({tr("expert"), tr("margin"), tr("nothing")}); // in the order of ColorBy
    m_by->setToolTip(tr("What the ground of tokens and cells tells"));
    m_by->setAccessibleName(tr("Colour by"));
    m_layer->setToolTip(tr("Layer whose decisions colour the text; its name is marked in the grid"));
    m_layer->setAccessibleName(tr("Layer of the text's colours"));
    m_rank->setToolTip(tr("Which of the chosen experts gives the colour; 0 is the best"));
    m_rank->setAccessibleName(tr("Rank of the expert that gives the colour"));
    auto* const flow = new FlowLayout(this);
    flow->setContentsMargins(grid::unit, grid::half, grid::unit, grid::half);
    flow->setSpacing(grid::unit);
    const std::array<std::pair<QString, QWidget*>, 3> fields{
        {{tr("Colour &by"), m_by}, {tr("&layer"), m_layer}, {tr("ran&k"), m_rank}}};
    for (const auto& [name, field] : fields) {
        auto* const group = new QWidget(this);
        auto* const row = new QHBoxLayout(group);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(grid::unit);
        auto* const label = new QLabel(name, group);
        label->setBuddy(field);
        row->addWidget(label);
        row->addWidget(field);
        group->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
        flow->addWidget(group);
    }
    flow->addWidget(m_legend);
    connect(m_by, &QComboBox::currentIndexChanged, this, &ColorBar::refresh);
    connect(m_layer, &QSpinBox::valueChanged, this, &ColorBar::refresh);
    connect(m_rank, &QSpinBox::valueChanged, this, &ColorBar::refresh);
    setShape({0, 0, 0, 0, 0});
}

void ColorBar::setShape(const RunRecord::Shape& shape)
{
    m_experts = shape.experts;
    m_layer->setRange(0, std::max(0, static_cast<int>(shape.layers) - 1));
    m_rank->setRange(0, std::max(0, static_cast<int>(shape.k) - 1));
    refresh();
}

void ColorBar::setMargins(double middle, const QString& unit)
{
    m_middle = middle;
    m_legend->setMargins(middle, unit);
    refresh();
}

void ColorBar::setLayer(int layer)
{
    m_layer->setValue(layer);
}

void ColorBar::refresh()
{
    const Coloring now{static_cast<ColorBy>(m_by->currentIndex()), m_layer->value(), m_rank->value(), m_middle};
    m_layer->setEnabled(now.by != ColorBy::Nothing);
    m_rank->setEnabled(now.by == ColorBy::Expert);
    m_legend->show(now.by, m_experts);
    if (now == m_coloring)
        return;
    m_coloring = now;
    emit coloringChanged(now);
}

} // namespace colibri
