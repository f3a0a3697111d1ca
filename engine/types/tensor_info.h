// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/dtype.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace colibri {

/// Where one tensor lies. Checked by the reader: it lies inside its file, and `size` is what dtype and shape need.
struct TensorInfo {
    std::string name; ///< Hugging Face's name
    std::uint32_t file = 0; ///< index into the source's files
    std::uint64_t offset = 0; ///< bytes from the start of the file
    std::uint64_t size = 0; ///< bytes, exact
    DType dtype = DType::F32;
    Layout layout = Layout::RowMajor;
    std::vector<std::uint64_t> shape; ///< outermost first, as Hugging Face writes it: [out, in]
    std::optional<std::uint64_t> xxh64; ///< checksum of the bytes, when the source has one
};

/// A file of a model, as listed to the user.
struct FileInfo {
    std::string path;
    std::uint64_t size = 0; ///< bytes when it was opened
};

} // namespace colibri
