// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/stepfolds.h"

#include "stores/steps.h"

#include <algorithm>
#include <cmath>

namespace colibri {
namespace {

constexpr double wantedBins = 40;
constexpr std::uint64_t mostBins = 200;
constexpr std::uint64_t timesBeyond = 4; ///< the way from the median to P90 beyond it
constexpr std::uint64_t mostTimesMedian = 10; ///< further away, slow steps are not worth the width of the others

std::uint64_t reachOf(const Distribution& values)
{
    const auto median = values.percentile(500);
    const auto high = values.percentile(900);
    if (!median || !high)
        return values.largest();
    const std::uint64_t reach = *high + timesBeyond * (*high - *median);
    const auto most = values.percentile(980); // one of fifty may be left out
    return std::min(values.largest(), most && *most <= mostTimesMedian * *median ? std::max(reach, *most) : reach);
}

double endOf(const TimingEvent& event)
{
    return double(event.position) + double(event.tokens);
}

} // namespace

StepRange stepsOf(const std::vector<TimingEvent>& events, std::size_t size, ShownPhase phase)
{
    size = std::min(size, events.size());
    const auto first = events.begin();
    const auto split = std::partition_point(
        first, first + static_cast<std::ptrdiff_t>(size), [](const TimingEvent& event) { return event.prefill != 0; });
    const auto decode = static_cast<std::size_t>(split - first);
    switch (phase) {
    case ShownPhase::Decode:
        return {decode, size};
    case ShownPhase::Prefill:
        return {0, decode};
    case ShownPhase::Both:
        break;
    }
    return {0, size};
}

std::vector<StepFold> foldSteps(
    const std::vector<TimingEvent>& events, const MaxFold& values, StepRange range, double from, double to, int columns)
{
    std::vector<StepFold> folds;
    const double fold = std::max(1., stepUp((to - from) / std::max(1, columns)));
    const auto begin = events.begin() + static_cast<std::ptrdiff_t>(range.begin);
    const auto end = events.begin() + static_cast<std::ptrdiff_t>(range.end);
    auto at = std::partition_point(
        begin, end, [&](const TimingEvent& e) { return endOf(e) <= std::floor(from / fold) * fold; });
    while (at != end && at->position < to) {
        const double next = (std::floor(at->position / fold) + 1) * fold;
        // Most folds hold about `fold` steps, so the end is near; a step at least covers one position.
        const auto reach = at + std::min<std::ptrdiff_t>(end - at, static_cast<std::ptrdiff_t>(fold));
        const auto stop =
            std::partition_point(at, reach, [&](const TimingEvent& e) { return double(e.position) < next; });
        const auto first = static_cast<std::size_t>(at - events.begin());
        const auto last = static_cast<std::size_t>(stop - events.begin());
        folds.push_back({double(at->position), endOf(events[last - 1]), last - first, values.largest(first, last)});
        at = stop;
    }
    return folds;
}

const StepFold* foldAt(const std::vector<StepFold>& folds, double position)
{
    const auto found =
        std::partition_point(folds.begin(), folds.end(), [&](const StepFold& fold) { return fold.to <= position; });
    return found != folds.end() && found->from <= position ? &*found : nullptr;
}

Histogram histogramOf(const Distribution& values, const Distribution* beside)
{
    Histogram histogram;
    if (values.count() == 0)
        return histogram;
    std::uint64_t least = values.least();
    std::uint64_t reach = reachOf(values);
    if (beside && beside->count() > 0) {
        least = std::min(least, beside->least());
        reach = std::max(reach, reachOf(*beside));
    }
    const double width = std::max({1., double(reach - least) / wantedBins, double(reach) * 1e-3});
    histogram.widthNs = static_cast<std::uint64_t>(std::llround(stepUp(width)));
    histogram.beginNs = least / histogram.widthNs * histogram.widthNs;
    const std::uint64_t bins = std::min(mostBins, (reach - histogram.beginNs) / histogram.widthNs + 1);
    histogram.percent.resize(bins);
    return withBinsOf(histogram, values);
}

Histogram withBinsOf(const Histogram& bins, const Distribution& values)
{
    Histogram histogram = bins;
    std::fill(histogram.percent.begin(), histogram.percent.end(), 0.);
    histogram.beyond = 0;
    if (values.count() == 0)
        return histogram;
    const auto atLeast = [&](std::uint64_t ns) { return ns == 0 ? values.count() : values.countAbove(ns - 1); };
    std::uint64_t above = atLeast(bins.beginNs);
    for (std::size_t bin = 0; bin < histogram.percent.size(); ++bin) {
        const std::uint64_t next = atLeast(bins.beginNs + (bin + 1) * bins.widthNs);
        histogram.percent[bin] = 100. * double(above - std::min(above, next)) / double(values.count());
        above = next;
    }
    histogram.beyond = above;
    return histogram;
}

} // namespace colibri
