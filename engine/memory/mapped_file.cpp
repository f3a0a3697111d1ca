// SPDX-License-Identifier: Apache-2.0
#include "memory/mapped_file.h"

#include "memory/fault_guard.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 // Linux 5.14; older kernels answer EINVAL
#endif

namespace colibri {
namespace {

constexpr std::uint64_t populateStep = 8u << 20;

Error systemError(std::string what, const std::string& path, int number)
{
    const bool missing = number == ENOENT || number == ENOTDIR;
    return {missing ? Errc::NotFound : Errc::Io, std::move(what), path, {}, std::generic_category().message(number)};
}

std::int64_t modifiedNs(const struct stat& status)
{
    return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

class FileHandle {
public:
    explicit FileHandle(int handle)
        : m_handle(handle)
    {
    }
    ~FileHandle()
    {
        if (m_handle >= 0)
            close(m_handle);
    }
    FileHandle(const FileHandle&) = delete;
    FileHandle& operator=(const FileHandle&) = delete;
    int get() const { return m_handle; }

private:
    int m_handle;
};

void touchPages(const std::byte* from, const std::byte* end, std::size_t pageSize)
{
    for (const std::byte* at = from; at < end; at += pageSize)
        (void)*static_cast<const volatile std::byte*>(at);
}

} // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path)
{
    // Non-blocking, so that a pipe is refused below instead of waited for.
    const FileHandle handle(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (handle.get() < 0)
        return systemError("open the file", path, errno);
    struct stat status = {};
    if (fstat(handle.get(), &status) != 0)
        return systemError("read the file's size", path, errno);
    if (!S_ISREG(status.st_mode))
        return Error{
            Errc::Io, "open the file", path, {}, S_ISDIR(status.st_mode) ? "is a folder" : "is no regular file"};

    std::shared_ptr<MappedFile> file(new MappedFile);
    file->m_path = path;
    file->m_modifiedNs = modifiedNs(status);
    if (const auto size = static_cast<std::size_t>(status.st_size)) {
        void* const begin = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, handle.get(), 0);
        if (begin == MAP_FAILED)
            return systemError("map the file", path, errno);
        file->m_bytes = {static_cast<const std::byte*>(begin), size};
        file->m_guardSlot = registerMapping(begin, size);
    }
    return std::shared_ptr<const MappedFile>(std::move(file));
}

std::shared_ptr<const MappedFile> MappedFile::absent(const std::string& path)
{
    std::shared_ptr<MappedFile> file(new MappedFile);
    file->m_path = path;
    file->m_absent = true;
    return file;
}

MappedFile::~MappedFile()
{
    unregisterMapping(m_guardSlot);
    if (!m_bytes.empty())
        munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
}

bool MappedFile::lost() const
{
    return mappingLost(m_guardSlot);
}

bool MappedFile::changedOnDisk() const
{
    struct stat status = {};
    return stat(m_path.c_str(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) != m_bytes.size()
        || modifiedNs(status) != m_modifiedNs;
}

void MappedFile::release() const
{
    if (!m_bytes.empty())
        madvise(const_cast<std::byte*>(m_bytes.data()), m_bytes.size(), MADV_DONTNEED);
}

Result<void> MappedFile::populate(std::uint64_t offset, std::uint64_t size, std::stop_token stop,
    const std::function<void(std::uint64_t)>& step) const
{
    if (offset > m_bytes.size() || size > m_bytes.size() - offset)
        return Error{Errc::OutOfRange, "read ahead", m_path, offset,
            std::to_string(size) + " bytes from here leave the file, which has " + std::to_string(m_bytes.size())};

    const auto pageSize = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t end = offset + size;
    for (std::uint64_t at = offset; at < end;) {
        if (stop.stop_requested())
            return Error{Errc::Cancelled, "read ahead", m_path, at, "stopped"};
        const std::uint64_t next = std::min(end, at + populateStep);
        const std::uint64_t page = at & ~std::uint64_t{pageSize - 1};
        std::byte* const from = const_cast<std::byte*>(m_bytes.data()) + page;
        if (madvise(from, next - page, MADV_POPULATE_READ) != 0) {
            if (errno == EFAULT || errno == EHWPOISON)
                return Error{Errc::Lost, "read ahead", m_path, at, "the file shrank or its disk failed"};
            touchPages(from, m_bytes.data() + next, pageSize);
        }
        if (step)
            step(next - at);
        at = next;
    }
    return {};
}

} // namespace colibri
