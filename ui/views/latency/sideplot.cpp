// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/sideplot.h"

#include "stores/steps.h"
#include "views/latency/latencytext.h"
#include "views/plot/plotlegend.h"
#include "views/theme/theme.h"

#include <QComboBox>
#include <QLabel>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

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

SidePlot::SidePlot(const RunStore& run, const LatencyHistory& history, const LatencyHistory& kept, QWidget* parent)
    : QWidget(parent)
    , m_run(run)
    , m_history(history)
    , m_kept(kept)
    , m_choice(new QComboBox(this))
    , m_pages(new QStackedWidget(this))
    , m_reason(new QLabel(m_pages))
    , m_plot(new Plot(tr("Speed and counts"), m_pages))
{
    m_choice->addItems({tr("Speed"), tr("Page faults"), tr("Cache misses"), tr("Branch misses")});
    m_choice->setAccessibleName(tr("What is plotted below"));
    m_choice->setToolTip(
        tr("Tokens a second of the clock, waits included but no pauses, or what the system counted in each step"));
    m_plot->setObjectName(QStringLiteral("sidePlot"));
    m_plot->setToolTip(
        tr("The wheel zooms, the arrow keys move, Home shows the whole. Steps that share a pixel show the "
           "largest count of them."));
    for (QCPGraph*& graph : m_graphs) {
        graph = m_plot->addGraph();
        graph->setLineStyle(QCPGraph::lsStepLeft);
        graph->setAntialiased(false);
        graph->setSelectable(QCP::stNone);
    }
    placeLegendAbove(*m_plot);
    m_plot->xAxis->setTicker(m_keyTicker);
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
    m_keyTicker->setWhole(choice() != Speed);
    m_keyTicker->setMiddles(choice() != Speed);
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
    m_plot->setAxisTitles(tr("Time (s)"), tr("Speed (tok/s)"));
    const SpeedLines lines = speedLines(m_history.speed(), m_phase);
    const SpeedLines kept = speedLines(m_kept.speed(), m_phase);
    const std::array<const SpeedLine*, graphCount> shown{&lines.decode, &lines.prefill, &kept.decode, &kept.prefill};
    QStringList names{tr("decode"), tr("prefill"), tr("kept run: decode"), tr("kept run: prefill")};
    for (std::size_t i = 0; i < graphCount; ++i) {
        m_graphs[i]->setData(shown[i]->keys, shown[i]->values, true);
        if (shown[i]->keys.isEmpty())
            names[qsizetype(i)].clear();
    }
    nameGraphs(names);
    const bool noStep = steps().empty();
    const bool noSpeed = lines.decode.keys.isEmpty() && lines.prefill.keys.isEmpty();
    m_plot->setEmptyText(noStep ? noStepText(m_phase)
            : noSpeed           ? tr("A speed is known when the next token begins.")
                                : QString());
    const bool prefill = m_phase == ShownPhase::Prefill;
    const double end = std::max(prefill ? lines.endS : m_history.speed().seconds(), kept.endS);
    const double whole = m_run.busy() ? stepUp(std::max(leastSeconds, end)) : end > 0 ? end : leastSeconds;
    m_plot->setWhole({0, whole}, {0, roundUp(std::max(lines.top, kept.top))});
    m_plot->redraw();
}

void SidePlot::nameGraphs(const QStringList& names)
{
    for (std::size_t i = 0; i < graphCount; ++i) {
        const QString name = names.value(qsizetype(i));
        m_graphs[i]->setName(name);
        if (name.isEmpty())
            m_graphs[i]->removeFromLegend();
        else if (!m_plot->legend->hasItemWithPlottable(m_graphs[i]))
            m_graphs[i]->addToLegend();
    }
}

void SidePlot::fillCounts(Graph graph, Quantity quantity)
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
    m_graphs[graph]->setData(keys, counts, true);
}

void SidePlot::showCounts()
{
    const bool faults = choice() == Faults;
    const Quantity first = faults ? Quantity::MinorFaults
        : choice() == CacheMisses ? Quantity::CacheMisses
                                  : Quantity::BranchMisses;
    m_plot->setAxisTitles(
        tr("Position"), faults ? tr("Page faults a step") : tr("%1 a step").arg(m_choice->currentText()));
    nameGraphs(faults ? QStringList{tr("minor"), tr("major")} : QStringList{tr("misses")});
    const StepRange range = steps();
    m_plot->setEmptyText(range.empty() ? noStepText(m_phase) : QString());
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
    for (QCPGraph* const graph : m_graphs)
        graph->data()->clear();
    fillCounts(First, first);
    if (faults)
        fillCounts(Second, Quantity::MajorFaults);
    m_plot->redraw();
}

void SidePlot::paintScheme(ColorScheme scheme)
{
    const ThemeColors& colors = themeColors(scheme);
    const std::array<std::pair<QColor, Qt::PenStyle>, graphCount> pens{
        {{QColor::fromRgb(colors.accent), Qt::SolidLine}, {QColor::fromRgb(colors.warningText), Qt::DashLine},
            {palette().color(QPalette::Text), Qt::DotLine}, {QColor::fromRgb(colors.mutedText), Qt::DashDotLine}}};
    for (std::size_t i = 0; i < graphCount; ++i)
        m_graphs[i]->setPen(QPen(pens[i].first, 1, pens[i].second));
    m_plot->legend->setBorderPen(Qt::NoPen);
    m_plot->redraw();
}

QString SidePlot::speedAt(double x) const
{
    QStringList lines;
    const QString names[]{
        tr("%1 tok/s"), tr("%1 tok/s, prefill"), tr("kept run: %1 tok/s"), tr("kept run: %1 tok/s, prefill")};
    for (std::size_t i = 0; i < graphCount; ++i) {
        if (const QString value = valueAt(m_graphs[i], x); !value.isEmpty())
            lines << names[i].arg(value);
    }
    return lines.isEmpty() ? QString() : tr("%1 s").arg(threeDigits(x)) + u'\n' + lines.join(u'\n');
}

QString SidePlot::readoutAt(double x) const
{
    if (choice() == Speed)
        return speedAt(x);
    QStringList lines;
    const QString first = valueAt(m_graphs[First], x);
    const QString second = valueAt(m_graphs[Second], x);
    if (!first.isEmpty()) {
        lines << tr("Token %1").arg(int(std::floor(x)));
        lines << (choice() == Faults ? tr("%1 minor").arg(first) : tr("%1 misses").arg(first));
    }
    if (choice() == Faults && !second.isEmpty())
        lines << tr("%1 major").arg(second);
    return lines.join(u'\n');
}

ValueTable SidePlot::valueTable() const
{
    std::vector<const QCPGraph*> graphs;
    for (const QCPGraph* const graph : m_graphs) {
        if (!graph->data()->isEmpty())
            graphs.push_back(graph);
    }
    ValueTable table{{m_plot->xTitle()}, {}};
    std::map<double, std::vector<double>> rows;
    for (std::size_t column = 0; column < graphs.size(); ++column) {
        table.headers << (graphs.size() == 1 ? m_plot->yTitle() : graphs[column]->name());
        for (const QCPGraphData& point : *graphs[column]->data()) {
            std::vector<double>& row = rows.try_emplace(point.key, graphs.size(), gap).first->second;
            row[column] = point.value;
        }
    }
    for (auto& [key, values] : rows) {
        table.rows.push_back({key});
        table.rows.back().insert(table.rows.back().end(), values.begin(), values.end());
    }
    return table;
}

} // namespace colibri
