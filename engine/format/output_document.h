// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/output_folder.h"

#include <optional>

namespace colibri {

/// A file of the user's that appears whole or not at all: it is written under a hidden name beside its place and
/// renamed at the end, over a file of that name. What was not published is removed.
class OutputDocument {
public:
    /// A symbolic link to a file stays, and that file is replaced. Fails when anything but a file lies there.
    static Result<OutputDocument> create(const std::string& target);
    ~OutputDocument();
    OutputDocument(OutputDocument&& other) noexcept;
    OutputDocument& operator=(OutputDocument&&) = delete;

    Result<void> write(std::span<const std::byte> bytes);
    /// Brings everything to the disk and gives it its name.
    Result<void> publish();

private:
    OutputDocument(std::string target, std::string path, OutputFile file);
    Error named(Error error) const; ///< errors name the target, not the hidden file

    std::string m_target;
    std::string m_path; ///< empty: published
    OutputFile m_file;
};

} // namespace colibri
