// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/latencyhistory.h"

#include <optional>
#include <vector>

namespace colibri {

/// Which steps a view shows.
enum class ShownPhase : std::uint8_t { Decode, Prefill, Both };

/// Steps events[begin] to events[end - 1].
struct StepRange {
    std::size_t begin = 0;
    std::size_t end = 0;

    bool empty() const { return begin == end; }
};
/// The steps of a phase among the first `size`: those of the prompt come before all others in a run.
StepRange stepsOf(const std::vector<TimingEvent>& events, std::size_t size, ShownPhase phase);

/// Steps that share a column of a view.
struct StepFold {
    double from = 0; ///< first position of its steps
    double to = 0; ///< one past the last
    std::size_t steps = 0;
    std::size_t largest = 0; ///< index of the step with the largest value: the one to show
};
/// The steps of `range` whose positions reach into [from, to), in at most about `columns` folds. Folds begin at
/// multiples of 1, 2 or 5 times a power of ten positions, so that they stay the same while a run grows. Steps that were
/// not recorded leave a gap. Positions of the events ascend; `values` are those of the events.
std::vector<StepFold> foldSteps(const std::vector<TimingEvent>& events, const MaxFold& values, StepRange range,
    double from, double to, int columns);
/// The fold that holds a place; null when none does.
const StepFold* foldAt(const std::vector<StepFold>& folds, double position);

/// Shares of a distribution in bins of equal width.
struct Histogram {
    std::uint64_t beginNs = 0;
    std::uint64_t widthNs = 1; ///< 1, 2 or 5 times a power of ten
    std::vector<double> percent; ///< of all values, [beginNs + i * widthNs, beginNs + (i + 1) * widthNs)
    std::uint64_t beyond = 0; ///< values at or above the end of the last bin

    std::uint64_t endNs() const { return beginNs + percent.size() * widthNs; }
};
/// From the least value to four times the way from the median to P90 beyond P90, or to the largest value when that is
/// nearer or P90 is not known: a few slow steps do not press the others into one bin, they are counted in
/// Histogram::beyond. More than a few, P98 beyond that end, are shown as well when P98 is at most ten times the median.
/// The bins of `beside` (may be null) reach as far. Empty when `values` has none.
Histogram histogramOf(const Distribution& values, const Distribution* beside);
/// The same bins for other values.
Histogram withBinsOf(const Histogram& bins, const Distribution& values);

} // namespace colibri
