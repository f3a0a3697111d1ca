// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/runstore.h"
#include "stores/selectionstore.h"
#include "views/latency/stagebars.h"
#include "views/latency/stepfolds.h"
#include "views/plot/plot.h"

#include <array>
#include <optional>
#include <vector>

namespace colibri {

/// The time of each token by stage over its position. Steps that share a pixel show as the slowest of them.
///
/// Left and Right walk the tokens, Ctrl with them moves the view; a click selects a token. The selected token has a
/// band.
class TimelinePlot : public Plot {
    Q_OBJECT

public:
    /// All outlive the plot. It shows what `history` has of the run's timings.
    TimelinePlot(
        const RunStore& run, const LatencyHistory& history, SelectionStore& selection, QWidget* parent = nullptr);

    void setPhase(ShownPhase phase);
    ShownPhase phase() const { return m_phase; }
    void setWaiting(bool waiting); ///< as a stage on top of the others
    void setTarget(std::optional<double> ms);
    void setKeptMedian(std::optional<double> ms); ///< of the run kept beside, milliseconds a token
    /// Another run or more steps.
    void showHistory();

    /// What is drawn, made anew when the view changes. One bar a fold.
    const std::vector<StepFold>& folds() const { return m_folds; }
    const std::vector<StageBar>& bars() const { return m_bars; }

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Line {
        QCPItemLine* line = nullptr;
        QCPItemText* text = nullptr;
    };
    Line makeLine(Qt::Alignment side, Qt::PenStyle style);
    static void showLine(const Line& line, std::optional<double> ms, const QString& text);
    void makeLegend();
    void paintScheme(ColorScheme scheme);
    void fitRanges();
    void fold();
    void walk(int direction);
    /// Null where there is no bar, and when the run it was of is gone.
    const StepFold* drawnAt(double position) const;
    void select(std::size_t event, double at);
    void showSelection(bool bringIntoView);
    const MaxFold& values() const;
    ValueTable valueTable() const;

    const RunStore& m_run;
    const LatencyHistory& m_history;
    SelectionStore& m_selection;
    ShownPhase m_phase = ShownPhase::Decode;
    bool m_waiting = false;
    std::optional<double> m_targetMs;
    std::optional<double> m_keptMs;
    std::vector<StepFold> m_folds;
    std::vector<StageBar> m_bars;
    std::array<StageBars*, stageCount> m_stages{};
    QCPItemRect* m_band;
    Line m_target;
    Line m_kept;
};

} // namespace colibri
