// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QMimeData;
class QWidget;

namespace colibri {

/// Lets a window take dropped files and folders anywhere, text fields included. Dragged text is left alone.
class FileDrop : public QObject {
    Q_OBJECT

public:
    explicit FileDrop(QWidget* window); ///< owned by it

    bool eventFilter(QObject* watched, QEvent* event) override;

signals:
    void activeChanged(bool active); ///< something that could be dropped is over the window
    void dropped(const QString& path);

private:
    QWidget* m_window;
};

} // namespace colibri
