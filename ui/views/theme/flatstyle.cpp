// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/flatstyle.h"

#include "views/theme/theme.h"

#include <QPainter>
#include <QStyleOption>

namespace colibri {
namespace {

constexpr int handleInset = 2; ///< of the slider in its groove

} // namespace

FlatStyle::FlatStyle()
    : QProxyStyle(QStringLiteral("Fusion"))
{
}

void FlatStyle::drawComplexControl(
    ComplexControl control, const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const
{
    const auto* const bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (control != CC_ScrollBar || !bar) {
        QProxyStyle::drawComplexControl(control, option, painter, widget);
        return;
    }
    const bool horizontal = bar->orientation == Qt::Horizontal;
    painter->fillRect(bar->rect, bar->palette.color(QPalette::Window));
    const auto part = [&](SubControl which) { return proxy()->subControlRect(CC_ScrollBar, bar, which, widget); };
    const std::pair<SubControl, PrimitiveElement> arrows[]{
        {SC_ScrollBarSubLine, horizontal ? PE_IndicatorArrowLeft : PE_IndicatorArrowUp},
        {SC_ScrollBarAddLine, horizontal ? PE_IndicatorArrowRight : PE_IndicatorArrowDown}};
    for (const auto& [which, arrow] : arrows) {
        QStyleOption inside(*bar);
        inside.rect = part(which).adjusted(3, 3, -3, -3);
        proxy()->drawPrimitive(arrow, &inside, painter, widget);
    }
    if (!(bar->state & State_Enabled) || bar->minimum >= bar->maximum)
        return;
    const bool held = bar->activeSubControls & SC_ScrollBarSlider && bar->state & (State_Sunken | State_MouseOver);
    const QRgb ground = bar->palette.color(QPalette::Window).rgb();
    const QRgb ink = bar->palette.color(QPalette::WindowText).rgb();
    painter->fillRect(part(SC_ScrollBarSlider).adjusted(handleInset, handleInset, -handleInset, -handleInset),
        QColor::fromRgb(mixed(ground, ink, held ? 0.5 : 0.3)));
}

} // namespace colibri
