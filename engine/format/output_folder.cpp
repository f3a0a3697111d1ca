// SPDX-License-Identifier: Apache-2.0
#include "format/output_folder.h"

#include "format/config_file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

namespace colibri {
namespace {

constexpr int maxAttempts = 1000;
constexpr std::uint64_t writeOutBytes = 8u << 20;
constexpr std::size_t finishedTogether = 64; ///< each is an open file
constexpr std::string_view unfinished = ".partial-"; ///< behind a dot and the name; before process id, "-" and number

Error systemError(std::string what, const std::string& path, int number)
{
    const bool missing = number == ENOENT || number == ENOTDIR;
    return {missing ? Errc::NotFound : Errc::Io, std::move(what), path, {}, std::generic_category().message(number)};
}

Error existsAlready(const std::string& path)
{
    return {Errc::OutOfRange, "write the export", path, {}, "exists already, an export goes to a new folder"};
}

bool exists(const std::string& path)
{
    struct stat status = {};
    return lstat(path.c_str(), &status) == 0;
}

/// Fails with EEXIST when `to` exists, even as an empty folder.
int renameToNew(const std::string& from, const std::string& to)
{
    if (syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    if (exists(to)) // a file system without RENAME_NOREPLACE
        return EEXIST;
    return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

std::filesystem::path parentOf(const std::string& path)
{
    const auto parent = std::filesystem::path(path).parent_path();
    return parent.empty() ? std::filesystem::path(".") : parent;
}

} // namespace

bool isUnfinishedName(std::string_view name)
{
    const auto at = name.rfind(unfinished);
    return name.starts_with('.') && at != std::string_view::npos
        && name.find_first_not_of("0123456789-", at + unfinished.size()) == std::string_view::npos;
}

Result<void> synchronizeFolder(const std::string& path)
{
    const int handle = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0)
        return systemError("write the folder", path, errno);
    const int status = fsync(handle);
    const int number = errno;
    close(handle);
    // Some file systems cannot synchronize a folder and say EINVAL.
    return status != 0 && number != EINVAL ? Result<void>(systemError("write the folder", path, number))
                                           : Result<void>{};
}

OutputFile::OutputFile(std::string path, int handle)
    : m_path(std::move(path))
    , m_handle(handle)
{
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : m_path(std::move(other.m_path))
    , m_handle(std::exchange(other.m_handle, -1))
    , m_size(other.m_size)
    , m_started(other.m_started)
{
}

OutputFile::~OutputFile()
{
    if (m_handle >= 0)
        close(m_handle);
}

Result<OutputFile> OutputFile::create(const std::string& path, unsigned mode)
{
    const int handle = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (handle < 0)
        return systemError("create a file", path, errno);
    return OutputFile(path, handle);
}

Result<void> OutputFile::write(std::span<const std::byte> bytes)
{
    auto done = writeAt(m_size, bytes);
    m_size += bytes.size();
    if (m_size - m_started >= writeOutBytes)
        startWriteOut();
    return done;
}

void OutputFile::startWriteOut()
{
    // Only a hint: a file system without it writes when finish() asks for it.
    sync_file_range(
        m_handle, static_cast<off_t>(m_started), static_cast<off_t>(m_size - m_started), SYNC_FILE_RANGE_WRITE);
    m_started = m_size;
}

Result<void> OutputFile::writeAt(std::uint64_t offset, std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = pwrite(m_handle, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            Error error = systemError("write a file", m_path, written < 0 ? errno : EIO);
            error.offset = offset;
            return error;
        }
        offset += static_cast<std::uint64_t>(written);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

Result<void> OutputFile::finish()
{
    const int handle = std::exchange(m_handle, -1);
    const bool failed = fsync(handle) != 0;
    const int number = errno;
    const bool closeFailed = close(handle) != 0;
    if (failed || closeFailed)
        return systemError("write a file", m_path, failed ? number : errno);
    return {};
}

Result<void> FinishingFiles::add(OutputFile file)
{
    file.startWriteOut();
    m_files.push_back(std::move(file));
    return m_files.size() < finishedTogether ? Result<void>{} : finish();
}

Result<void> FinishingFiles::finish()
{
    for (OutputFile& file : m_files)
        if (auto done = file.finish(); !done)
            return done;
    m_files.clear();
    return {};
}

OutputFolder::OutputFolder(std::string target, std::string path)
    : m_target(std::move(target))
    , m_path(std::move(path))
{
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : m_target(std::move(other.m_target))
    , m_path(std::exchange(other.m_path, {}))
    , m_inner(std::move(other.m_inner))
{
}

OutputFolder::~OutputFolder()
{
    std::error_code ignored;
    if (!m_path.empty())
        std::filesystem::remove_all(m_path, ignored);
}

Result<OutputFolder> OutputFolder::create(std::string target)
{
    while (target.size() > 1 && target.ends_with('/'))
        target.pop_back();
    const std::string name = std::filesystem::path(target).filename().native();
    if (name.empty() || name == "." || name == ".." || isUnfinishedName(name))
        return Error{Errc::OutOfRange, "write the export", target, {}, "is no name for a new folder"};
    if (exists(target))
        return existsAlready(target);
    const auto parent = parentOf(target);
    for (int attempt = 0; attempt < maxAttempts; ++attempt) {
        const std::string hidden =
            "." + name + std::string(unfinished) + std::to_string(getpid()) + "-" + std::to_string(attempt);
        const std::string path = (parent / hidden).native();
        if (mkdir(path.c_str(), 0777) == 0)
            return OutputFolder(std::move(target), path);
        if (errno != EEXIST)
            return systemError("create the export's folder", target, errno);
    }
    return Error{Errc::Io, "create the export's folder", target, {}, "too many unfinished exports lie beside it"};
}

Result<void> OutputFolder::checkRoom(std::uint64_t bytes) const
{
    struct statvfs system = {};
    if (statvfs(m_path.c_str(), &system) != 0 || system.f_blocks == 0) // some file systems do not say
        return {};
    const std::uint64_t room = std::uint64_t{system.f_bavail} * system.f_frsize;
    return bytes <= room
        ? Result<void>{}
        : Error{Errc::Io, "write the export", m_target, {},
            "it needs " + std::to_string(bytes) + " bytes, the file system has " + std::to_string(room) + " free"};
}

Result<void> OutputFolder::makeFolder(std::string_view name)
{
    m_inner = joinPath(m_path, name);
    if (mkdir(m_inner.c_str(), 0777) != 0)
        return systemError("create a folder", m_inner, errno);
    return {};
}

Result<void> OutputFolder::publish()
{
    if (!m_inner.empty())
        if (auto done = synchronizeFolder(m_inner); !done)
            return done;
    if (auto done = synchronizeFolder(m_path); !done)
        return done;
    if (const int number = renameToNew(m_path, m_target); number != 0)
        return number == EEXIST || number == ENOTEMPTY ? existsAlready(m_target)
                                                       : systemError("name the export's folder", m_target, number);
    m_path.clear();
    return synchronizeFolder(parentOf(m_target).native());
}

} // namespace colibri
