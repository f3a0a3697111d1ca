// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/dtype.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

/// Where one tensor lies. Checked by the reader: `size` is what dtype and shape need, and it lies inside its file, but
/// in sources that can only be inspected, see `missing` and `nameOnly`.
struct TensorInfo {
    std::string name; ///< Hugging Face's name
    std::uint32_t file = 0; ///< index into the source's files
    std::uint64_t offset = 0; ///< bytes from the start of the file
    std::uint64_t size = 0; ///< bytes, exact; 0 where the file does not tell (an unknown type of GGUF)
    DType dtype = DType::F32;
    Layout layout = Layout::RowMajor;
    std::vector<std::uint64_t> shape; ///< outermost first, as Hugging Face writes it: [out, in]
    std::optional<std::uint64_t> xxh64; ///< checksum of the bytes, when the source has one
    std::string typeText = {}; ///< of DType::Unknown: what the file calls its type; else empty
    std::uint64_t missing = 0; ///< how many bytes of it lie beyond the end of the file
    bool nameOnly = false; ///< the file that says its type, shape and place is not there
};

/// The name of the tensor's type: its dtype's, or what the file calls one that is unknown.
inline std::string_view typeName(const TensorInfo& tensor)
{
    return tensor.dtype == DType::Unknown ? std::string_view(tensor.typeText) : name(tensor.dtype);
}

/// A file of a model, as listed to the user.
struct FileInfo {
    std::string path;
    std::uint64_t size = 0; ///< bytes when it was opened
    bool missing = false; ///< the model names it, but it is not there
};

} // namespace colibri
