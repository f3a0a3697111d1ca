// SPDX-License-Identifier: Apache-2.0
#include "support/allocationcount.h"

#include <atomic>
#include <cstddef>

namespace {
std::atomic<std::uint64_t> count{0};
} // namespace

std::uint64_t colibri::test::allocations()
{
    return count.load();
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

extern "C" int __sanitizer_install_malloc_and_free_hooks(
    void (*)(const volatile void*, std::size_t), void (*)(const volatile void*));

namespace {
[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { count.fetch_add(1, std::memory_order_relaxed); },
    [](const volatile void*) {});
} // namespace

#else

// glibc's own names for the allocator behind the replaced ones; operator new calls malloc.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size)
{
    count.fetch_add(1, std::memory_order_relaxed);
    return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size)
{
    count.fetch_add(1, std::memory_order_relaxed);
    return __libc_calloc(number, size);
}
void* realloc(void* memory, std::size_t size)
{
    count.fetch_add(1, std::memory_order_relaxed);
    return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size)
{
    count.fetch_add(1, std::memory_order_relaxed);
    return __libc_memalign(alignment, size);
}
}

#endif
