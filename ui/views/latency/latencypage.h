// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/latencymodel.h"
#include "stores/latencyhistory.h"
#include "stores/runstore.h"
#include "stores/selectionstore.h"
#include "views/latency/latencybar.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QSplitter;
class QStackedWidget;

namespace colibri {

class HistogramPlot;
class SidePlot;
class TableView;
class TimelinePlot;
struct TimingFile;

/// How long each token took and where the time went. Follows a run at most ten times a second and only while it is
/// seen; what came meanwhile is taken over a few milliseconds at a time.
class LatencyPage : public QWidget {
    Q_OBJECT

public:
    /// `kept` is the run to compare with, empty when there is none. All outlive the page.
    LatencyPage(const RunStore& run, const RunStore& kept, SelectionStore& selection, QWidget* parent = nullptr);

    QList<QAction*> exportActions() const { return m_exports; }

    QByteArray saveLayout() const; ///< parts, target and what is shown
    bool restoreLayout(const QByteArray& layout);

    /// Writes the timings of the run and says what went wrong in a message of its own.
    void saveTimings(const QString& path, TimingFile file);

    LatencyBar& bar() { return *m_bar; }
    TimelinePlot& timeline() { return *m_timeline; }
    HistogramPlot& histogram() { return *m_histogram; }
    SidePlot& side() { return *m_side; }
    TableView& table() { return *m_table; }
    const LatencyHistory& history() const { return m_history; }

signals:
    void runPageRequested(); ///< there is nothing to show yet
    void refreshed(); ///< the views show everything the store has
    void timingsSaved(const QString& path);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeEmpty();
    QWidget* makeFigures();
    void makeExports();
    void connectControls();
    void applyChoice();
    void restart(LatencyHistory& history);
    void schedule(int ms);
    void refresh();
    void showAll();
    void showTexts();
    void showSelected();
    Phase figuresPhase() const; ///< of the table and the histogram

    const RunStore& m_run;
    const RunStore& m_kept;
    SelectionStore& m_selection;
    LatencyHistory m_history;
    LatencyHistory m_keptHistory;
    LatencyModel m_figures;
    LatencyChoice m_choice;
    QTimer m_timer;
    QStackedWidget* m_pages;
    LatencyBar* m_bar;
    QLabel* m_title; ///< of the figures
    QLabel* m_notes;
    QString m_saving; ///< progress of a file being written, or empty
    TimelinePlot* m_timeline;
    HistogramPlot* m_histogram;
    SidePlot* m_side;
    TableView* m_table;
    QSplitter* m_rows;
    QSplitter* m_upper;
    QSplitter* m_lower;
    QList<QAction*> m_exports;
};

} // namespace colibri
