// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/sideplot.h"

#include "stores/steps.h"
#include "views/latency/latencytext.h"
#include "views/theme/theme.h"

#include <QComboBox>
#include <QLabel>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace colibri {
namespace {

enum Page { PlotPage, ReasonPage };
constexpr double leastSeconds = 0.1; ///< of the axis while a run begins
constexpr double gap = std::numeric_limits<double>::quiet_NaN();

/// The value of a step graph at a place, empty before its first and in a gap.
QString valueAt(const QCPGraph* graph, double x)
{
    const auto next = graph->data()->findEnd(x, false);
    if (next == graph->data()->constBegin())
        return {};
    const double value = (next - 1)->value;
    return std::isnan(value) ? QString() : threeDigits(value);
}

/// The values of a step graph, with a gap where nothing is known.
struct SpeedLine {
    QVector<double> keys;
    QVector<double> values;

    void add(const SpeedSeries::Point& point)
    {
        if (!keys.isEmpty() && keys.last() >= point.beginS - 1e-9) { // goes on where the last one ends
            keys.removeLast();
            values.removeLast();
        } else if (!keys.isEmpty()) {
            values.last() = gap;
        }
        keys << point.beginS << point.beginS + point.lengthS;
        values << point.tokensPerSecond << point.tokensPerSecond;
    }
};

struct SpeedLines {
    SpeedLine decode;
    SpeedLine prefill;
    double top = 0;
    double endS = 0;
};

SpeedLines speedLines(const SpeedSeries& speed, ShownPhase phase)
{
    SpeedLines lines;
    for (const SpeedSeries::Point& point : speed.points()) {
        if (phase != ShownPhase::Both && point.prefill != (phase == ShownPhase::Prefill))
            continue;
        (point.prefill ? lines.prefill : lines.decode).add(point);
        lines.top = std::max(lines.top, point.tokensPerSecond);
        lines.endS = point.beginS + point.lengthS;
    }
    return lines;
}

} // namespace

SidePlot::SidePlot(const RunStore& run, const LatencyHistory& history, QWidget* parent)
    : QWidget(parent)
    , m_run(run)
    , m_history(history)
    , m_choice(new QComboBox(this))
    , m_pages(new QStackedWidget(this))
    , m_reason(new QLabel(m_pages))
    , m_plot(new Plot(tr("Speed and counts"), m_pages))
    , m_first(m_plot->addGraph())
    , m_second(m_plot->addGraph())
{
    m_choice->addItems({tr("Speed"), tr("Page faults"), tr("Cache misses"), tr("Branch misses")});
    m_choice->setAccessibleName(tr("What is plotted below"));
    m_choice->setToolTip(tr("Tokens a second of the clock, waits included, or what the system counted in each step"));
    m_plot->setObjectName(QStringLiteral("sidePlot"));
    m_plot->setToolTip(
        tr("The wheel zooms, the arrow keys move, Home shows the whole. Steps that share a pixel show the "
           "largest count of them."));
    for (QCPGraph* const graph : {m_first, m_second}) {
        graph->setLineStyle(QCPGraph::lsStepLeft);
        graph->setAntialiased(false);
        graph->setSelectable(QCP::stNone);
    }
    m_plot->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignRight);
    m_plot->yAxis->setTicker(m_ticker);
    m_plot->setReadout([this](double x, double) { return readoutAt(x); });
    m_plot->setValues([this] { return valueTable(); });
    m_reason->setWordWrap(true);
    m_reason->setAlignment(Qt::AlignCenter);
    m_reason->setMargin(grid::wide);
    m_pages->addWidget(m_plot);
    m_pages->addWidget(m_reason);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(grid::half);
    column->addWidget(m_choice, 0, Qt::AlignLeft);
    column->addWidget(m_pages, 1);
    connect(m_choice, &QComboBox::currentIndexChanged, this, [this] {
        m_plot->resetView();
        showHistory();
    });
    connect(m_plot, &Plot::schemeChanged, this, &SidePlot::paintScheme);
    connect(m_plot->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this] {
        if (choice() != Speed && m_plot->isZoomed())
            showCounts();
    });
    paintScheme(schemeOf(palette()));
    showHistory();
}

SidePlot::Choice SidePlot::choice() const
{
    return static_cast<Choice>(m_choice->currentIndex());
}

void SidePlot::setChoice(Choice choice)
{
    m_choice->setCurrentIndex(choice);
}

void SidePlot::setPhase(ShownPhase phase)
{
    m_phase = phase;
    m_plot->resetView();
    showHistory();
}

double SidePlot::roundUp(double top) const
{
    return m_run.busy() ? stepUp(top * 1.02) : fineStepUp(top * 1.02);
}

StepRange SidePlot::steps() const
{
    return stepsOf(m_run.timings(), std::min(m_history.size(), m_run.timings().size()), m_phase);
}

QString SidePlot::reason() const
{
    const Quantity quantity = choice() == CacheMisses ? Quantity::CacheMisses : Quantity::BranchMisses;
    const LatencyStats& stats = m_history.stats();
    const bool misses = choice() == CacheMisses || choice() == BranchMisses;
    if (!misses || m_history.size() == 0 || stats.of(Phase::Decode, quantity).count() > 0
        || stats.of(Phase::Prefill, quantity).count() > 0)
        return {};
    const QString why = QString::fromStdString(m_run.counterNote());
    return why.isEmpty() ? tr("Not counted in this run.") : tr("Here %1.").arg(why);
}

void SidePlot::showHistory()
{
    m_ticker->setWhole(choice() != Speed);
    const QString why = reason();
    m_reason->setText(why);
    m_pages->setCurrentIndex(why.isEmpty() ? PlotPage : ReasonPage);
    if (choice() == Speed)
        showSpeed();
    else
        showCounts();
}

void SidePlot::showSpeed()
{
    m_plot->setAxisTitles(tr("Time of the run (s)"), tr("Speed (tok/s)"));
    m_first->setName(tr("decode"));
    m_second->setName(tr("prefill"));
    const SpeedLines lines = speedLines(m_history.speed(), m_phase);
    m_first->setData(lines.decode.keys, lines.decode.values, true);
    m_second->setData(lines.prefill.keys, lines.prefill.values, true);
    m_plot->legend->setVisible(!lines.decode.keys.isEmpty() && !lines.prefill.keys.isEmpty());
    const double seconds = m_phase == ShownPhase::Prefill ? lines.endS : m_history.speed().seconds();
    const double end = seconds > 0 ? seconds : leastSeconds;
    m_plot->setWhole({0, m_run.busy() ? stepUp(std::max(leastSeconds, end)) : end}, {0, roundUp(lines.top)});
    m_plot->redraw();
}

void SidePlot::fillCounts(QCPGraph* graph, Quantity quantity)
{
    const QCPRange shown = m_plot->xAxis->range();
    const MaxFold& values = m_history.counts(quantity);
    QVector<double> keys;
    QVector<double> counts;
    double end = gap;
    for (const StepFold& fold :
        foldSteps(m_run.timings(), values, steps(), shown.lower, shown.upper, m_plot->axisRect()->width() / 2)) {
        if (!std::isnan(end) && fold.from > end) {
            keys << end;
            counts << gap;
        }
        const auto value = double(values[fold.largest]);
        keys << fold.from;
        counts << (value < 0 ? gap : value);
        end = fold.to;
    }
    if (!std::isnan(end)) {
        keys << end;
        counts << counts.last();
    }
    graph->setData(keys, counts, true);
}

void SidePlot::showCounts()
{
    const bool faults = choice() == Faults;
    const Quantity first = faults ? Quantity::MinorFaults
        : choice() == CacheMisses ? Quantity::CacheMisses
                                  : Quantity::BranchMisses;
    m_plot->setAxisTitles(
        tr("Position"), faults ? tr("Page faults a step") : tr("%1 a step").arg(m_choice->currentText()));
    m_first->setName(tr("minor"));
    m_second->setName(tr("major"));
    m_plot->legend->setVisible(faults);
    const StepRange range = steps();
    if (range.empty()) {
        m_plot->setWhole({0, 20}, {0, 1});
    } else {
        const auto& events = m_run.timings();
        const double from = events[range.begin].position;
        const TimingEvent& last = events[range.end - 1];
        const double length = std::max(20., double(last.position) + double(last.tokens) - from);
        double top = double(m_history.counts(first)[m_history.counts(first).largest(range.begin, range.end)]);
        if (const MaxFold& major = m_history.counts(Quantity::MajorFaults); faults)
            top = std::max(top, double(major[major.largest(range.begin, range.end)]));
        m_plot->setWhole({from, from + (m_run.busy() ? stepUp(length) : length)}, {0, roundUp(top)});
    }
    fillCounts(m_first, first);
    if (faults)
        fillCounts(m_second, Quantity::MajorFaults);
    else
        m_second->data()->clear();
    m_plot->redraw();
}

void SidePlot::paintScheme(ColorScheme scheme)
{
    m_first->setPen(QPen(QColor::fromRgb(themeColors(scheme).accent), 1));
    m_second->setPen(QPen(QColor::fromRgb(themeColors(scheme).warningText), 1, Qt::DashLine));
    QColor ground = palette().color(QPalette::Base);
    ground.setAlphaF(0.8F);
    m_plot->legend->setBrush(ground);
    m_plot->redraw();
}

QString SidePlot::readoutAt(double x) const
{
    QStringList lines;
    const bool speed = choice() == Speed;
    const QString first = valueAt(m_first, x);
    const QString second = valueAt(m_second, x);
    if (speed && !(first.isEmpty() && second.isEmpty()))
        lines << tr("%1 s").arg(threeDigits(x)) << tr("%1 tok/s").arg(first.isEmpty() ? second : first);
    if (!speed && !first.isEmpty()) {
        lines << tr("Token %1").arg(int(std::floor(x)));
        lines << (choice() == Faults ? tr("%1 minor").arg(first) : tr("%1 misses").arg(first));
    }
    if (choice() == Faults && !second.isEmpty())
        lines << tr("%1 major").arg(second);
    return lines.join(u'\n');
}

ValueTable SidePlot::valueTable() const
{
    ValueTable table{{m_plot->xAxis->label(), m_plot->yAxis->label()}, {}};
    const bool two = !m_second->data()->isEmpty();
    if (two)
        table.headers = {m_plot->xAxis->label(), m_first->name(), m_second->name()};
    for (int i = 0; i < m_first->dataCount(); ++i) {
        std::vector<double> row{m_first->data()->at(i)->key, m_first->data()->at(i)->value};
        if (two)
            row.push_back(i < m_second->dataCount() ? m_second->data()->at(i)->value : gap);
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace colibri
