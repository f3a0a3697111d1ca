// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace colibri {

/// What a view shows while it has nothing to show: in its middle what would be seen there, and a button that leads to
/// it.
class EmptyState : public QWidget {
    Q_OBJECT

public:
    explicit EmptyState(QWidget* parent = nullptr);
    EmptyState(const QString& text, const QString& button, const QString& toolTip, QWidget* parent = nullptr);

    void setText(const QString& text);
    QPushButton* button() const { return m_button; }

private:
    QLabel* m_text;
    QPushButton* m_button;
};

} // namespace colibri
