// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/engineworker.h"
#include "session/pump.h"
#include "stores/callqueue.h"
#include "stores/openstore.h"
#include "stores/runstore.h"

#include <QThread>

#include <functional>
#include <limits>

namespace colibri {

/// The way from the window to the engine thread, and the only one that fills the stores. GUI thread; no call waits.
/// The destructor stops whatever is under way and joins the thread.
class EngineClient : public QObject {
    Q_OBJECT

public:
    /// The stores live longer than the client.
    EngineClient(OpenStore& open, RunStore& run, QObject* parent = nullptr);
    ~EngineClient() override;

    /// Stops a run and an opening that are under way. The model that is open stays until this one is.
    void open(const QString& path, const OpenOptions& options = {});
    const ModelPtr& model() const { return m_model.model; } ///< that is open; null: none, or it cannot be run
    void cancelOpen(); ///< the store says when it took effect
    void closeModel();

    void run(const RunSpec& spec);
    /// One token: of the paused run, or of a new one when none is paused.
    void step(const RunSpec& spec);
    void continueRun(); ///< does nothing unless a run is paused
    void stop();
    /// Shows a saved run of the model that is open, in the place of the run that is shown; that one is stopped.
    void restore(RunStart start, StopReason reason, std::optional<Error> error);
    /// 0: full speed. Holds for the run under way and for continueRun().
    void setPace(double tokensPerSecond);

private:
    static constexpr std::uint32_t allTokens = std::numeric_limits<std::uint32_t>::max();

    void begin(const RunSpec& spec, std::uint32_t tokens);
    void queueRun(std::optional<RunSpec> spec, std::uint32_t tokens);
    void forgetRun(); ///< stops what is under way; the store is left as it is
    void dropRun();
    void adopt(OpenedModel opened);
    void onOpened(quint64 id, const OpenedModel& opened);
    void onOpenFailed(quint64 id, const Error& error);
    void onRunBegun(quint64 id, const RunStart& start);
    void onRunEnded(quint64 id, const RunOutcome& outcome);
    void onTicked(bool complete);
    void showOutcome(const RunOutcome& outcome);
    void post(std::function<void()> command); ///< to the engine thread
    template <class Value>
    void answer( ///< calls `slot` on the GUI thread for each `signal` of the engine thread
        void (EngineWorker::*signal)(quint64, const Value&), void (EngineClient::*slot)(quint64, const Value&));

    OpenStore& m_open;
    RunStore& m_run;
    Pump m_pump;
    CallQueue m_answers;
    QThread m_thread;
    EngineWorker* m_worker; ///< deleted by its thread
    OpenedModel m_model;
    quint64 m_openId = 0;
    quint64 m_runId = 0; ///< of the newest command; answers to older ones are dropped
    double m_pace = 0;
    std::stop_source m_openStop;
    std::shared_ptr<RunControl> m_control; ///< of the command under way; null: none
    std::optional<RunOutcome> m_outcome; ///< shown once the stores have caught up
};

} // namespace colibri
