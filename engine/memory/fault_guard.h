// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace colibri {

/// Turns SIGBUS from a read-only mapping whose file shrank into a zero page and a mark. Programs install it once at
/// their start; the library never does. A fault outside of the registered mappings goes to the handler that was there
/// before. The table of mappings is fixed (65,536 slots) and lock-free, because a signal handler reads it.
void installFaultGuard();

/// For MappedFile: takes a slot for a mapping, -1 when the table is full (the mapping then is unguarded).
int registerMapping(const void* begin, std::size_t bytes) noexcept;
void unregisterMapping(int slot) noexcept;
/// Whether a fault hit the mapping in this slot.
bool mappingLost(int slot) noexcept;
/// Faults that hit any mapping since the process started: one load tells a run whether it has to look at its mappings.
std::uint64_t mappingFaults() noexcept;

} // namespace colibri
