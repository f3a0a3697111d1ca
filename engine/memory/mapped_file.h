// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

namespace colibri {

/// A whole file mapped read-only (PROT_READ, MAP_PRIVATE) and registered with the fault guard. Immutable; any thread.
class MappedFile {
public:
    /// An empty file maps to an empty span. Fails with NotFound or Io (folders and other non-files too).
    static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
    /// Stands for a file that is not there: it has a path and no bytes.
    static std::shared_ptr<const MappedFile> absent(const std::string& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    const std::string& path() const { return m_path; }
    std::span<const std::byte> bytes() const { return m_bytes; }
    bool isAbsent() const { return m_absent; } ///< made by absent()

    /// True once a page could not be read: the file shrank or its disk failed. Pages then read as zeros (when the fault
    /// guard is installed; without it the process gets SIGBUS).
    bool lost() const;
    /// Whether the file on disk still has the size and modification time it had when it was mapped.
    bool changedOnDisk() const;

    /// Brings the pages of a range into memory (MADV_POPULATE_READ, else by touching), in steps of 8 MiB; `step` is
    /// called after each with its bytes. Stopping gives Errc::Cancelled.
    Result<void> populate(std::uint64_t offset, std::uint64_t size, std::stop_token stop,
        const std::function<void(std::uint64_t)>& step) const;

    /// Lets the pages of the file leave the process's memory; they come back, from the page cache if they are there,
    /// when they are read. Lost pages stay zeros.
    void release() const;

private:
    MappedFile() = default;

    std::string m_path;
    std::span<const std::byte> m_bytes;
    std::int64_t m_modifiedNs = 0;
    int m_guardSlot = -1;
    bool m_absent = false;
};

} // namespace colibri
