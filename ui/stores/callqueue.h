// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <deque>
#include <functional>
#include <mutex>

namespace colibri {

/// Calls for the thread that this object lives in, made there in the order in which they were posted. What a call
/// carries goes across under a lock of our own and not in an event of Qt's, so that ThreadSanitizer can check it. Calls
/// that were not made yet go with the object.
class CallQueue : public QObject {
    Q_OBJECT

public:
    explicit CallQueue(QObject* parent = nullptr);
    ~CallQueue() override;

    void post(std::function<void()> call); ///< any thread

signals:
    void posted();

private:
    void makeCalls();
    std::function<void()> take();

    std::mutex m_mutex; ///< guards m_calls
    std::deque<std::function<void()>> m_calls;
};

} // namespace colibri
