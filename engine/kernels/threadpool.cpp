// SPDX-License-Identifier: Apache-2.0
#include "kernels/threadpool.h"

#include "kernels/floatenv.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace colibri {

namespace {

constexpr int spinRounds = 200; ///< some microseconds; longer would take the core from the thread that is waited for

void relax()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// Returns when `value` is no longer `old`: spins for a moment, then sleeps.
void waitWhile(const std::atomic<std::uint32_t>& value, std::uint32_t old)
{
    for (int round = 0; round < spinRounds; ++round) {
        if (value.load(std::memory_order_acquire) != old)
            return;
        relax();
    }
    value.wait(old);
}

} // namespace

/// A call of run() publishes its task in `task`, `context`, `items`, then opens `ticket` = call number << 32 | items
/// left. A thread takes an item by lowering the ticket with compare-and-swap. That can only succeed while the same call
/// still has items left, so what it read of the task before belongs to that call; a worker that comes late finds
/// nothing, and nobody waits for it.
struct ThreadPool::Impl {
    alignas(64) std::atomic<std::uint64_t> ticket{0};
    alignas(64) std::atomic<std::uint32_t> unfinished{0}; ///< items of this call whose work has not returned yet
    alignas(64) std::atomic<std::uint32_t> calls{0}; ///< idle workers wait for a change
    std::atomic<bool> stopping{false};
    std::atomic<Task> task{nullptr};
    std::atomic<void*> context{nullptr};
    std::atomic<std::uint32_t> items{0};
    std::atomic<std::uint32_t> begun{0}; ///< workers whose start, which may allocate, is behind them
    std::vector<std::thread> workers;

    void takeItems(std::uint32_t thread);
    void work(std::uint32_t thread);
};

void ThreadPool::Impl::takeItems(std::uint32_t thread)
{
    std::uint32_t done = 0;
    std::uint64_t seen = ticket.load(std::memory_order_acquire);
    while (const auto left = static_cast<std::uint32_t>(seen)) {
        const Task call = task.load(std::memory_order_relaxed);
        void* const argument = context.load(std::memory_order_relaxed);
        const std::uint32_t item = items.load(std::memory_order_relaxed) - left;
        if (!ticket.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel, std::memory_order_acquire))
            continue;
        call(argument, item, thread);
        ++done;
        seen = ticket.load(std::memory_order_acquire);
    }
    if (done > 0 && unfinished.fetch_sub(done) == done)
        unfinished.notify_one();
}

void ThreadPool::Impl::work(std::uint32_t thread)
{
    resetFloatEnvironment(); // a new thread inherits its maker's
    begun.fetch_add(1);
    begun.notify_one();
    std::uint32_t seen = 0;
    while (!stopping.load(std::memory_order_acquire)) {
        waitWhile(calls, seen);
        seen = calls.load(std::memory_order_acquire);
        takeItems(thread);
    }
}

ThreadPool::ThreadPool(std::uint32_t threads)
    : m_impl(std::make_unique<Impl>())
{
    const std::uint32_t count = std::max(threads, 1u);
    m_impl->workers.reserve(count - 1);
    for (std::uint32_t thread = 1; thread < count; ++thread)
        m_impl->workers.emplace_back([impl = m_impl.get(), thread] { impl->work(thread); });
    for (std::uint32_t begun = 0; (begun = m_impl->begun.load()) < count - 1;)
        m_impl->begun.wait(begun);
}

ThreadPool::~ThreadPool()
{
    m_impl->stopping.store(true);
    m_impl->calls.fetch_add(1);
    m_impl->calls.notify_all();
    for (std::thread& worker : m_impl->workers)
        worker.join();
}

std::uint32_t ThreadPool::threads() const
{
    return static_cast<std::uint32_t>(m_impl->workers.size()) + 1;
}

void ThreadPool::run(std::uint32_t items, Task task, void* context)
{
    Impl& impl = *m_impl;
    if (items <= 1 || impl.workers.empty()) {
        for (std::uint32_t item = 0; item < items; ++item)
            task(context, item, 0);
        return;
    }
    impl.task.store(task, std::memory_order_relaxed);
    impl.context.store(context, std::memory_order_relaxed);
    impl.items.store(items, std::memory_order_relaxed);
    impl.unfinished.store(items, std::memory_order_relaxed);
    const std::uint64_t call = impl.calls.load(std::memory_order_relaxed) + 1;
    impl.ticket.store(call << 32 | items, std::memory_order_release);
    impl.calls.fetch_add(1);
    impl.calls.notify_all();
    impl.takeItems(0);
    while (const std::uint32_t left = impl.unfinished.load(std::memory_order_acquire))
        waitWhile(impl.unfinished, left);
}

} // namespace colibri
