// SPDX-License-Identifier: Apache-2.0
#include "memory/fault_guard.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace colibri {
namespace {

/// A slot's life: free -> writing -> live -> free of the next generation. Its version counts up and never comes
/// back, so a reader that finds the same live version before and after reading `begin` and `end` has read one
/// registration, and a mark made for one registration never shows on the next.
enum Phase : std::uint64_t { Free = 0, Writing = 1, Live = 2, Generation = 4 };
constexpr Phase phaseOf(std::uint64_t version)
{
    return static_cast<Phase>(version % Generation);
}

struct Slot {
    std::atomic<std::uint64_t> version{0};
    std::atomic<std::uint64_t> lostVersion{0}; ///< the live version that a fault hit; 0: none
    std::atomic<std::uintptr_t> begin{0}; ///< page aligned
    std::atomic<std::uintptr_t> end{0};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

enum InstallState : int { NotInstalled, Installing, Installed };

struct Guard {
    std::array<Slot, 65536> slots;
    std::atomic<std::uint32_t> firstGuess{0}; ///< where the search for a free slot begins
    std::atomic<std::uint32_t> everUsed{0}; ///< no slot from here on was ever taken
    std::atomic<std::uint64_t> faults{0};
    std::atomic<int> state{NotInstalled};
    std::uintptr_t pageSize = 0; ///< fixed before state becomes Installed
    struct sigaction previous = {}; ///< likewise
};
constinit Guard guard;

/// Async-signal-safe. The system call is made directly: wrappers of mmap may do more than the call.
bool coverWithZeros(std::uintptr_t page)
{
    return syscall(SYS_mmap, page, guard.pageSize, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L) != -1;
}

/// Async-signal-safe. False when no live mapping holds this page. A thread that faults inside of a mapping keeps
/// that mapping alive, so its slot cannot change meanwhile; all other slots may.
bool repair(std::uintptr_t page)
{
    const std::uint32_t count = guard.everUsed.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i < count; ++i) {
        Slot& slot = guard.slots[i];
        const std::uint64_t version = slot.version.load(std::memory_order_acquire);
        const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
        const std::uintptr_t end = slot.end.load(std::memory_order_acquire);
        if (phaseOf(version) != Live || page < begin || page >= end
            || slot.version.load(std::memory_order_relaxed) != version)
            continue;
        slot.lostVersion.store(version, std::memory_order_release);
        guard.faults.fetch_add(1, std::memory_order_release);
        return coverWithZeros(page);
    }
    return false;
}

/// Async-signal-safe. A fault that returns to the default or ignoring action comes again and ends the process; a
/// signal that someone sent has to be sent again.
void passOn(int number, siginfo_t* info, void* context)
{
    const struct sigaction& previous = guard.previous;
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(number, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    } else if (const bool sent = info->si_code <= 0; !sent || previous.sa_handler == SIG_DFL) {
        sigaction(number, &previous, nullptr);
        if (sent)
            raise(number);
    }
}

void onSigbus(int number, siginfo_t* info, void* context)
{
    const int savedErrno = errno;
    if (guard.state.load(std::memory_order_acquire) != Installed)
        return;
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    if (info->si_code <= 0 || !repair(address & ~(guard.pageSize - 1)))
        passOn(number, info, context);
    errno = savedErrno;
}

} // namespace

void installFaultGuard()
{
    int expected = NotInstalled;
    if (!guard.state.compare_exchange_strong(expected, Installing))
        return;
    guard.pageSize = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    sigaction(SIGBUS, nullptr, &guard.previous);
    guard.state.store(Installed, std::memory_order_release);

    struct sigaction action = {};
    action.sa_sigaction = onSigbus;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, nullptr);
}

int registerMapping(const void* begin, std::size_t bytes) noexcept
{
    const auto size = static_cast<std::uint32_t>(guard.slots.size());
    const std::uint32_t first = guard.firstGuess.load(std::memory_order_relaxed);
    for (std::uint32_t step = 0; step < size; ++step) {
        const std::uint32_t index = (first + step) % size;
        Slot& slot = guard.slots[index];
        std::uint64_t version = slot.version.load(std::memory_order_relaxed);
        if (phaseOf(version) != Free
            || !slot.version.compare_exchange_strong(version, version + Writing, std::memory_order_acq_rel))
            continue;
        const auto from = reinterpret_cast<std::uintptr_t>(begin);
        slot.begin.store(from, std::memory_order_release);
        slot.end.store(from + bytes, std::memory_order_release);
        slot.version.store(version + Live, std::memory_order_release);

        std::uint32_t used = guard.everUsed.load(std::memory_order_relaxed);
        while (used <= index && !guard.everUsed.compare_exchange_weak(used, index + 1, std::memory_order_release))
            continue;
        guard.firstGuess.store((index + 1) % size, std::memory_order_relaxed);
        return static_cast<int>(index);
    }
    return -1;
}

void unregisterMapping(int slot) noexcept
{
    if (slot < 0)
        return;
    guard.slots[static_cast<std::size_t>(slot)].version.fetch_add(Generation - Live, std::memory_order_release);
    guard.firstGuess.store(static_cast<std::uint32_t>(slot), std::memory_order_relaxed);
}

bool mappingLost(int slot) noexcept
{
    if (slot < 0)
        return false;
    const Slot& entry = guard.slots[static_cast<std::size_t>(slot)];
    return entry.lostVersion.load(std::memory_order_acquire) == entry.version.load(std::memory_order_relaxed);
}

std::uint64_t mappingFaults() noexcept
{
    return guard.faults.load(std::memory_order_acquire);
}

} // namespace colibri
