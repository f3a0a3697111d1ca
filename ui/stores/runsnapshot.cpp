// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/runsnapshot.h"

#include <algorithm>

namespace colibri {

SavedRun snapshotOf(const RunStore& run)
{
    const RunSpec& spec = run.spec();
    SavedRun saved;
    saved.info = run.info();
    saved.modelPath = run.model()->path;
    saved.promptIsText = spec.promptIds.empty();
    if (saved.promptIsText)
        saved.promptText = spec.promptText.toStdString();
    saved.maxTokens = spec.maxTokens;
    saved.ignoreEndOfText = spec.ignoreEndOfText;
    saved.sampling = spec.sampling;
    saved.engine = spec.engine;
    saved.pace = spec.pace;
    if (run.state() == RunStore::State::Finished)
        saved.reason = run.finishReason();
    if (run.error())
        saved.error = run.error()->message();
    saved.arenaBytes = run.arenaBytes();
    saved.kvBytes = run.kvBytes();
    saved.timings = run.timings();
    saved.droppedTimings = run.droppedTimings();
    saved.counterNote = run.counterNote();
    saved.record = run.record();
    return saved;
}

RestoredRun restoredFrom(const SavedRun& run, const QString& file)
{
    RunSpec spec;
    spec.promptText = QString::fromStdString(run.promptText);
    for (std::uint32_t position = 0; !run.promptIsText && position < run.record->promptTokens(); ++position)
        spec.promptIds.push_back(run.record->token(position));
    spec.maxTokens = run.maxTokens;
    spec.ignoreEndOfText = run.ignoreEndOfText;
    spec.sampling = run.sampling;
    spec.engine = run.engine;
    spec.pace = run.pace;
    const auto timings = std::make_shared<TimingRing>(std::max<std::size_t>(1, run.timings.size()));
    for (const TimingEvent& event : run.timings)
        timings->tryPush(event);
    std::optional<Error> error;
    if (!run.error.empty())
        error = Error{Errc::Malformed, run.error, {}, {}, {}};
    return {{{}, run.record, timings, run.info, run.arenaBytes, run.kvBytes, spec, run.counterNote, file,
                run.droppedTimings},
        run.reason, error};
}

} // namespace colibri
