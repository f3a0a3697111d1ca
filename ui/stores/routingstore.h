// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/expertprofile.h"
#include "stores/routingcounts.h"
#include "stores/runstore.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <chrono>

namespace colibri {

/// Which positions of a run.
enum class Stretch : std::uint8_t { All, Prompt, Answer };

/// Counts what one run decided, position by position as it comes. Little of it is new in a tick, and that is counted at
/// once; when there is more, it goes on in slices, in the rounds of the event loop.
class RoutingStore : public QObject {
    Q_OBJECT

public:
    static constexpr std::chrono::milliseconds tickBudget{2};
    static constexpr std::chrono::milliseconds sliceBudget{4};
    static constexpr int signalMs = 33; ///< changed() comes no more often while slices are counted

    /// `run` outlives the store. Not active at first.
    explicit RoutingStore(const RunStore& run, QObject* parent = nullptr);

    /// A store that is not active counts nothing; it catches up when it is active again.
    void setActive(bool active);
    bool isActive() const { return m_active; }

    const RunStore& run() const { return m_run; }
    int counted() const { return m_counted; } ///< positions, of run().routed()
    bool isBehind() const { return m_counted < m_run.routed() || m_profiled < profileEnd(); }

    RoutingSum counts(Stretch stretch) const;
    /// Shape of what is counted; layers 0: no run.
    int layers() const { return m_prompt.layers(); }
    int experts() const { return m_prompt.experts(); }

    /// From now on profile() is of this expert; -1: of none.
    void setProfile(int layer, int expert, Stretch stretch);
    const ExpertProfile& profile() const { return m_profile; }
    Stretch profileStretch() const { return m_profileStretch; }

signals:
    void reset(); ///< another run, or none: the shape may be another
    void changed(); ///< counts or profile

private:
    using Clock = std::chrono::steady_clock;
    void restart();
    void advance();
    void takeSlice();
    /// Counts until `deadline`; false: there is more.
    bool countUntil(Clock::time_point deadline);
    bool countPositions(Clock::time_point deadline);
    bool countProfile(Clock::time_point deadline);
    void looked(int positions);
    int profileEnd() const; ///< one past the last position the profile looks at, of those counted by the run

    const RunStore& m_run;
    bool m_active = false;
    int m_counted = 0;
    RoutingCounts m_prompt;
    RoutingCounts m_answer;
    ExpertProfile m_profile;
    Stretch m_profileStretch = Stretch::All;
    int m_profiled = 0; ///< next position for the profile
    std::uint64_t m_lookedBytes = 0; ///< of the record, since it was told
    QTimer m_slices;
    QElapsedTimer m_sinceSignal;
};

} // namespace colibri
