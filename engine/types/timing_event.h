// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/spsc_ring.h"

#include <cstdint>

namespace colibri {

/// The time of one step through all layers. Durations in nanoseconds of the monotonic clock.
struct alignas(64) TimingEvent {
    std::uint64_t startNs = 0;
    std::uint32_t position = 0; ///< first position of the step
    std::uint32_t tokens = 0; ///< positions in it: 1 in decode, up to the batch in prefill
    std::uint64_t totalNs = 0; ///< sampling included
    std::uint64_t attentionNs = 0; ///< norm, projections, cache and attention, all layers
    std::uint64_t routerNs = 0;
    std::uint64_t expertsNs = 0;
    std::uint64_t headNs = 0;
    std::uint32_t samplingNs = 0;
    std::uint32_t prefill = 0; ///< 1: a part of the prompt
};
static_assert(sizeof(TimingEvent) == 64);

using TimingRing = SpscRing<TimingEvent>;
inline constexpr std::size_t timingRingCapacity = 65536;

} // namespace colibri
