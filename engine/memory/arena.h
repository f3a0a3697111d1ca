// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace colibri {

/// One block from mmap; an allocation bumps an offset (rounded to 64 bytes), a reset is one store. The memory is zero
/// when fresh. Not thread-safe: one owner.
class Arena {
public:
    static constexpr std::size_t alignment = 64;

    Arena() = default;
    /// A block of `bytes` (rounded up to pages). Fails with OutOfMemory.
    static Result<Arena> create(std::uint64_t bytes);
    ~Arena();
    Arena(Arena&& other) noexcept;
    Arena& operator=(Arena&& other) noexcept;

    /// 64-byte aligned bytes, or nullptr when the block is used up.
    void* allocate(std::size_t bytes) noexcept
    {
        const std::size_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
        if (rounded < bytes || rounded > m_size - m_used)
            return nullptr;
        void* const at = m_base + m_used;
        m_used += rounded;
        return at;
    }
    /// `count` zeroed-when-fresh values of T; empty when the block is used up.
    template <class T>
    std::span<T> take(std::size_t count) noexcept
    {
        T* const at = static_cast<T*>(allocate(count * sizeof(T)));
        return at ? std::span<T>(at, count) : std::span<T>();
    }
    void reset() noexcept { m_used = 0; }
    std::size_t size() const noexcept { return m_size; }
    std::size_t used() const noexcept { return m_used; }

private:
    std::byte* m_base = nullptr;
    std::size_t m_size = 0;
    std::size_t m_used = 0;
};

} // namespace colibri
