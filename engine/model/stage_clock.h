// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace colibri {

/// Nanoseconds of the monotonic clock.
inline std::uint64_t nowNs()
{
    return static_cast<std::uint64_t>(
        std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

/// The time of the stages that each layer adds to, in nanoseconds.
struct StageTimes {
    std::uint64_t attentionNs = 0;
    std::uint64_t routerNs = 0;
    std::uint64_t expertsNs = 0;
};

/// Adds the time of its scope to a stage's sum; null measures nothing.
class StageClock {
public:
    explicit StageClock(std::uint64_t* sumNs)
        : m_sumNs(sumNs)
        , m_beginNs(sumNs ? nowNs() : 0)
    {
    }
    ~StageClock()
    {
        if (m_sumNs)
            *m_sumNs += nowNs() - m_beginNs;
    }
    StageClock(const StageClock&) = delete;
    StageClock& operator=(const StageClock&) = delete;

private:
    std::uint64_t* m_sumNs;
    std::uint64_t m_beginNs;
};

} // namespace colibri
