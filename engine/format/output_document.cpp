// SPDX-License-Identifier: Apache-2.0
#include "format/output_document.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace colibri {
namespace {

constexpr int maxAttempts = 1000;
constexpr unsigned documentMode = 0666; // less the umask

namespace fs = std::filesystem;

Error cannot(const std::string& target, std::string why, Errc code = Errc::Io)
{
    return {code, "write a file", target, {}, std::move(why)};
}

/// The file behind symbolic links; the path itself when nothing lies there.
Result<fs::path> placeOf(const std::string& target)
{
    std::error_code failed;
    const fs::path path = fs::weakly_canonical(fs::absolute(target, failed), failed);
    if (failed)
        return cannot(target, failed.message());
    const fs::file_status status = fs::status(path, failed);
    if (fs::exists(status) && !fs::is_regular_file(status))
        return cannot(target, "is no regular file", Errc::OutOfRange);
    if (!path.has_filename())
        return cannot(target, "is no name for a file", Errc::OutOfRange);
    return path;
}

} // namespace

OutputDocument::OutputDocument(std::string target, std::string path, OutputFile file)
    : m_target(std::move(target))
    , m_path(std::move(path))
    , m_file(std::move(file))
{
}

OutputDocument::OutputDocument(OutputDocument&& other) noexcept
    : m_target(std::move(other.m_target))
    , m_path(std::exchange(other.m_path, {}))
    , m_file(std::move(other.m_file))
{
}

OutputDocument::~OutputDocument()
{
    if (!m_path.empty())
        unlink(m_path.c_str());
}

Result<OutputDocument> OutputDocument::create(const std::string& target)
{
    const auto place = placeOf(target);
    if (!place)
        return place.error();
    for (int attempt = 0; attempt < maxAttempts; ++attempt) {
        const std::string hidden =
            "." + place->filename().native() + ".partial-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
        const std::string path = (place->parent_path() / hidden).native();
        auto file = OutputFile::create(path, documentMode);
        if (file)
            return OutputDocument(place->native(), path, std::move(*file));
        std::error_code ignored;
        if (!fs::exists(fs::symlink_status(path, ignored))) {
            file.error().file = target;
            return file.error();
        }
    }
    return cannot(target, "too many unfinished files lie beside it");
}

Error OutputDocument::named(Error error) const
{
    error.file = m_target;
    return error;
}

Result<void> OutputDocument::write(std::span<const std::byte> bytes)
{
    auto done = m_file.write(bytes);
    return done ? done : named(done.error());
}

Result<void> OutputDocument::publish()
{
    if (auto done = m_file.finish(); !done)
        return named(done.error());
    if (std::rename(m_path.c_str(), m_target.c_str()) != 0)
        return cannot(m_target, std::generic_category().message(errno));
    m_path.clear();
    return synchronizeFolder(fs::path(m_target).parent_path().native());
}

} // namespace colibri
