// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/opening/expertmapview.h"

#include "views/theme/theme.h"

#include <QCoreApplication>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

namespace colibri {
namespace {

constexpr std::array<const char*, expertStateCount> stateNames{
    QT_TRANSLATE_NOOP("colibri::ExpertMapView", "pending"),
    QT_TRANSLATE_NOOP("colibri::ExpertMapView", "mapped"),
    QT_TRANSLATE_NOOP("colibri::ExpertMapView", "populated"),
    QT_TRANSLATE_NOOP("colibri::ExpertMapView", "copied"),
    QT_TRANSLATE_NOOP("colibri::ExpertMapView", "failed"),
};

} // namespace

QString expertStateName(ExpertState state)
{
    return QCoreApplication::translate("colibri::ExpertMapView", stateNames[std::size_t(state)]);
}

ExpertMapView::ExpertMapView(const OpenStore& store, QWidget* parent)
    : QWidget(parent)
    , m_store(store)
{
    setObjectName(QStringLiteral("expertMap"));
    setAccessibleName(tr("Map of experts"));
    setAccessibleDescription(tr("One cell for each expert of each layer, coloured by what opening did with it"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setMinimumSize(200, 120);
    connect(&store, &OpenStore::progressed, this, qOverload<>(&QWidget::update));
}

QSize ExpertMapView::sizeHint() const
{
    return {520, 280};
}

QRect ExpertMapView::mapArea() const
{
    const int caption = fontMetrics().height() + grid::half;
    return rect().adjusted(caption, 0, 0, -caption);
}

ExpertMapGrid ExpertMapView::grid() const
{
    return fitExpertMap(m_store.layers(), m_store.experts(), mapArea().size());
}

QString ExpertMapView::readout(QPoint at) const
{
    const auto cell = grid().cellAt(at - mapArea().topLeft());
    if (!cell)
        return {};
    const auto index = std::size_t(cell->y()) * std::size_t(m_store.experts()) + std::size_t(cell->x());
    return tr("layer %1, expert %2: %3")
        .arg(cell->y())
        .arg(cell->x())
        .arg(expertStateName(m_store.expertStates()[index]));
}

bool ExpertMapView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), readout(help->pos()), this);
    return true;
}

void ExpertMapView::paintEvent(QPaintEvent*)
{
    const ColorScheme scheme = schemeOf(palette());
    const QRect area = mapArea();
    const ExpertMapGrid cells = grid();
    QPainter painter(this);
    painter.setPen(QColor::fromRgb(themeColors(scheme).mutedText));
    if (cells.cell == 0) {
        painter.drawText(rect(), Qt::AlignCenter, tr("The experts appear here once the model's dimensions are known."));
        return;
    }
    painter.drawImage(
        area.topLeft(), renderExpertMap(m_store.expertStates(), cells, expertStateColors(scheme), devicePixelRatioF()));
    const int below = area.top() + cells.size().height() + grid::half;
    painter.drawText(QRect(area.left(), below, area.width(), fontMetrics().height()), Qt::AlignLeft,
        tr("expert 0 to %1").arg(cells.experts - 1));
    painter.rotate(-90);
    painter.drawText(QRect(-area.top() - area.height(), 0, area.height(), fontMetrics().height()), Qt::AlignRight,
        tr("layer %1 to 0").arg(cells.layers - 1));
}

} // namespace colibri
