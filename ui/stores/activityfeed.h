// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/logstore.h"
#include "stores/openstore.h"
#include "stores/runstore.h"
#include "stores/taskstore.h"

#include <QObject>

#include <functional>

namespace colibri {

/// Turns what happens to the opening and to the run into tasks and lines of the log.
class ActivityFeed : public QObject {
    Q_OBJECT

public:
    struct Cancels {
        std::function<void()> open;
        std::function<void()> run;
    };
    /// The stores live longer than this.
    ActivityFeed(
        const OpenStore& open, const RunStore& run, TaskStore& tasks, LogStore& log, Cancels cancels, QObject* parent);

private:
    void followOpen();
    void endInspection(const QString& why);
    void logNotes();
    void followRun();
    void beginRun();
    void endRun(Task::State state, LogLevel level, const QString& text);
    void showRunProgress();
    QString runFigures() const;
    QString finishText() const;

    const OpenStore& m_open;
    const RunStore& m_run;
    TaskStore& m_tasks;
    LogStore& m_log;
    Cancels m_cancels;
    int m_openTask = 0; ///< 0: none
    int m_runTask = 0;
};

} // namespace colibri
