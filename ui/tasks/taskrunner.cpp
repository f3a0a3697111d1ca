// SPDX-License-Identifier: GPL-3.0-or-later
#include "tasks/taskrunner.h"

#include <algorithm>

namespace colibri {

TaskRunner::TaskRunner(TaskStore& tasks, QObject* parent)
    : QObject(parent)
    , m_tasks(tasks)
{
    m_timer.setInterval(progressMs);
    connect(&m_timer, &QTimer::timeout, this, &TaskRunner::showProgress);
    for (std::thread& thread : m_threads)
        thread = std::thread([this] { work(); });
}

TaskRunner::~TaskRunner()
{
    for (auto& [id, pending] : m_pending)
        pending.stop.request_stop();
    {
        const std::scoped_lock lock(m_mutex);
        m_ending = true;
        m_jobs.clear();
    }
    m_changed.notify_all();
    for (std::thread& thread : m_threads)
        thread.join();
    for (const auto& [id, pending] : m_pending)
        m_tasks.setState(id, Task::State::Cancelled);
}

int TaskRunner::queue(const QString& title, const QString& unit, std::function<void(const TaskLink&)> work,
    std::function<Answer()> answer, std::shared_ptr<const OpenProgress> progress)
{
    const auto id = std::make_shared<int>(0);
    *id = m_tasks.begin(title, unit, [runner = QPointer<TaskRunner>(this), id] {
        if (runner)
            runner->cancel(*id);
    });
    std::stop_source stop;
    const TaskLink link{stop.get_token(), std::make_shared<std::atomic<std::uint64_t>>(0),
        std::make_shared<std::atomic<std::uint64_t>>(0)};
    m_pending.emplace(*id, Pending{stop, link, std::move(answer), std::move(progress)});
    {
        const std::scoped_lock lock(m_mutex);
        m_jobs.push_back({*id, link, std::move(work)});
    }
    m_changed.notify_one();
    if (!m_timer.isActive())
        m_timer.start();
    return *id;
}

void TaskRunner::cancel(int id)
{
    const auto pending = m_pending.find(id);
    if (pending == m_pending.end())
        return;
    pending->second.stop.request_stop();
    const std::scoped_lock lock(m_mutex);
    if (std::erase_if(m_jobs, [id](const Job& job) { return job.id == id; }) > 0)
        m_answers.post([this, id] { finish(id); });
}

void TaskRunner::finish(int id)
{
    const auto pending = m_pending.extract(id);
    showProgressOf(id, pending.mapped());
    if (m_pending.empty())
        m_timer.stop();
    const Answer answer = pending.mapped().answer();
    if (!answer.error)
        m_tasks.setState(id, Task::State::Done, answer.note);
    else if (answer.error->code == Errc::Cancelled)
        m_tasks.setState(id, Task::State::Cancelled);
    else
        m_tasks.setState(id, Task::State::Failed, QString::fromStdString(answer.error->message()));
}

void TaskRunner::showProgress()
{
    for (const auto& [id, pending] : m_pending)
        showProgressOf(id, pending);
}

void TaskRunner::showProgressOf(int id, const Pending& pending)
{
    if (const OpenProgress* const progress = pending.progress.get())
        m_tasks.progress(id, double(progress->bytesDone()), double(progress->bytesTotal()));
    else
        m_tasks.progress(id, double(pending.link.done->load(std::memory_order_relaxed)),
            double(pending.link.total->load(std::memory_order_relaxed)));
}

void TaskRunner::work()
{
    while (auto job = take()) {
        job->work(job->link);
        const int id = job->id;
        job.reset(); // what the work held is let go before its result is used
        m_answers.post([this, id] { finish(id); });
    }
}

std::optional<TaskRunner::Job> TaskRunner::take()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_ending || !m_jobs.empty(); });
    if (m_ending)
        return {};
    Job job = std::move(m_jobs.front());
    m_jobs.pop_front();
    return job;
}

} // namespace colibri
