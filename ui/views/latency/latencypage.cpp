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
#include "views/theme/flowlayout.h"
#include "views/theme/scrolled.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDataStream>
#include <QDoubleSpinBox>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>

#include <cmath>

namespace colibri {
namespace {

enum Page { EmptyPage, ViewsPage };
constexpr int refreshMs = 100;
constexpr auto slice = std::chrono::milliseconds(4);
constexpr int columnDigits[LatencyModel::ColumnCount]{14, 5, 6, 6, 6, 6, 6, 6, 7, 6, 6, 6, 6};
constexpr int leastSelectedWidth = 20 * grid::unit; ///< with less, the selected token has a line of its own
constexpr double largestTargetMs = 99'999.9;

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
    column->addWidget(makeBar());
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
    auto* const page = new QWidget(m_pages);
    auto* const text =
        new QLabel(tr("Once a run has made tokens, the time of each one is shown here by stage, with percentiles, a "
                      "histogram, page faults and what the processor counts."),
            page);
    text->setWordWrap(true);
    text->setAlignment(Qt::AlignHCenter);
    auto* const go = new QPushButton(tr("Go to the &Run page"), page);
    go->setObjectName(QStringLiteral("goToRun"));
    go->setToolTip(tr("Runs begin there"));
    connect(go, &QPushButton::clicked, this, &LatencyPage::runPageRequested);
    auto* const column = new QVBoxLayout(page);
    column->setContentsMargins(grid::page, grid::page, grid::page, grid::page);
    column->addStretch();
    column->addWidget(text);
    column->addSpacing(grid::wide);
    column->addWidget(go, 0, Qt::AlignHCenter);
    column->addStretch();
    return page;
}

QWidget* LatencyPage::makeBar()
{
    auto* const bar = new QWidget(this);
    auto* const row = new FlowLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(grid::unit);
    const auto addLabelled = [&](const QString& text, QWidget* control, const QString& tip) {
        auto* const group = new QWidget(bar);
        auto* const pair = new QHBoxLayout(group);
        pair->setContentsMargins(0, 0, grid::unit, 0);
        pair->setSpacing(grid::unit);
        auto* const label = new QLabel(text, group);
        label->setBuddy(control);
        control->setToolTip(tip);
        pair->addWidget(label);
        pair->addWidget(control);
        row->addWidget(group);
    };
    m_phase = new QComboBox(bar);
    m_phase->addItems({tr("Decode"), tr("Prefill"), tr("Both")});
    m_phase->setAccessibleName(tr("Steps shown"));
    addLabelled(tr("S&how"), m_phase,
        tr("Steps of the answer, of the prompt, or both; with both, the figures are those of the answer"));
    m_waiting = new QCheckBox(tr("&Waiting"), bar);
    m_waiting->setToolTip(tr("Puts the wait for the pace before each step on top of its time; pauses are not counted"));
    row->addWidget(m_waiting);
    m_target = new QDoubleSpinBox(bar);
    m_target->setRange(0, largestTargetMs);
    m_target->setDecimals(1);
    m_target->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    m_target->setSuffix(tr(" ms"));
    m_target->setSpecialValueText(tr("none"));
    m_target->setAccessibleName(tr("Target time of a token"));
    addLabelled(
        tr("&Target"), m_target, tr("The time a token may take: a dashed line, and the share of steps over it"));
    m_over = new QLabel(bar);
    m_over->setFont(monospaceFont());
    m_over->setMinimumWidth(m_over->fontMetrics().horizontalAdvance(QStringLiteral("000.0 % over (0000000)")));
    m_over->setAccessibleName(tr("Steps over the target"));
    row->addWidget(m_over);
    m_selected = new ElidedLabel(bar);
    m_selected->setFont(monospaceFont());
    m_selected->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_selected->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_selected->setMinimumWidth(leastSelectedWidth);
    m_selected->setAccessibleName(tr("Time of the selected token"));
    row->addWidget(m_selected);
    auto* const save = new QToolButton(bar);
    save->setText(tr("Sa&ve"));
    save->setPopupMode(QToolButton::InstantPopup);
    save->setToolTip(tr("Save the timings of all steps to a file"));
    save->setFocusPolicy(Qt::StrongFocus);
    auto* const menu = new QMenu(save);
    menu->addActions(m_exports);
    save->setMenu(menu);
    row->addWidget(save);
    return bar;
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
    connect(m_phase, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_timeline->setPhase(static_cast<ShownPhase>(index));
        m_side->setPhase(static_cast<ShownPhase>(index));
        m_histogram->resetView();
        showAll();
    });
    connect(&m_selection, &SelectionStore::changed, this, &LatencyPage::showSelected);
    connect(m_waiting, &QCheckBox::toggled, m_timeline, &TimelinePlot::setWaiting);
    connect(m_target, &QDoubleSpinBox::valueChanged, this, [this] {
        m_timeline->setTarget(targetMs());
        showAll();
    });
}

std::optional<double> LatencyPage::targetMs() const
{
    return m_target->value() > 0 ? std::optional(m_target->value()) : std::nullopt;
}

Phase LatencyPage::figuresPhase() const
{
    return m_timeline->phase() == ShownPhase::Prefill ? Phase::Prefill : Phase::Decode;
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
    m_histogram->show(stats.of(phase, Quantity::Step), kept.of(phase, Quantity::Step), targetMs());
    m_histogram->setEmptyText(stats.steps(phase) > 0
            ? QString()
            : noStepText(phase == Phase::Decode ? ShownPhase::Decode : ShownPhase::Prefill));
    m_side->showHistory();
    m_figures.show(stats, kept, phase, QString::fromStdString(m_run.counterNote()));
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
    m_selected->setText(text.section(u'\n', 0, 0));
    m_selected->setToolTip(text.section(u'\n', 1));
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
    QString over;
    if (const auto target = targetMs(); target && steps.count() > 0) {
        const std::uint64_t count = steps.countAbove(std::uint64_t(std::llround(*target * 1e6)));
        over = tr("%1 % over (%2)").arg(100. * double(count) / double(steps.count()), 0, 'f', 1).arg(grouped(count));
    }
    m_over->setText(over);
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
    stream << m_rows->saveState() << m_upper->saveState() << m_lower->saveState() << m_target->value()
           << qint32(m_phase->currentIndex()) << m_waiting->isChecked() << qint32(m_side->choice());
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
    const bool sound = stream.status() == QDataStream::Ok && phase >= 0 && phase < m_phase->count() && side >= 0
        && side <= SidePlot::BranchMisses && std::isfinite(target);
    if (!sound || !m_rows->restoreState(rows) || !m_upper->restoreState(upper) || !m_lower->restoreState(lower))
        return false;
    m_target->setValue(target);
    m_phase->setCurrentIndex(phase);
    m_waiting->setChecked(waiting);
    m_side->setChoice(static_cast<SidePlot::Choice>(side));
    return true;
}

} // namespace colibri
