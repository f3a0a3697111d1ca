// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QToolButton>

namespace colibri {

/// A line of text that never sets the size of what it stands in: too long, it ends in an ellipsis, and all of it
/// stands before its tool tip. The context menu copies it.
class ElidedLabel : public QLabel {
    Q_OBJECT

public:
    explicit ElidedLabel(QWidget* parent = nullptr);

    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
};

/// A button with a text that likewise ends in an ellipsis.
class ElidedButton : public QToolButton {
    Q_OBJECT

public:
    explicit ElidedButton(QWidget* parent = nullptr);

    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
};

} // namespace colibri
