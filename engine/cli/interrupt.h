// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <thread>

namespace colibri::cli {

/// Turns the first Ctrl-C (SIGINT) into a stop request; the second one kills the process, as it would without this.
/// To be made before any other thread: the signal is blocked in the calling thread and in those that it starts.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    std::stop_token token() const { return m_stop.get_token(); }

private:
    void wait();

    std::stop_source m_stop;
    int m_signals = -1; ///< signalfd of SIGINT
    int m_end = -1; ///< eventfd: the thread has to end
    std::thread m_thread;
};

} // namespace colibri::cli
