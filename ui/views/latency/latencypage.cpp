// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/latencypage.h"

#include "models/timingexport.h"
#include "views/latency/histogramplot.h"
#include "views/latency/latencytext.h"
#include "views/latency/sideplot.h"
#include "views/latency/timelineplot.h"
#include "views/latency/timingsaver.h"
#include "views/saving/savefile.h"
#include "views/table/tableview.h"
#include "views/theme/elided.h"
#include "views/theme/emptystate.h"
#include "views/theme/scrolled.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QDataStream>
#include <QFontMetrics>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <cmath>
#include <utility>

namespace colibri {
namespace {

enum Page { EmptyPage, ViewsPage };
constexpr int refreshMs = 100;
constexpr auto slice = std::chrono::milliseconds(4);
constexpr int columnDigits[LatencyModel::ColumnCount]{14, 7, 6, 6, 6, 6, 6, 6, 7, 6, 6, 6, 6};

QString grouped(std::uint64_t count)
{
    return QLocale().toString(qulonglong(count));
}

} // namespace

LatencyPage::LatencyPage(const RunStore& run, const RunStore& kept, SelectionStore& selection, QWidget* parent)
    : QWidget(parent)
    , m_run(run)
    , m_kept(kept)
    , m_selection(selection)
    , m_pages(new QStackedWidget(this))
    , m_timeline(new TimelinePlot(run, m_history, selection, this))
    , m_histogram(new HistogramPlot(this))
    , m_side(new SidePlot(run, m_history, m_keptHistory, this))
    , m_table(new TableView(tr("Figures of the time"), this))
    , m_rows(new QSplitter(Qt::Vertical, this))
    , m_upper(new QSplitter(Qt::Horizontal, this))
    , m_lower(new QSplitter(Qt::Horizontal, this))
{
    makeExports();
    m_bar = new LatencyBar(m_exports, m_pages);
    auto* const views = new QWidget(m_pages);
    auto* const column = new QVBoxLayout(views);
    column->setContentsMargins(grid::unit, grid::unit, grid::unit, grid::half);
    column->setSpacing(grid::half);
    m_upper->addWidget(m_timeline);
    m_upper->addWidget(m_histogram);
    m_lower->addWidget(makeFigures());
    m_lower->addWidget(m_side);
    m_rows->addWidget(m_upper);
    m_rows->addWidget(m_lower);
    m_upper->setStretchFactor(0, 5);
    m_upper->setStretchFactor(1, 2);
    m_upper->setSizes({84 * grid::unit, 36 * grid::unit});
    m_lower->setStretchFactor(1, 1); // the table needs no more than its columns
    m_lower->setSizes({92 * grid::unit, 30 * grid::unit});
    m_rows->setStretchFactor(0, 1);
    m_rows->setSizes({30 * grid::unit, 35 * grid::unit});
    for (QSplitter* const split : {m_rows, m_upper, m_lower})
        split->setChildrenCollapsible(false);
    m_notes = new ElidedLabel(views);
    m_notes->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_notes->setAccessibleName(tr("Notes on the figures"));
    m_notes->setForegroundRole(QPalette::PlaceholderText);
    column->addWidget(m_bar);
    column->addWidget(scrolled(m_rows), 1);
    column->addWidget(m_notes);
    m_pages->addWidget(makeEmpty());
    m_pages->addWidget(views);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(m_pages);
    m_timer.setSingleShot(true);
    connectControls();
    showAll();
}

QWidget* LatencyPage::makeEmpty()
{
    auto* const page =
        new EmptyState(tr("Once a run has made tokens, the time of each one is shown here by stage, with "
                          "percentiles, a histogram, page faults and what the processor counts."),
            tr("Go to the R&un page"), tr("Runs begin there"), m_pages);
    page->button()->setObjectName(QStringLiteral("goToRun"));
    connect(page->button(), &QPushButton::clicked, this, &LatencyPage::runPageRequested);
    return page;
}

QWidget* LatencyPage::makeFigures()
{
    auto* const part = new QWidget(this);
    auto* const column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(grid::half);
    m_title = new QLabel(part);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    column->addWidget(m_title);
    m_table->setModel(&m_figures);
    m_table->setFont(monospaceFont());
    m_table->setToolTip(tr("Ctrl+C copies the chosen rows, the context menu copies or saves all as CSV"));
    const int digit = QFontMetrics(monospaceFont()).horizontalAdvance(u'0');
    for (int section = 0; section < m_figures.columnCount(); ++section)
        m_table->setColumnWidth(section, columnDigits[section] * digit + grid::unit);
    column->addWidget(m_table, 1);
    return part;
}

void LatencyPage::makeExports()
{
    const auto add = [this](const QString& name, const QString& text, const QString& tip, int key, auto act) {
        auto* const action = new QAction(text, this);
        action->setObjectName(name);
        action->setShortcut(QKeySequence(int(Qt::CTRL) | int(Qt::ALT) | key));
        action->setToolTip(tr("%1 (%2)").arg(tip, action->shortcut().toString(QKeySequence::NativeText)));
        action->setStatusTip(tip);
        connect(action, &QAction::triggered, this, act);
        m_exports << action;
    };
    add(QStringLiteral("saveTimingsCsv"), tr("Save timings as &CSV..."), tr("One line a step, in nanoseconds"),
        Qt::Key_V, [this] {
            askForFile(this, QStringLiteral("timings.csv"), tr("Comma-separated values (*.csv)"),
                [this](const QString& path) { saveTimings(path, timingsAsCsv(m_run.pauses())); });
        });
    add(QStringLiteral("saveTimingsTrace"), tr("Save as &trace events..."),
        tr("JSON of the Trace Event Format, which trace viewers read"), Qt::Key_J, [this] {
            askForFile(this, QStringLiteral("timings.json"), tr("Trace events (*.json)"), [this](const QString& path) {
                const std::string model = m_run.model() ? m_run.model()->path : std::string();
                saveTimings(path, timingsAsTrace(m_run.info(), model, m_run.droppedTimings()));
            });
        });
}

void LatencyPage::connectControls()
{
    connect(&m_timer, &QTimer::timeout, this, &LatencyPage::refresh);
    connect(&m_run, &RunStore::reset, this, [this] { restart(m_history); });
    connect(&m_kept, &RunStore::reset, this, [this] { restart(m_keptHistory); });
    connect(&m_run, &RunStore::timingsAdvanced, this, [this] { schedule(refreshMs); });
    connect(&m_run, &RunStore::stateChanged, this, [this] { schedule(refreshMs); });
    connect(m_bar, &LatencyBar::choiceChanged, this, &LatencyPage::applyChoice);
    connect(&m_selection, &SelectionStore::changed, this, &LatencyPage::showSelected);
}

void LatencyPage::applyChoice()
{
    const LatencyChoice before = std::exchange(m_choice, m_bar->choice());
    if (m_choice.phase != before.phase) {
        m_timeline->setPhase(m_choice.phase);
        m_side->setPhase(m_choice.phase);
        m_histogram->resetView();
    }
    if (m_choice.waiting != before.waiting)
        m_timeline->setWaiting(m_choice.waiting);
    if (m_choice.targetMs != before.targetMs)
        m_timeline->setTarget(m_choice.targetMs);
    showAll();
}

Phase LatencyPage::figuresPhase() const
{
    return m_choice.phase == ShownPhase::Prefill ? Phase::Prefill : Phase::Decode;
}

void LatencyPage::restart(LatencyHistory& history)
{
    history.clear();
    if (&history == &m_history) {
        m_timeline->resetView();
        m_histogram->resetView();
        m_side->plot().resetView();
    }
    schedule(0);
}

void LatencyPage::schedule(int ms)
{
    if (isVisible() && (!m_timer.isActive() || m_timer.remainingTime() > ms))
        m_timer.start(ms);
}

void LatencyPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    schedule(0);
}

void LatencyPage::refresh()
{
    if (!isVisible())
        return;
    const auto deadline = LatencyHistory::Clock::now() + slice;
    if (!m_history.catchUp(m_run.timings(), deadline, m_run.pauses())
        || !m_keptHistory.catchUp(m_kept.timings(), deadline, m_kept.pauses())) {
        m_timer.start(0);
        return;
    }
    showAll();
    emit refreshed();
}

void LatencyPage::showAll()
{
    const LatencyStats& stats = m_history.stats();
    const LatencyStats& kept = m_keptHistory.stats();
    const Phase phase = figuresPhase();
    const auto keptMedian = kept.of(phase, Quantity::Step).percentile(500);
    m_pages->setCurrentIndex(m_history.size() > 0 ? ViewsPage : EmptyPage);
    m_timeline->setKeptMedian(keptMedian ? std::optional(double(*keptMedian) * 1e-6) : std::nullopt);
    m_timeline->showHistory();
    m_histogram->show(stats.of(phase, Quantity::Step), kept.of(phase, Quantity::Step), m_choice.targetMs);
    m_histogram->setEmptyText(stats.steps(phase) > 0
            ? QString()
            : noStepText(phase == Phase::Decode ? ShownPhase::Decode : ShownPhase::Prefill));
    m_side->showHistory();
    m_figures.show(stats, kept, phase, QString::fromStdString(m_run.counterNote()));
    for (const int column : {LatencyModel::Kept, LatencyModel::Ratio})
        m_table->setColumnHidden(column, !m_kept.record());
    for (QAction* const action : m_exports)
        action->setEnabled(m_history.size() > 0);
    showTexts();
    showSelected();
}

void LatencyPage::showSelected()
{
    QString text;
    if (const TimingEvent* const step = m_run.timing(m_selection.selection().token)) {
        const auto index = static_cast<std::size_t>(step - m_run.timings().data());
        text = stepText(m_run.timings(), index, 1, true, m_run.pauses());
    }
    m_bar->showSelected(text);
}

void LatencyPage::showTexts()
{
    const LatencyStats& stats = m_history.stats();
    const Phase phase = figuresPhase();
    const Distribution& steps = stats.of(phase, Quantity::Step);
    m_title->setText(steps.count() == 0
            ? tr("%1: no step yet").arg(phaseName(phase))
            : tr("%1: %2 steps, %3 tokens, %4 s of computing")
                  .arg(phaseName(phase), grouped(steps.count()), grouped(stats.tokens(phase)),
                      threeDigits(stats.wholeNs(phase) * 1e-9)));
    m_bar->showOver(steps);
    QStringList notes(m_saving.isEmpty() ? 0 : 1, m_saving);
    if (const auto dropped = m_run.droppedTimings(); dropped > 0)
        notes << tr(
            "%n steps not recorded: they are gaps in the plots and missing in the figures", nullptr, int(dropped));
    if (stats.pauses() > 0)
        notes << pausesText(stats);
    if (!steps.exact())
        notes << tr("percentiles are within 0.4 %: there are more than 100,000 steps");
    if (!m_run.counterNote().empty())
        notes << QString::fromStdString(m_run.counterNote());
    m_notes->setText(notes.join(QStringLiteral(" \u00b7 ")));
}

void LatencyPage::saveTimings(const QString& path, TimingFile file)
{
    auto* const saver =
        new TimingSaver(path, std::move(file), std::make_shared<const std::vector<TimingEvent>>(m_run.timings()), this);
    connect(saver, &TimingSaver::progressed, this, [this](int percent) {
        m_saving = tr("saving timings: %1 %").arg(percent);
        showTexts();
    });
    connect(saver, &TimingSaver::finished, this, [this, path](const QString& wrong) {
        m_saving.clear();
        showTexts();
        if (wrong.isEmpty())
            emit timingsSaved(path);
        else
            showNotSaved(this, wrong);
    });
    saver->start();
}

QByteArray LatencyPage::saveLayout() const
{
    QByteArray layout;
    QDataStream stream(&layout, QIODevice::WriteOnly);
    stream << m_rows->saveState() << m_upper->saveState() << m_lower->saveState() << m_choice.targetMs.value_or(0)
           << qint32(m_choice.phase) << m_choice.waiting << qint32(m_side->choice());
    return layout;
}

bool LatencyPage::restoreLayout(const QByteArray& layout)
{
    QDataStream stream(layout);
    QByteArray rows;
    QByteArray upper;
    QByteArray lower;
    double target = 0;
    qint32 phase = 0;
    bool waiting = false;
    qint32 side = 0;
    stream >> rows >> upper >> lower >> target >> phase >> waiting >> side;
    const bool sound = stream.status() == QDataStream::Ok && phase >= 0 && phase <= qint32(ShownPhase::Both)
        && side >= 0 && side <= SidePlot::BranchMisses && std::isfinite(target);
    if (!sound || !m_rows->restoreState(rows) || !m_upper->restoreState(upper) || !m_lower->restoreState(lower))
        return false;
    m_bar->setChoice({static_cast<ShownPhase>(phase), waiting, target > 0 ? std::optional(target) : std::nullopt});
    m_side->setChoice(static_cast<SidePlot::Choice>(side));
    return true;
}

} // namespace colibri
