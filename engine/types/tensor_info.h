// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/dtype.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

/// How much of a tensor is there. All of it, but in sources that can only be inspected.
enum class Presence : std::uint8_t {
    Whole,
    Cut, ///< the file ends inside of it
    Absent, ///< the file ends in front of it, or is not there
    NameOnly ///< its name is all that is known: the head of its file is not readable, or the file is not there
};
std::string_view name(Presence presence); ///< "whole", "cut", "absent", "name_only"

/// Where one tensor lies. Checked by the reader: `size` is what dtype and shape need, and it lies inside its file as
/// far as `presence` says.
struct TensorInfo {
    std::string name; ///< Hugging Face's name
    std::uint32_t file = 0; ///< index into the source's files
    std::uint64_t offset = 0; ///< bytes from the start of the file
    std::uint64_t size = 0; ///< bytes, exact; 0 where the file does not tell (an unknown type of GGUF)
    DType dtype = DType::F32;
    Layout layout = Layout::RowMajor;
    std::vector<std::uint64_t> shape; ///< outermost first, as Hugging Face writes it: [out, in]
    std::optional<std::uint64_t> xxh64; ///< checksum of the bytes, when the source has one
    std::string typeText = {}; ///< of DType::Unknown: what the file calls its type, "unknown" of NameOnly; else empty
    Presence presence = Presence::Whole;
    std::uint64_t missingBytes = 0; ///< how many of `size` lie beyond the end of the file
};

/// Whether the file tells how many bytes the tensor has.
inline bool hasSize(const TensorInfo& tensor)
{
    return tensor.presence != Presence::NameOnly && (tensor.size > 0 || tensor.dtype != DType::Unknown);
}

/// The name of the tensor's type: its dtype's, or what the file calls one that is unknown.
inline std::string_view typeName(const TensorInfo& tensor)
{
    return tensor.dtype == DType::Unknown ? std::string_view(tensor.typeText) : name(tensor.dtype);
}

/// The largest power of two that a tensor's place in its file is a multiple of, at most a page.
inline constexpr std::uint64_t alignmentLimit = 4096;
std::uint64_t alignmentOf(std::uint64_t offset);

/// A file of a model, as listed to the user.
struct FileInfo {
    std::string path;
    std::uint64_t size = 0; ///< bytes when it was opened
    bool absent = false; ///< the model names it, but it is not there
};

} // namespace colibri
