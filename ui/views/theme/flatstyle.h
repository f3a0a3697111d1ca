// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QPalette>
#include <QProxyStyle>

class QStyleOptionSlider;

namespace colibri {

inline constexpr int focusRingWidth = 2;
/// Along the inside of a rectangle.
void drawFocusRing(QPainter& painter, const QRect& around, const QColor& color);

/// Fusion with three changes.
///
/// Scroll bars are flat. While a model decodes they move 30 times a second, and Fusion fills them with gradients, which
/// Qt spreads over a pool of threads: some thousand wake-ups a second that take the cores from the engine.
///
/// Fields and check boxes have an edge that can be seen. Fusion darkens the colour of the window for it, which a dark
/// window leaves no room for.
///
/// The focus is seen: scroll areas have a frame of two pixels that takes the accent, and buttons a ring, once keys move
/// the focus.
class FlatStyle : public QProxyStyle {
    Q_OBJECT

public:
    FlatStyle();

    void drawPrimitive(
        PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
        const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    /// A text stands apart from the edges of its button.
    QSize sizeFromContents(
        ContentsType type, const QStyleOption* option, const QSize& contents, const QWidget* widget) const override;

private:
    const QPalette& edged(const QPalette& palette) const;
    template <class Option, class Draw>
    bool drawEdged(const QStyleOption* option, Draw draw) const; ///< false: `option` is another kind
    bool drawFocus(PrimitiveElement element, const QStyleOption& option, QPainter& painter,
        const QWidget* widget) const; ///< false: nothing of ours
    void drawScrollBar(const QStyleOptionSlider& bar, QPainter& painter, const QWidget* widget) const;

    mutable QHash<qint64, QPalette> m_edged; ///< by the key of the palette that each is made from
};

} // namespace colibri
