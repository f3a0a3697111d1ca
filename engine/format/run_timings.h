// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/run_layout.h"
#include "types/timing_event.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace colibri {

/// The rule for the timings of a saved run, looked at one after the other: in the order of time and of positions, no
/// position twice, none beyond the tokens; durations are finite and not negative.
class TimingOrder {
public:
    explicit TimingOrder(std::uint32_t tokens)
        : m_tokens(tokens)
    {
    }
    /// Whether `event` may come next; then it has.
    bool takes(const TimingEvent& event);
    std::uint32_t nextPosition() const { return m_next; } ///< the first that an event may have

private:
    std::uint32_t m_tokens;
    std::uint32_t m_next = 0;
    std::uint64_t m_startNs = 0;
};

std::array<std::byte, runTimingBytes> timingBytes(const TimingEvent& event);
TimingEvent timingFrom(std::span<const std::byte> bytes); ///< of the first runTimingBytes

} // namespace colibri
