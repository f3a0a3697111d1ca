// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <functional>
#include <vector>

namespace colibri {

/// Work that takes a while.
struct Task {
    /// Paused: can go on. The last three are ends.
    enum class State { Running, Paused, Done, Cancelled, Failed };

    int id = 0;
    QString title;
    QString unit; ///< of done and total: "B" for bytes, else shown as it is
    State state = State::Running;
    double done = 0;
    double total = 0; ///< 0: not known
    double seconds = 0; ///< since it began; until its end when it has ended
    QString note; ///< what came of it, or why it failed
    bool cancellable = false;
    bool showable = false; ///< what came of it can be looked at

    bool ended() const { return state > State::Paused; }
    double rate() const { return seconds > 0 ? done / seconds : 0; } ///< units a second; 0: nothing known
    double secondsLeft() const; ///< at the present rate; NaN: not known
};

/// The one list of tasks, newest last. GUI thread.
class TaskStore : public QObject {
    Q_OBJECT

public:
    static constexpr int endedLimit = 100; ///< ended tasks that are kept

    using QObject::QObject;

    const std::vector<Task>& tasks() const { return m_tasks; }
    int unfinished() const; ///< tasks that have not ended
    int underWay() const; ///< of which not paused: they go on by themselves

    /// `cancel` is called for the user; null: the task cannot be cancelled. Returns the id.
    int begin(const QString& title, const QString& unit, std::function<void()> cancel);
    void progress(int id, double done, double total); ///< total 0: not known
    /// Any state; once a task has ended nothing changes it.
    void setState(int id, Task::State state, const QString& note = {});
    /// Asks the owner of the work; the state changes when the owner says so.
    void cancel(int id);
    /// Gives a task what shows its result again; `show` is called for the user.
    void setShow(int id, std::function<void()> show);
    void show(int id); ///< nothing when there is no such thing
    void clearEnded();

signals:
    void aboutToAppend();
    void appended();
    void changed(int row);
    void aboutToRemove(int row);
    void removed();

private:
    struct Owner {
        std::function<void()> cancel;
        std::function<void()> show;
        QElapsedTimer clock;
    };
    int rowOf(int id) const; ///< -1: gone
    void remove(int row);

    std::vector<Task> m_tasks;
    std::vector<Owner> m_owners; ///< as long as m_tasks
    int m_newestId = 0;
};

} // namespace colibri
