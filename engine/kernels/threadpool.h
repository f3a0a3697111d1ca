// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace colibri {

/// The compute threads of one session: the calling thread and `threads - 1` workers. parallel() hands out item numbers
/// until all are done; which thread takes which item never changes a result, because items write to separate outputs.
/// No allocation after construction. Idle workers spin for a moment, then sleep.
class ThreadPool {
public:
    explicit ThreadPool(std::uint32_t threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    std::uint32_t threads() const;

    /// Calls work(item, thread) for every item in [0, items); thread is in [0, threads()). Returns when all are done.
    /// `work` must not throw. One caller at a time.
    template <class F>
    void parallel(std::uint32_t items, F&& work)
    {
        run(
            items,
            [](void* context, std::uint32_t item, std::uint32_t thread) {
                (*static_cast<std::remove_reference_t<F>*>(context))(item, thread);
            },
            const_cast<void*>(static_cast<const void*>(&work)));
    }

private:
    using Task = void (*)(void* context, std::uint32_t item, std::uint32_t thread);
    void run(std::uint32_t items, Task task, void* context);

    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace colibri
