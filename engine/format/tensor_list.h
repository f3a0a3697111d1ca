// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/model_source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace colibri {

/// Sorts the tensors of a source by name. Fails when two files, or one, hold a tensor of the same name; `what` is what
/// was being done.
Result<void> sortTensors(ModelSource& source, const std::string& what);

/// "[2, 3]".
std::string shapeText(std::span<const std::uint64_t> shape);

/// Whether an error of a file that others name leaves them to be looked at: it is not there, ends early or breaks the
/// format's rules. What the system refuses is none of that.
bool isDamage(Errc code);

/// What a file lacks that ends before its tensors do: the error of the first of them, and how many there are.
class FileCut {
public:
    explicit FileCut(std::uint64_t fileBytes)
        : m_fileBytes(fileBytes)
    {
    }

    /// Marks a tensor that does not lie in the file as a whole; `error()` is made for the first one. The tensor's end
    /// fits in 64 bits. Whether it was marked.
    template <class MakeError>
    bool look(TensorInfo& tensor, const MakeError& error)
    {
        const std::uint64_t end = tensor.offset + tensor.size;
        if (end <= m_fileBytes && (hasSize(tensor) || tensor.offset < m_fileBytes))
            return false;
        if (!m_first)
            m_first = error();
        tensor.presence = tensor.offset < m_fileBytes ? Presence::Cut : Presence::Absent;
        tensor.missingBytes = std::min(end - std::min(end, m_fileBytes), tensor.size);
        ++m_tensors;
        m_neededBytes = std::max(m_neededBytes, end);
        return true;
    }
    /// An error about the whole file that is told instead of the first tensor's.
    void add(Error error) { m_first = std::move(error); }

    /// Fails when there is an error; with `refusals` it becomes one there.
    Result<void> finish(std::vector<Error>* refusals);

private:
    std::uint64_t m_fileBytes;
    std::optional<Error> m_first;
    std::uint64_t m_tensors = 0;
    std::uint64_t m_neededBytes = 0; ///< the size that the file should have for them
};

/// A note about bytes [begin, end) of a file that belong to no tensor, with the first of them.
std::string unclaimedNote(const std::string& file, std::span<const std::byte> bytes, std::uint64_t begin,
    std::uint64_t end, const std::string& where);

} // namespace colibri
