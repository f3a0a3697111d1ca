// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/taskstore.h"

#include <algorithm>
#include <limits>

namespace colibri {

double Task::secondsLeft() const
{
    if (total <= 0 || done <= 0 || done > total || seconds <= 0 || ended())
        return std::numeric_limits<double>::quiet_NaN();
    return (total - done) / rate();
}

int TaskStore::unfinished() const
{
    return static_cast<int>(std::ranges::count_if(m_tasks, [](const Task& task) { return !task.ended(); }));
}

int TaskStore::underWay() const
{
    return static_cast<int>(
        std::ranges::count_if(m_tasks, [](const Task& task) { return task.state == Task::State::Running; }));
}

int TaskStore::begin(const QString& title, const QString& unit, std::function<void()> cancel)
{
    emit aboutToAppend();
    Task task;
    task.id = ++m_newestId;
    task.title = title;
    task.unit = unit;
    task.cancellable = cancel != nullptr;
    m_tasks.push_back(task);
    m_owners.push_back({std::move(cancel), {}, {}});
    m_owners.back().clock.start();
    emit appended();
    return task.id;
}

void TaskStore::progress(int id, double done, double total)
{
    const int row = rowOf(id);
    if (row < 0 || m_tasks[std::size_t(row)].ended())
        return;
    Task& task = m_tasks[std::size_t(row)];
    task.done = done;
    task.total = total;
    task.seconds = double(m_owners[std::size_t(row)].clock.nsecsElapsed()) / 1e9;
    emit changed(row);
}

void TaskStore::setState(int id, Task::State state, const QString& note)
{
    const int row = rowOf(id);
    if (row < 0 || m_tasks[std::size_t(row)].ended())
        return;
    Task& task = m_tasks[std::size_t(row)];
    task.state = state;
    task.note = note;
    task.seconds = double(m_owners[std::size_t(row)].clock.nsecsElapsed()) / 1e9;
    if (task.ended()) {
        task.cancellable = false;
        m_owners[std::size_t(row)].cancel = nullptr;
    }
    emit changed(row);
    const auto ended = std::ranges::count_if(m_tasks, &Task::ended);
    if (ended > endedLimit)
        remove(static_cast<int>(std::ranges::find_if(m_tasks, &Task::ended) - m_tasks.begin()));
}

void TaskStore::cancel(int id)
{
    const int row = rowOf(id);
    if (row < 0 || !m_owners[std::size_t(row)].cancel)
        return;
    const auto ask = m_owners[std::size_t(row)].cancel; // a copy: the answer may end the task at once
    ask();
}

void TaskStore::setShow(int id, std::function<void()> show)
{
    const int row = rowOf(id);
    if (row < 0)
        return;
    m_tasks[std::size_t(row)].showable = show != nullptr;
    m_owners[std::size_t(row)].show = std::move(show);
    emit changed(row);
}

void TaskStore::show(int id)
{
    const int row = rowOf(id);
    if (row < 0 || !m_owners[std::size_t(row)].show)
        return;
    const auto ask = m_owners[std::size_t(row)].show; // a copy: the answer may clear the list
    ask();
}

void TaskStore::clearEnded()
{
    for (int row = static_cast<int>(m_tasks.size()) - 1; row >= 0; --row) {
        if (m_tasks[std::size_t(row)].ended())
            remove(row);
    }
}

int TaskStore::rowOf(int id) const
{
    const auto at = std::ranges::lower_bound(m_tasks, id, {}, &Task::id);
    return at != m_tasks.end() && at->id == id ? static_cast<int>(at - m_tasks.begin()) : -1;
}

void TaskStore::remove(int row)
{
    emit aboutToRemove(row);
    m_tasks.erase(m_tasks.begin() + row);
    m_owners.erase(m_owners.begin() + row);
    emit removed();
}

} // namespace colibri
