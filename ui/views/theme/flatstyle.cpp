// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/flatstyle.h"

#include "views/theme/theme.h"

#include <QAbstractScrollArea>
#include <QPainter>
#include <QPushButton>
#include <QStyleOption>
#include <QTabBar>
#include <QToolButton>

#include <utility>

namespace colibri {
namespace {

constexpr int buttonPadding = grid::unit; ///< from the text of a button to its edges, at least
constexpr int handleInset = 2; ///< of the slider in its groove
constexpr int fusionDarker = 140; ///< percent: Fusion's edge is the window's colour darkened by this
constexpr qsizetype mostPalettes = 64; ///< more than widgets have; a theme's are forgotten some time after it changed

const QAbstractScrollArea* scrollArea(const QWidget* widget)
{
    return qobject_cast<const QAbstractScrollArea*>(widget);
}

bool isPressable(const QWidget* widget)
{
    return qobject_cast<const QPushButton*>(widget) || qobject_cast<const QToolButton*>(widget);
}

} // namespace

void drawFocusRing(QPainter& painter, const QRect& around, const QColor& color)
{
    for (int inset = 0; inset < focusRingWidth; ++inset) {
        const QRect line = around.adjusted(inset, inset, -inset, -inset);
        painter.fillRect(line.left(), line.top(), line.width(), 1, color);
        painter.fillRect(line.left(), line.bottom(), line.width(), 1, color);
        painter.fillRect(line.left(), line.top(), 1, line.height(), color);
        painter.fillRect(line.right(), line.top(), 1, line.height(), color);
    }
}

FlatStyle::FlatStyle()
    : QProxyStyle(QStringLiteral("Fusion"))
{
}

const QPalette& FlatStyle::edged(const QPalette& palette) const
{
    // The same palette each time: Fusion keeps pictures of combo boxes by the key of theirs.
    const auto known = m_edged.constFind(palette.cacheKey());
    if (known != m_edged.constEnd())
        return *known;
    if (m_edged.size() >= mostPalettes)
        m_edged.clear();
    QPalette edged = palette;
    const QColor outline = QColor::fromRgb(themeColors(schemeOf(palette)).outline);
    edged.setColor(QPalette::Window, outline.lighter(fusionDarker));
    edged.setColor(QPalette::Disabled, QPalette::Window,
        QColor::fromRgb(mixed(palette.color(QPalette::Window).rgb(), outline.rgb(), 0.5)).lighter(fusionDarker));
    return *m_edged.insert(palette.cacheKey(), edged);
}

template <class Option, class Draw>
bool FlatStyle::drawEdged(const QStyleOption* option, Draw draw) const
{
    const auto* const given = qstyleoption_cast<const Option*>(option);
    if (!given)
        return false;
    Option copy(*given);
    copy.palette = edged(given->palette);
    copy.palette.setCurrentColorGroup(given->palette.currentColorGroup()); // no part of the key
    draw(copy);
    return true;
}

void FlatStyle::drawPrimitive(
    PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    const auto draw = [&](const QStyleOption& with) { QProxyStyle::drawPrimitive(element, &with, painter, widget); };
    if (element == PE_PanelScrollAreaCorner) {
        painter->fillRect(option->rect, option->palette.color(QPalette::Window));
        return;
    }
    if (element == PE_IndicatorBranch && option->state & State_Selected) {
        QStyleOption arrow(*option);
        arrow.palette.setColor(QPalette::WindowText, option->palette.color(QPalette::HighlightedText));
        arrow.palette.setColor(QPalette::Text, option->palette.color(QPalette::HighlightedText));
        draw(arrow);
        return;
    }
    const bool box = element == PE_IndicatorCheckBox || element == PE_IndicatorRadioButton;
    if (!drawFocus(element, *option, *painter, widget) && !(box && drawEdged<QStyleOptionButton>(option, draw))
        && !(element == PE_FrameLineEdit && drawEdged<QStyleOptionFrame>(option, draw)))
        draw(*option);
}

bool FlatStyle::drawFocus(
    PrimitiveElement element, const QStyleOption& option, QPainter& painter, const QWidget* widget) const
{
    const QPalette& palette = option.palette;
    if (element == PE_FrameFocusRect && qobject_cast<const QTabBar*>(widget)) {
        if (option.state & State_KeyboardFocusChange)
            drawFocusRing(painter, option.rect, palette.color(QPalette::Highlight));
        return true;
    }
    if (element == PE_FrameFocusRect && isPressable(widget)) {
        const bool accented = palette.color(QPalette::Button) == palette.color(QPalette::Highlight);
        if (option.state & State_KeyboardFocusChange)
            drawFocusRing(painter,
                widget->rect().adjusted(focusRingWidth, focusRingWidth, -focusRingWidth, -focusRingWidth),
                palette.color(accented ? QPalette::HighlightedText : QPalette::Highlight));
        return true;
    }
    const QAbstractScrollArea* const area = element == PE_Frame ? scrollArea(widget) : nullptr;
    if (!area)
        return false;
    if (option.state & State_HasFocus) {
        drawFocusRing(painter, option.rect, palette.color(QPalette::Highlight));
        return true;
    }
    const QWidget& inside = *area->viewport();
    drawFocusRing(painter, option.rect, inside.palette().color(inside.backgroundRole()));
    QProxyStyle::drawPrimitive(element, &option, &painter, widget);
    return true;
}

int FlatStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const
{
    return metric == PM_DefaultFrameWidth && scrollArea(widget) ? focusRingWidth
                                                                : QProxyStyle::pixelMetric(metric, option, widget);
}

QSize FlatStyle::sizeFromContents(
    ContentsType type, const QStyleOption* option, const QSize& contents, const QWidget* widget) const
{
    const QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    if (type == CT_PushButton)
        return size.expandedTo({contents.width() + 2 * buttonPadding, 0});
    const auto* const button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
    const bool arrowed = type == CT_ToolButton && button && button->features & QStyleOptionToolButton::HasMenu;
    return arrowed ? size + QSize(buttonPadding, 0) : size;
}

void FlatStyle::drawComplexControl(
    ComplexControl control, const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const
{
    const auto draw = [&](const QStyleOptionComplex& with) {
        QProxyStyle::drawComplexControl(control, &with, painter, widget);
    };
    const auto* const bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (control == CC_ScrollBar && bar)
        drawScrollBar(*bar, *painter, widget);
    else if (!(control == CC_ComboBox && drawEdged<QStyleOptionComboBox>(option, draw))
        && !(control == CC_SpinBox && drawEdged<QStyleOptionSpinBox>(option, draw)))
        draw(*option);
}

void FlatStyle::drawScrollBar(const QStyleOptionSlider& bar, QPainter& painter, const QWidget* widget) const
{
    const bool horizontal = bar.orientation == Qt::Horizontal;
    painter.fillRect(bar.rect, bar.palette.color(QPalette::Window));
    const auto part = [&](SubControl which) { return proxy()->subControlRect(CC_ScrollBar, &bar, which, widget); };
    const std::pair<SubControl, PrimitiveElement> arrows[]{
        {SC_ScrollBarSubLine, horizontal ? PE_IndicatorArrowLeft : PE_IndicatorArrowUp},
        {SC_ScrollBarAddLine, horizontal ? PE_IndicatorArrowRight : PE_IndicatorArrowDown}};
    for (const auto& [which, arrow] : arrows) {
        QStyleOption inside(bar);
        inside.rect = part(which).adjusted(3, 3, -3, -3);
        proxy()->drawPrimitive(arrow, &inside, &painter, widget);
    }
    if (!(bar.state & State_Enabled) || bar.minimum >= bar.maximum)
        return;
    const bool held = bar.activeSubControls & SC_ScrollBarSlider && bar.state & (State_Sunken | State_MouseOver);
    const QRgb ground = bar.palette.color(QPalette::Window).rgb();
    const QRgb ink = bar.palette.color(QPalette::WindowText).rgb();
    painter.fillRect(part(SC_ScrollBarSlider).adjusted(handleInset, handleInset, -handleInset, -handleInset),
        QColor::fromRgb(mixed(ground, ink, held ? 0.5 : 0.3)));
}

} // namespace colibri
