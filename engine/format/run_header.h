// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/run_layout.h"
#include "types/result.h"
#include "types/saved_run.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace colibri {

/// Where a section lies, counted from the end of the header.
struct RunSectionPlace {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

/// The JSON header of a saved run: all of it but what lies in sections.
struct RunHeader {
    SavedRun run; ///< without record and timings
    RunCounts counts;
    std::uint64_t breakerEvents = 0;
    std::array<RunSectionPlace, RunSectionCount> sections{};
};

/// The header as text, with blanks behind it so that it ends at a multiple of 64 in the file.
std::string runHeaderText(const RunHeader& header);

/// Reads the header, which begins at `base` in `file`, and checks every field and every relation between them: limits,
/// counts, the size of each section, alignment, overlaps. Whether sections end inside of the file is for the caller.
Result<RunHeader> parseRunHeader(std::string_view text, const std::string& file, std::uint64_t base);

} // namespace colibri
