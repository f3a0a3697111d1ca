// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

namespace colibri {

/// Fusion with flat scroll bars. While a model decodes they move 30 times a second, and Fusion fills them with
/// gradients, which Qt spreads over a pool of threads: some thousand wake-ups a second that take the cores from the
/// engine.
class FlatStyle : public QProxyStyle {
    Q_OBJECT

public:
    FlatStyle();

    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
        const QWidget* widget) const override;
};

} // namespace colibri
