// SPDX-License-Identifier: Apache-2.0
#include "memory/arena.h"

#include "types/checked.h"

#include <cerrno>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

namespace colibri {

Result<Arena> Arena::create(std::uint64_t bytes)
{
    Arena arena;
    if (bytes == 0)
        return arena;
    const auto size = checkedRoundUp(bytes, static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
    void* const base =
        size ? mmap(nullptr, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (base == MAP_FAILED) {
        const std::string reason = size ? std::generic_category().message(errno) : "more than 64 bits can address";
        return Error{Errc::OutOfMemory, "reserve memory for the run", {}, {},
            "the system does not give " + std::to_string(bytes) + " bytes (" + reason + ")"};
    }
    arena.m_base = static_cast<std::byte*>(base);
    arena.m_size = *size;
    return arena;
}

Arena::~Arena()
{
    if (m_base)
        munmap(m_base, m_size);
}

Arena::Arena(Arena&& other) noexcept
    : m_base(std::exchange(other.m_base, nullptr))
    , m_size(std::exchange(other.m_size, 0))
    , m_used(std::exchange(other.m_used, 0))
{
}

Arena& Arena::operator=(Arena&& other) noexcept
{
    std::swap(m_base, other.m_base);
    std::swap(m_size, other.m_size);
    std::swap(m_used, other.m_used);
    return *this;
}

} // namespace colibri
