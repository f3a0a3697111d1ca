// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace colibri {

/// What the GUI thread tells a run while it computes: to stop, and how fast to go. One for each command (run, step,
/// continue), made on the GUI thread before the work is queued, so that a stop cannot be lost.
class RunControl {
public:
    using Clock = std::chrono::steady_clock;

    explicit RunControl(double tokensPerSecond)
        : m_pace(tokensPerSecond)
    {
    }

    // ---- GUI thread ----
    void stop();
    /// 0: full speed. A wait goes on with the new pace; a stretch at full speed ends.
    void setPace(double tokensPerSecond);
    bool waiting() const { return m_waiting.load(std::memory_order_relaxed); } ///< the engine waits for the pace

    // ---- the engine thread ----
    bool stopped() const { return m_stop.stop_requested(); }
    /// Computing without a look at the pace: one token at a pace, any number at full speed.
    struct Stretch {
        double pace = 0;
        std::stop_token stop; ///< requested by stop(), and by setPace() when this is full speed
    };
    Stretch beginStretch();
    /// Waits until one token's time has passed since `last`, or until stop().
    void waitFrom(Clock::time_point last);

private:
    std::stop_source m_stop;
    std::atomic<bool> m_waiting{false};
    std::mutex m_mutex; ///< guards what follows
    std::condition_variable m_changed;
    std::stop_source m_stretch;
    double m_pace;
};

} // namespace colibri
