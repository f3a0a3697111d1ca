// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

/// Brings the names in a folder to the disk.
Result<void> synchronizeFolder(const std::string& path);

/// A new file. By its mode (0444 less the umask) only this object can write to it, unless another mode is asked for.
class OutputFile {
public:
    /// Fails when `path` exists.
    static Result<OutputFile> create(const std::string& path, unsigned mode = 0444);
    ~OutputFile();
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;

    Result<void> write(std::span<const std::byte> bytes);
    Result<void> writeAt(std::uint64_t offset, std::span<const std::byte> bytes);
    /// Lets the disk begin with what it has not been given yet, without waiting for it.
    void startWriteOut();
    /// Brings everything to the disk. To be called once, last.
    Result<void> finish();

private:
    OutputFile(std::string path, int handle);

    std::string m_path;
    int m_handle = -1;
    std::uint64_t m_size = 0;
    std::uint64_t m_started = 0; ///< bytes that the disk was given
};

/// Written files on their way to the disk. Waiting for each by itself costs a commit of the file system's journal for
/// each; waiting for many at once costs few.
class FinishingFiles {
public:
    /// Takes a file whose content is complete; waits for all when there are many.
    Result<void> add(OutputFile file);
    /// Waits for all.
    Result<void> finish();

private:
    std::vector<OutputFile> m_files;
};

/// Whether a folder's name is one that an OutputFolder has until it is published: what lies there was not finished.
bool isUnfinishedName(std::string_view name);

/// A folder that appears whole or not at all: it is filled under a hidden name beside its place and renamed at the end.
/// What was not published is removed.
class OutputFolder {
public:
    /// Fails when `target` exists or the folder that is to hold it does not.
    static Result<OutputFolder> create(std::string target);
    ~OutputFolder();
    OutputFolder(OutputFolder&& other) noexcept;
    OutputFolder& operator=(OutputFolder&&) = delete;

    const std::string& path() const { return m_path; } ///< where to write until it is published
    /// Fails when the file system says that it has less room than `bytes`; names both numbers.
    Result<void> checkRoom(std::uint64_t bytes) const;
    Result<void> makeFolder(std::string_view name);
    /// Gives it its name. Fails, and removes it, when something of that name has appeared meanwhile.
    Result<void> publish();

private:
    OutputFolder(std::string target, std::string path);

    std::string m_target;
    std::string m_path; ///< empty: published
    std::string m_inner; ///< the folder made by makeFolder, to be synchronized
};

} // namespace colibri
