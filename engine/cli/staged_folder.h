// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace colibri::cli {

/// A folder that appears whole or not at all: it is written beside its place under another name and then renamed.
/// What was not published is removed.
class StagedFolder {
public:
    /// `target` must not exist or be an empty folder.
    static Result<StagedFolder> create(const std::string& target);
    ~StagedFolder();
    StagedFolder(StagedFolder&& other) noexcept;
    StagedFolder& operator=(StagedFolder&& other) = delete;

    std::string file(const std::string& name) const { return m_staging + "/" + name; }
    Result<void> publish();

private:
    StagedFolder(std::string target, std::string staging);

    std::string m_target;
    std::string m_staging; ///< empty once published
};

/// A new file that is written at any offsets.
class OutputFile {
public:
    static Result<OutputFile> create(const std::string& path);
    ~OutputFile();
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&& other) = delete;

    Result<void> write(std::uint64_t offset, std::span<const std::byte> bytes);

private:
    OutputFile(std::string path, int descriptor);

    std::string m_path;
    int m_descriptor = -1;
};

} // namespace colibri::cli
