// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/runcontrol.h"

namespace colibri {

void RunControl::stop()
{
    m_stop.request_stop();
    const std::lock_guard lock(m_mutex);
    m_stretch.request_stop();
    m_changed.notify_all();
}

void RunControl::setPace(double tokensPerSecond)
{
    const std::lock_guard lock(m_mutex);
    if (m_pace <= 0 && tokensPerSecond > 0)
        m_stretch.request_stop();
    m_pace = tokensPerSecond;
    m_changed.notify_all();
}

RunControl::Stretch RunControl::beginStretch()
{
    const std::lock_guard lock(m_mutex);
    m_stretch = std::stop_source();
    if (stopped())
        m_stretch.request_stop();
    return {m_pace, m_stretch.get_token()};
}

void RunControl::waitFrom(Clock::time_point last)
{
    std::unique_lock lock(m_mutex);
    const auto due = [&] {
        return last + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / m_pace));
    };
    m_waiting.store(true, std::memory_order_relaxed);
    while (!stopped() && m_pace > 0 && Clock::now() < due())
        m_changed.wait_until(lock, due());
    m_waiting.store(false, std::memory_order_relaxed);
}

} // namespace colibri
