// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QPalette>
#include <QProxyStyle>

class QStyleOptionSlider;

namespace colibri {

/// Fusion with two changes.
///
/// Scroll bars are flat. While a model decodes they move 30 times a second, and Fusion fills them with gradients, which
/// Qt spreads over a pool of threads: some thousand wake-ups a second that take the cores from the engine.
///
/// Fields and check boxes have an edge that can be seen. Fusion darkens the colour of the window for it, which a dark
/// window leaves no room for.
class FlatStyle : public QProxyStyle {
    Q_OBJECT

public:
    FlatStyle();

    void drawPrimitive(
        PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
        const QWidget* widget) const override;

private:
    const QPalette& edged(const QPalette& palette) const;
    template <class Option, class Draw>
    bool drawEdged(const QStyleOption* option, Draw draw) const; ///< false: `option` is another kind
    void drawScrollBar(const QStyleOptionSlider& bar, QPainter& painter, const QWidget* widget) const;

    mutable QHash<qint64, QPalette> m_edged; ///< by the key of the palette that each is made from
};

} // namespace colibri
