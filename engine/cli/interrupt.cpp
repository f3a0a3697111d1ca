// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <csignal>
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace colibri::cli {
namespace {

sigset_t interruptSignal()
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    return set;
}

} // namespace

Interrupt::Interrupt()
{
    const sigset_t set = interruptSignal();
    m_signals = signalfd(-1, &set, SFD_CLOEXEC);
    m_end = eventfd(0, EFD_CLOEXEC);
    if (m_signals < 0 || m_end < 0)
        return; // Ctrl-C then ends the process at once
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    m_thread = std::thread(&Interrupt::wait, this);
}

Interrupt::~Interrupt()
{
    if (m_thread.joinable()) {
        const std::uint64_t one = 1;
        if (write(m_end, &one, sizeof one) == sizeof one)
            m_thread.join();
        else
            m_thread.detach();
    }
    close(m_signals);
    close(m_end);
}

void Interrupt::wait()
{
    pollfd watched[]{{m_end, POLLIN, 0}, {m_signals, POLLIN, 0}};
    while (!(watched[0].revents & POLLIN)) {
        if (poll(watched, 2, -1) <= 0 || !(watched[1].revents & POLLIN))
            continue;
        signalfd_siginfo taken;
        if (read(m_signals, &taken, sizeof taken) != sizeof taken)
            continue;
        m_stop.request_stop();
        watched[1].fd = -1; // no longer watched: the next one takes its default course, in this thread
        watched[1].revents = 0;
        const sigset_t set = interruptSignal();
        pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    }
}

} // namespace colibri::cli
