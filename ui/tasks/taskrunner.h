// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/callqueue.h"
#include "stores/taskstore.h"
#include "types/open_progress.h"
#include "types/result.h"

#include <QPointer>
#include <QTimer>

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace colibri {

/// What a task has at hand while it works, on its thread. Looks at `stop` at least every few milliseconds.
struct TaskLink {
    std::stop_token stop;
    std::shared_ptr<std::atomic<std::uint64_t>> done;
    std::shared_ptr<std::atomic<std::uint64_t>> total;

    void progress(std::uint64_t doneUnits, std::uint64_t totalUnits) const
    {
        done->store(doneUnits, std::memory_order_relaxed);
        total->store(totalUnits, std::memory_order_relaxed);
    }
};

/// Long work on two threads of its own, in the order in which it was asked for, shown in the list of tasks. GUI thread.
/// The destructor stops all of it and waits until the work that is under way has seen that; nothing is answered then.
class TaskRunner : public QObject {
    Q_OBJECT

public:
    static constexpr int threadCount = 2;
    static constexpr int progressMs = 100; ///< between two looks at the progress

    explicit TaskRunner(TaskStore& tasks, QObject* parent = nullptr); ///< the store outlives this
    ~TaskRunner() override;

    /// Queues `work`; its result goes to `ended` on the GUI thread, unless `context` is gone by then. `ended` returns
    /// the note that the list of tasks shows when all went well. An error with Errc::Cancelled makes the task
    /// cancelled, any other one failed. Work that is cancelled before its turn is not begun, and answered at once.
    /// `progress` is for work that counts there and not in its link; null: it counts in its link. Returns the task's
    /// id.
    template <class T>
    int run(const QString& title, const QString& unit, QObject* context, std::function<Result<T>(const TaskLink&)> work,
        std::function<QString(Result<T>&)> ended, std::shared_ptr<const OpenProgress> progress = {})
    {
        const auto result = std::make_shared<std::optional<Result<T>>>();
        return queue(
            title, unit, [result, work = std::move(work)](const TaskLink& link) { result->emplace(work(link)); },
            [result, ended = std::move(ended), context = QPointer<QObject>(context)] {
                if (!*result)
                    result->emplace(Error{Errc::Cancelled, {}, {}, {}, {}});
                const std::optional<Error> error = **result ? std::nullopt : std::optional((*result)->error());
                return Answer{error, context ? ended(**result) : QString()};
            },
            std::move(progress));
    }

private:
    struct Answer {
        std::optional<Error> error;
        QString note;
    };
    struct Job {
        int id = 0;
        TaskLink link;
        std::function<void(const TaskLink&)> work;
    };
    struct Pending { ///< of a task that was not answered yet
        std::stop_source stop;
        TaskLink link;
        std::function<Answer()> answer;
        std::shared_ptr<const OpenProgress> progress; ///< null: of the link
    };

    int queue(const QString& title, const QString& unit, std::function<void(const TaskLink&)> work,
        std::function<Answer()> answer, std::shared_ptr<const OpenProgress> progress);
    void cancel(int id);
    void finish(int id);
    void showProgressOf(int id, const Pending& pending);
    void showProgress();
    void work(); ///< what each thread does
    std::optional<Job> take(); ///< waits; empty: the end

    TaskStore& m_tasks;
    CallQueue m_answers;
    QTimer m_timer;
    std::map<int, Pending> m_pending; ///< by task id
    std::mutex m_mutex; ///< guards what follows
    std::condition_variable m_changed;
    std::deque<Job> m_jobs;
    bool m_ending = false;
    std::array<std::thread, threadCount> m_threads;
};

} // namespace colibri
