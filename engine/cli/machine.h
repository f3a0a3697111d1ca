// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace colibri::cli {

/// What the system says of this process, in bytes; 0 where it says nothing.
struct ProcessMemory {
    std::uint64_t residentBytes = 0;
    std::uint64_t peakResidentBytes = 0;
    std::uint64_t anonymousBytes = 0;
};
ProcessMemory processMemory();

/// Bytes a second that `threads` threads together read from memory: the best of several passes over a buffer several
/// times larger than the caches. Empty when the memory for it is not to be had.
std::optional<double> measureReadBandwidth(std::uint32_t threads);

} // namespace colibri::cli
