// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/callqueue.h"

namespace colibri {

CallQueue::CallQueue(QObject* parent)
    : QObject(parent)
{
    connect(this, &CallQueue::posted, this, &CallQueue::makeCalls, Qt::QueuedConnection);
}

CallQueue::~CallQueue()
{
    const std::scoped_lock lock(m_mutex);
    m_calls.clear();
}

void CallQueue::post(std::function<void()> call)
{
    const std::scoped_lock lock(m_mutex);
    m_calls.push_back(std::move(call));
    emit posted(); // queued; under the lock, for what the call does may be to end this object
}

void CallQueue::makeCalls()
{
    while (const auto call = take())
        call();
}

std::function<void()> CallQueue::take()
{
    const std::scoped_lock lock(m_mutex);
    if (m_calls.empty())
        return {};
    auto call = std::move(m_calls.front());
    m_calls.pop_front();
    return call;
}

} // namespace colibri
