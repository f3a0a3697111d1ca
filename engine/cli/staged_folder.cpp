// SPDX-License-Identifier: Apache-2.0
#include "cli/staged_folder.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace colibri::cli {
namespace {

namespace fs = std::filesystem;

Error ioError(const std::string& what, const std::string& file, const std::string& why)
{
    return {Errc::Io, what, file, {}, why};
}

} // namespace

StagedFolder::StagedFolder(std::string target, std::string staging)
    : m_target(std::move(target))
    , m_staging(std::move(staging))
{
}

StagedFolder::StagedFolder(StagedFolder&& other) noexcept
    : m_target(std::move(other.m_target))
    , m_staging(std::exchange(other.m_staging, {}))
{
}

StagedFolder::~StagedFolder()
{
    std::error_code ignored;
    if (!m_staging.empty())
        fs::remove_all(m_staging, ignored);
}

Result<StagedFolder> StagedFolder::create(const std::string& target)
{
    std::error_code problem;
    fs::path place = fs::path(target).lexically_normal();
    if (!place.has_filename()) // a slash at the end
        place = place.parent_path();
    if (fs::exists(place, problem) && !(fs::is_directory(place, problem) && fs::is_empty(place, problem)))
        return Error{Errc::OutOfRange, "write the folder", target, {}, "it exists and is not an empty folder"};
    const std::string staging = place.string() + ".partial-" + std::to_string(getpid());
    if (!fs::create_directory(staging, problem))
        return ioError("create the folder", staging, problem ? problem.message() : "it exists");
    return StagedFolder(place.string(), staging);
}

Result<void> StagedFolder::publish()
{
    std::error_code problem;
    fs::rename(m_staging, m_target, problem);
    if (problem)
        return ioError("rename the finished folder to", m_target, problem.message());
    m_staging.clear();
    return {};
}

OutputFile::OutputFile(std::string path, int descriptor)
    : m_path(std::move(path))
    , m_descriptor(descriptor)
{
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : m_path(std::move(other.m_path))
    , m_descriptor(std::exchange(other.m_descriptor, -1))
{
}

OutputFile::~OutputFile()
{
    if (m_descriptor >= 0)
        close(m_descriptor);
}

Result<OutputFile> OutputFile::create(const std::string& path)
{
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor < 0)
        return ioError("create", path, std::strerror(errno));
    return OutputFile(path, descriptor);
}

Result<void> OutputFile::write(std::uint64_t offset, std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t count = pwrite(m_descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return Error{Errc::Io, "write", m_path, offset, std::strerror(errno)};
        bytes = bytes.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
    return {};
}

} // namespace colibri::cli
