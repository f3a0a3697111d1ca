// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace colibri {

/// What is under the pointer, in words, in the colours of a tool tip. A plot and a heat map have one each; while it
/// shows, no tool tip does.
class Readout : public QLabel {
    Q_OBJECT

public:
    explicit Readout(QWidget* parent);

    /// Beside a place, on the side where there is room in the parent. An empty text hides it.
    void showBeside(const QString& text, QPoint at);
    /// Diagonally from a rectangle and within `area` (both in the parent), so that what is left, right, above and below
    /// of the rectangle stays seen; where that has no room in one line, in more. Where it has none at all: above or
    /// below.
    void showAround(const QString& text, const QRect& rect, const QRect& area);

private:
    bool begin(const QString& text);
};

} // namespace colibri
