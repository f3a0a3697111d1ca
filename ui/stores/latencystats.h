// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/distribution.h"
#include "types/timing_event.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace colibri {

enum class Phase : std::uint8_t { Decode, Prefill };
inline constexpr std::size_t phaseCount = 2;
inline Phase phaseOf(const TimingEvent& event)
{
    return event.prefill ? Phase::Prefill : Phase::Decode;
}

/// Where the time of a step goes, in the order in which it passes. Other: what no clock measured (embedding,
/// publishing). Waiting: from the end of the step before, for the pace; not a part of the step.
enum class Stage : std::uint8_t { Attention, Router, Experts, Head, Sampling, Other, Waiting };
inline constexpr std::size_t stageCount = 7;
/// Nanoseconds of each stage in the whole step, Stage::Waiting left 0.
std::array<double, stageCount> stagesOf(const TimingEvent& event);

/// Whether no step between the two is missing.
bool follows(const TimingEvent& before, const TimingEvent& event);
/// Positions of the steps before which the run was paused, ascending. Where they are not known, as of a saved run, a
/// pause is still told by its length.
using Pauses = std::span<const std::uint32_t>;
inline constexpr std::uint64_t longestWaitNs =
    2'000'000'000; ///< twice that of the slowest pace: a longer one is a pause

/// What lies between two steps that follow each other: a wait or a pause.
struct Gap {
    std::uint64_t waitingNs = 0;
    std::uint64_t pausedNs = 0;
    bool paused = false;
};
/// Empty when a step between them was not recorded.
std::optional<Gap> gapBetween(const TimingEvent& before, const TimingEvent& event, Pauses pauses);

/// What figures are made of. Times are nanoseconds a token: those of a step divided by its tokens. Jitter is how much
/// the time differs from that of the step before, in the same phase. Counts are those of a whole step.
enum class Quantity : std::uint8_t {
    Step,
    Attention,
    Router,
    Experts,
    Head,
    Sampling,
    Other,
    Waiting,
    Jitter,
    MinorFaults,
    MajorFaults,
    CacheMisses,
    BranchMisses,
};
inline constexpr std::size_t quantityCount = 13;
constexpr bool isTime(Quantity quantity)
{
    return quantity <= Quantity::Jitter;
}
/// The count of a step; empty for a time and for what was not counted.
std::optional<std::uint32_t> countOf(const TimingEvent& event, Quantity quantity);

/// Figures of a run's steps, prefill and decode apart, while they arrive.
class LatencyStats {
public:
    /// The steps that come after those of the last call.
    void add(std::span<const TimingEvent> events, Pauses pauses = {});
    void clear() { *this = {}; }

    const Distribution& of(Phase phase, Quantity quantity) const
    {
        return m_phases[std::size_t(phase)].values[std::size_t(quantity)];
    }
    std::uint64_t steps(Phase phase) const { return of(phase, Quantity::Step).count(); }
    std::uint64_t tokens(Phase phase) const { return m_phases[std::size_t(phase)].tokens; }
    /// Nanoseconds of all steps; a stage of them. Waiting is not a part of the whole.
    double wholeNs(Phase phase) const { return m_phases[std::size_t(phase)].wholeNs; }
    double stageNs(Phase phase, Stage stage) const { return m_phases[std::size_t(phase)].stageNs[std::size_t(stage)]; }
    std::uint64_t pauses() const { return m_pauses; } ///< they are not waiting
    std::uint64_t pausedNs() const { return m_pausedNs; }

private:
    struct PhaseSums {
        std::array<Distribution, quantityCount> values;
        std::array<double, stageCount> stageNs{};
        double wholeNs = 0;
        std::uint64_t tokens = 0;
    };
    using Batch = std::array<std::array<std::vector<std::uint64_t>, quantityCount>, phaseCount>;
    void collect(const TimingEvent& event, Pauses pauses, Batch& batch);

    std::array<PhaseSums, phaseCount> m_phases;
    std::optional<TimingEvent> m_last;
    std::uint64_t m_pauses = 0;
    std::uint64_t m_pausedNs = 0;
};

} // namespace colibri
