// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

class QAction;
class QLabel;
class QListWidget;

namespace colibri {

/// The first page: the demo, a model to choose, or one of the models opened before.
class StartPage : public QWidget {
    Q_OBJECT

public:
    /// The two actions are shown as buttons; they live longer than the page.
    StartPage(QAction* openDemo, QAction* openModel, QWidget* parent = nullptr);

    /// Newest first.
    void setRecent(const QStringList& paths);
    /// Whether something that could be opened is being dragged over the window.
    void setDropActive(bool active);

signals:
    void openRequested(const QString& path);
    void removeRequested(const QString& path); ///< from the recent ones

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* makeButtons(QAction* openDemo, QAction* openModel);
    QWidget* makeDropTarget();
    QWidget* makeRecent();
    void showDropTarget();
    void openCurrent();
    void removeCurrent();

    bool m_dropActive = false;
    QLabel* m_drop = nullptr;
    QListWidget* m_recent = nullptr;
    QLabel* m_noRecent = nullptr;
    QAction* m_remove = nullptr;
};

} // namespace colibri
