// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/runstore.h"
#include "types/saved_run.h"

#include <QString>

#include <optional>

namespace colibri {

/// What is shown now, to be saved: copies figures and timings, and shares the record, which may grow on. The store has
/// a run.
SavedRun snapshotOf(const RunStore& run);

/// A saved run as RunStore::restore() takes it.
struct RestoredRun {
    RunStart start; ///< without the model
    StopReason reason = StopReason::Paused;
    std::optional<Error> error;
};
/// `file` is where it was loaded from. Takes as long as the timings are many: not on the GUI thread.
RestoredRun restoredFrom(const SavedRun& run, const QString& file);

} // namespace colibri
