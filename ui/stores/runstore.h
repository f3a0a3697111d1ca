// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/modelfacts.h"
#include "stores/runspec.h"
#include "stores/tokentext.h"
#include "types/engine_options.h"
#include "types/result.h"
#include "types/run.h"
#include "types/run_record.h"
#include "types/timing_event.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace colibri {

/// What the engine thread hands over when a run begins.
struct RunStart {
    ModelFactsPtr model;
    std::shared_ptr<const RunRecord> record;
    std::shared_ptr<TimingRing> timings; ///< this store is its reader
    EngineInfo info;
    std::uint64_t arenaBytes = 0;
    std::uint64_t kvBytes = 0; ///< of which KV cache
    RunSpec spec{}; ///< what was asked for
    std::string counterNote{}; ///< events of the hardware that are not counted and why; empty: all are
    QString file{}; ///< the saved run it was loaded from; empty: it runs here
    std::uint64_t droppedTimings = 0; ///< besides those that the ring counts
};

/// The run as the GUI thread sees it. Positions are int; everything below tokens() and routed() is complete.
class RunStore : public QObject {
    Q_OBJECT

public:
    /// Idle: no run yet. Starting: asked for, not begun (the run before is still shown). Waiting: for the pace.
    /// Paused: stopped or stepped, can go on. Finished: see finishReason(). Failed: see error().
    enum class State { Idle, Starting, Running, Waiting, Stopping, Paused, Finished, Failed };
    Q_ENUM(State)
    using Clock = std::chrono::steady_clock;

    static constexpr int fileCheckMs = 1000; ///< a saved run whose file was lost fails within this time

    explicit RunStore(QObject* parent = nullptr);

    State state() const { return m_state; }
    bool busy() const; ///< Starting, Running, Waiting or Stopping
    /// MaxTokens, EndOfText or ContextFull, and Paused for a saved run that had not ended; valid in State::Finished.
    StopReason finishReason() const { return m_finishReason; }
    const std::optional<Error>& error() const { return m_error; } ///< present in State::Failed only

    const ModelFactsPtr& model() const { return m_start.model; } ///< null before the first run
    const std::shared_ptr<const RunRecord>& record() const { return m_start.record; } ///< null before the first run
    const EngineInfo& info() const { return m_start.info; }
    const RunSpec& spec() const { return m_start.spec; }
    const QString& file() const { return m_start.file; } ///< of a saved run, which cannot go on; empty: none
    /// Whether state() is that of a saved run: nothing was begun since it was opened.
    bool restored() const { return m_restored; }
    std::uint64_t arenaBytes() const { return m_start.arenaBytes; }
    const std::string& counterNote() const { return m_start.counterNote; } ///< see RunStart
    std::uint64_t kvBytes() const { return m_start.kvBytes; }

    int tokens() const { return m_text ? m_text->size() : 0; } ///< prompt and generated ones
    int promptTokens() const { return m_promptTokens; }
    int routed() const { return m_routed; } ///< positions whose decisions are in the record
    TokenPiece piece(int position) const { return m_text->piece(position); }
    TokenId id(int position) const { return m_text->id(position); }
    QString text() const; ///< of all tokens
    QString text(int from, int to) const; ///< of these tokens by themselves

    /// All steps so far, in the order of their time; steps whose event was dropped are missing.
    const std::vector<TimingEvent>& timings() const { return m_events; }
    /// The step in which a position was computed; null: not yet, or its event was dropped.
    const TimingEvent* timing(int position) const;
    /// Positions of the steps before which the run was paused, ascending; of a saved run none is known.
    const std::vector<std::uint32_t>& pauses() const { return m_pauses; }
    double prefillTokensPerSecond() const { return m_prefill.rate(); } ///< computing only; 0: nothing measured yet
    double decodeTokensPerSecond() const { return m_decode.rate(); }
    std::uint64_t droppedTimings() const
    {
        return m_start.droppedTimings + (m_start.timings ? m_start.timings->dropped() : 0);
    }

    /// Becomes what `other` shows now, with its state, and follows it no further: a run kept beside the next one.
    void keep(const RunStore& other);

    // ---- the owner of the engine thread ----
    void begin(RunStart start);
    /// Shows a saved run, which has ended for good: with an error in State::Failed, else in State::Finished. Its tokens
    /// and timings are taken over by catchUp().
    void restore(RunStart start, StopReason reason, std::optional<Error> error);
    /// Takes over what the engine published, until `deadline`. False: there is more.
    bool catchUp(Clock::time_point deadline);
    void setState(State state); ///< any but Finished and Failed
    void finish(StopReason reason);
    void fail(Error error);
    void clear(); ///< no run, State::Idle

signals:
    void reset(); ///< another run, or none: everything below is new
    /// Pieces from..to-1 are new or have changed (`from` is below the former count when a character was completed).
    void tokensAppended(int from, int to);
    void routedAdvanced(int from, int to);
    void timingsAdvanced();
    void stateChanged();

private:
    struct Rate {
        std::uint64_t tokens = 0;
        std::uint64_t ns = 0;
        double rate() const { return ns > 0 ? double(tokens) * 1e9 / double(ns) : 0; }
    };
    bool takeTokens(Clock::time_point deadline);
    bool takeTimings(Clock::time_point deadline);
    void addTiming(const TimingEvent& event);
    void show(RunStart start); ///< from the beginning, without a signal
    void checkFile();

    State m_state = State::Idle;
    StopReason m_finishReason = StopReason::MaxTokens;
    std::optional<Error> m_error;
    bool m_restored = false;
    RunStart m_start;
    std::optional<TokenText> m_text;
    int m_promptTokens = 0;
    int m_routed = 0;
    std::vector<TimingEvent> m_events;
    std::vector<int> m_eventOfPosition; ///< -1: none
    std::vector<std::uint32_t> m_pauses;
    Rate m_prefill;
    Rate m_decode;
    QTimer m_fileCheck; ///< while a saved run is shown
};

} // namespace colibri
