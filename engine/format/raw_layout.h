// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/dtype.h"
#include "types/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace colibri {

/// What is known of the expert files of a raw export before their size is looked at; 0 and empty: not known.
struct RawKnowledge {
    std::uint32_t in = 0;
    std::uint32_t out = 0;
    std::optional<DType> dtype;
    std::optional<Layout> layout;
    std::optional<bool> bias;
};

/// One way to read an expert file: weight [out][in], then perhaps bias [out].
struct RawReading {
    DType dtype = DType::F16;
    Layout layout = Layout::RowMajor;
    bool bias = true;
    std::uint32_t in = 0;
    std::uint32_t out = 0;
};

/// The only reading under which a file has exactly `size` bytes. What is not known is tried: layout 1 (f16, row_major,
/// with bias) and layout 2 (f32, column_major, without bias) of FORMAT.md, square matrices before others. No reading or
/// several is an error that lists them; a size that fits behind a header of layout 3 or 4 is refused by that name.
Result<RawReading> solveRawLayout(std::uint64_t size, const RawKnowledge& known, const std::string& file);

} // namespace colibri
