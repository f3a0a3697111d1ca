// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/spsc_ring.h"

#include <cstdint>

namespace colibri {

/// In a count of TimingEvent: the system did not count it.
inline constexpr std::uint32_t notCounted = UINT32_MAX;

/// The time of one step through all layers. Durations in nanoseconds of the monotonic clock. Those of the stages are
/// summed exactly and rounded once to a float (24 bits, a relative error of 6e-8 at most), so that the event stays one
/// cache line; their sum can exceed totalNs by as much. Counts end at UINT32_MAX - 1.
struct alignas(64) TimingEvent {
    std::uint64_t startNs = 0;
    std::uint64_t totalNs = 0; ///< sampling included
    std::uint32_t position = 0; ///< first position of the step
    std::uint32_t tokens = 0; ///< positions in it: 1 in decode, up to the batch in prefill
    float attentionNs = 0; ///< norm, projections, cache and attention, all layers
    float routerNs = 0;
    float expertsNs = 0;
    float headNs = 0;
    float samplingNs = 0;
    std::uint32_t prefill = 0; ///< 1: a part of the prompt
    std::uint32_t minorFaults = notCounted; ///< page faults of the whole process during the step: served from memory
    std::uint32_t majorFaults = notCounted; ///< ... and those that waited for storage
    std::uint32_t cacheMisses = notCounted; ///< of the last level, in user space, of the threads that compute
    std::uint32_t branchMisses = notCounted;
};
static_assert(sizeof(TimingEvent) == 64);

using TimingRing = SpscRing<TimingEvent>;
inline constexpr std::size_t timingRingCapacity = 65536;

} // namespace colibri
