// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/latencystats.h"
#include "types/engine_options.h"
#include "types/timing_event.h"

#include <QByteArray>

#include <functional>
#include <string>
#include <vector>

namespace colibri {

/// A file of timings in pieces, so that a million steps need not be in memory: `head`, a row for each event in order,
/// `tail`.
struct TimingFile {
    QByteArray head;
    std::function<void(QByteArray& out, const std::vector<TimingEvent>& events, std::size_t index)> appendRow;
    QByteArray tail;
};

/// One line a step: times in nanoseconds, the start counted from the first step's. What lies before a step is either
/// waiting or a pause, as in the figures; it is empty where it is not known, as is what was not counted. `pauses` need
/// not outlive the call.
TimingFile timingsAsCsv(Pauses pauses);

/// The JSON object format of Google's "Trace Event Format", as Perfetto, Speedscope and chrome://tracing read it: each
/// step a complete event ("ph": "X") that holds its stages, in microseconds from the first step. A stage is the sum
/// over all layers; the stages of a step are laid end to end. "otherData" says how the run came about.
TimingFile timingsAsTrace(const EngineInfo& info, const std::string& modelPath, std::uint64_t droppedSteps);

} // namespace colibri
