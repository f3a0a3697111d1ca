// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/logstore.h"
#include "stores/taskstore.h"

#include <QObject>

class QStatusBar;
class QToolButton;

namespace colibri {

/// Two buttons of the status bar: how many tasks are under way, and what the log has that was not looked at. A click
/// asks for the panel.
class StatusButtons : public QObject {
    Q_OBJECT

public:
    /// The stores live longer than the bar, which owns this.
    StatusButtons(const TaskStore& tasks, const LogStore& log, QStatusBar* bar);

    void markLogSeen(); ///< the panel is open

signals:
    void tasksRequested();
    void logRequested();

private:
    void showTasks();
    void showLog();

    const TaskStore& m_tasks;
    const LogStore& m_log;
    QToolButton* m_logButton;
    QToolButton* m_taskButton;
    int m_warnings = 0;
    int m_errors = 0;
};

} // namespace colibri
