// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace colibri {

/// A ring between one writing and one reading thread. A full ring drops the new value and counts it; nobody waits.
template <class T>
class SpscRing {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    /// Room for at least `capacity` values, rounded up to a power of two.
    explicit SpscRing(std::size_t capacity)
        : m_values(std::bit_ceil(capacity))
        , m_mask(m_values.size() - 1)
    {
    }

    /// Writer: false when the ring was full and `value` was dropped.
    bool tryPush(const T& value) noexcept
    {
        const std::uint64_t head = m_head.load(std::memory_order_relaxed);
        if (head - m_tail.load(std::memory_order_acquire) > m_mask) {
            m_dropped.fetch_add(1, std::memory_order_relaxed);
            return false;
        }
        m_values[head & m_mask] = value;
        m_head.store(head + 1, std::memory_order_release);
        return true;
    }

    /// Reader: false when there is nothing.
    bool tryPop(T& value) noexcept
    {
        const std::uint64_t tail = m_tail.load(std::memory_order_relaxed);
        if (tail == m_head.load(std::memory_order_acquire))
            return false;
        value = m_values[tail & m_mask];
        m_tail.store(tail + 1, std::memory_order_release);
        return true;
    }

    std::uint64_t dropped() const noexcept { return m_dropped.load(std::memory_order_relaxed); }
    std::size_t capacity() const noexcept { return m_values.size(); }

private:
    std::vector<T> m_values;
    std::uint64_t m_mask;
    alignas(64) std::atomic<std::uint64_t> m_head{0};
    alignas(64) std::atomic<std::uint64_t> m_tail{0};
    std::atomic<std::uint64_t> m_dropped{0};
};

} // namespace colibri
