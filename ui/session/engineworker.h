// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/session.h"
#include "session/runcontrol.h"
#include "stores/callqueue.h"
#include "stores/runspec.h"
#include "stores/runstore.h"

#include <QObject>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace colibri {

/// A model as the engine sees it, and what the window knows of it.
struct OpenedModel {
    ModelPtr model; ///< null: none is open, or one that can be looked at only
    ModelFactsPtr facts;
};

struct OpenCommand {
    quint64 id = 0;
    std::string path;
    OpenOptions options;
    std::shared_ptr<OpenProgress> progress;
    std::stop_token stop;
};

struct RunCommand {
    quint64 id = 0;
    OpenedModel opened;
    std::optional<RunSpec> spec; ///< present: a new run; empty: the run before goes on
    std::uint32_t tokens = 0; ///< at most that many, whatever the run's own limit
    std::shared_ptr<RunControl> control;
};

/// How a command ended. Cancelled is a reason, never an error.
struct RunOutcome {
    StopReason reason = StopReason::Paused;
    std::optional<Error> error;
};
bool canGoOn(const RunOutcome& outcome);

/// Lives on the engine thread and owns the Session. Every command is answered by one signal with its id, unless the
/// program is closing.
class EngineWorker : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    CallQueue& commands() { return m_commands; }
    void close() { m_closing.store(true); } ///< any thread: commands that have not begun are forgotten

    // ---- the engine thread ----
    void open(const OpenCommand& command);
    void run(const RunCommand& command);
    /// Lets go of a model; the last owner unmaps it here and not on the GUI thread.
    void release(const OpenedModel& opened);

signals:
    void opened(quint64 id, const colibri::OpenedModel& opened);
    void openFailed(quint64 id, const colibri::Error& error);
    void runBegun(quint64 id, const colibri::RunStart& start);
    void runEnded(quint64 id, const colibri::RunOutcome& outcome);

private:
    Result<void> beginRun(const RunCommand& command);
    Result<void> prepareSession(const RunCommand& command);
    Result<StopReason> advance(RunControl& control, std::uint32_t tokens);

    CallQueue m_commands{this}; ///< moves to the engine thread with this
    std::atomic<bool> m_closing{false};
    std::unique_ptr<Session> m_session;
    EngineOptions m_sessionOptions;
    RunOutcome m_outcome; ///< of the newest command
};

} // namespace colibri
