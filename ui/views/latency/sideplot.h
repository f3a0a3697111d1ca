// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/runstore.h"
#include "views/latency/stepfolds.h"
#include "views/plot/countticker.h"
#include "views/plot/plot.h"

#include <QWidget>

#include <array>

class QComboBox;
class QLabel;
class QStackedWidget;

namespace colibri {

/// What goes beside the time: tokens a second over the clock, or page faults, cache or branch misses of each step.
class SidePlot : public QWidget {
    Q_OBJECT

public:
    enum Choice { Speed, Faults, CacheMisses, BranchMisses };
    /// All outlive the widget. It shows what `history` has of the run's timings, and the speed of the run kept beside.
    SidePlot(const RunStore& run, const LatencyHistory& history, const LatencyHistory& kept, QWidget* parent = nullptr);

    void setPhase(ShownPhase phase);
    void showHistory(); ///< another run or more steps
    Choice choice() const;
    void setChoice(Choice choice);
    Plot& plot() { return *m_plot; }
    /// Why there is nothing to plot; empty when there is.
    QString reason() const;

private:
    /// First: speed of decode, minor faults, misses. Second: speed of prefill, major faults. Kept: the kept run's
    /// speed.
    enum Graph { First, Second, KeptFirst, KeptSecond };
    static constexpr std::size_t graphCount = 4;

    void paintScheme(ColorScheme scheme);
    void showSpeed();
    void showCounts();
    void nameGraphs(const QStringList& names); ///< without a name: not in the legend
    void fillCounts(Graph graph, Quantity quantity);
    StepRange steps() const;
    double roundUp(double top) const; ///< the end of an axis, coarse while the run grows
    QString readoutAt(double x) const;
    QString speedAt(double x) const;
    ValueTable valueTable() const;

    const RunStore& m_run;
    const LatencyHistory& m_history;
    const LatencyHistory& m_kept;
    ShownPhase m_phase = ShownPhase::Decode;
    QComboBox* m_choice;
    QStackedWidget* m_pages;
    QLabel* m_reason;
    Plot* m_plot;
    QSharedPointer<CountTicker> m_keyTicker = QSharedPointer<CountTicker>::create();
    QSharedPointer<CountTicker> m_ticker = QSharedPointer<CountTicker>::create();
    std::array<QCPGraph*, graphCount> m_graphs{};
};

} // namespace colibri
