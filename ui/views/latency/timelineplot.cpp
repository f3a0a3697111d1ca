// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/timelineplot.h"

#include "stores/steps.h"
#include "views/latency/latencytext.h"
#include "views/plot/countticker.h"
#include "views/plot/plotlegend.h"
#include "views/theme/theme.h"

#include <QKeyEvent>

#include <algorithm>
#include <cmath>

namespace colibri {
namespace {

constexpr int pixelsPerFold = 2;
constexpr double leastPositions = 20; ///< of the whole, so that the first bars are not as wide as the plot
constexpr double targetReach = 2; ///< how far above the bars the target still belongs to the whole

} // namespace

TimelinePlot::TimelinePlot(
    const RunStore& run, const LatencyHistory& history, SelectionStore& selection, QWidget* parent)
    : Plot(tr("Time of each token"), parent)
    , m_run(run)
    , m_history(history)
    , m_selection(selection)
    , m_band(new QCPItemRect(this))
    , m_target(makeLine(Qt::AlignRight, Qt::DashLine))
    , m_kept(makeLine(Qt::AlignLeft, Qt::DotLine))
{
    setObjectName(QStringLiteral("timeline"));
    setToolTip(tr("Left and Right walk the tokens, Ctrl+Left and Ctrl+Right move the view. The wheel zooms, with Shift "
                  "the time axis; Home shows the whole. A click selects a token."));
    setAxisTitles(tr("Position"), tr("Time a token (ms)"));
    auto positions = QSharedPointer<CountTicker>::create();
    positions->setMiddles(true);
    xAxis->setTicker(positions);
    makeLegend();
    m_band->setLayer(QStringLiteral("overlay"));
    m_band->topLeft->setTypeY(QCPItemPosition::ptAxisRectRatio);
    m_band->bottomRight->setTypeY(QCPItemPosition::ptAxisRectRatio);
    m_band->setVisible(false);
    setReadout([this](double x, double) {
        const StepFold* found = drawnAt(x);
        return found ? stepText(m_run.timings(), found->largest, found->steps, m_waiting, m_run.pauses()) : QString();
    });
    setValues([this] { return valueTable(); });
    connect(this, &QCustomPlot::beforeReplot, this, &TimelinePlot::fold);
    connect(this, &Plot::schemeChanged, this, &TimelinePlot::paintScheme);
    connect(this, &Plot::picked, this, [this](double x, double) {
        if (const StepFold* found = drawnAt(x))
            select(found->largest, x);
    });
    connect(&selection, &SelectionStore::changed, this, [this] { showSelection(true); });
    paintScheme(schemeOf(palette()));
}

void TimelinePlot::makeLegend()
{
    for (std::size_t stage = 0; stage < stageCount; ++stage) {
        m_stages[stage] = new StageBars(xAxis, yAxis, m_bars, Stage(stage));
        m_stages[stage]->setName(stageName(Stage(stage)));
    }
    placeLegendAbove(*this);
    setWaiting(false);
}

TimelinePlot::Line TimelinePlot::makeLine(Qt::Alignment side, Qt::PenStyle style)
{
    Line made{new QCPItemLine(this), new QCPItemText(this)};
    for (QCPItemPosition* const end : {made.line->start, made.line->end}) {
        end->setTypeX(QCPItemPosition::ptAxisRectRatio);
        end->setTypeY(QCPItemPosition::ptPlotCoords);
    }
    made.line->setPen(QPen(Qt::SolidPattern, 1, style));
    made.line->setLayer(QStringLiteral("overlay"));
    made.text->setLayer(QStringLiteral("overlay"));
    made.text->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    made.text->position->setTypeY(QCPItemPosition::ptPlotCoords);
    made.text->setPositionAlignment(side | Qt::AlignBottom);
    made.text->setPadding({grid::half, 0, grid::half, 0});
    made.text->position->setCoords(side == Qt::AlignRight ? 1 : 0, 0);
    showLine(made, std::nullopt, {});
    return made;
}

void TimelinePlot::showLine(const Line& line, std::optional<double> ms, const QString& text)
{
    line.line->setVisible(ms.has_value());
    line.text->setVisible(ms.has_value());
    if (!ms)
        return;
    line.line->start->setCoords(0, *ms);
    line.line->end->setCoords(1, *ms);
    line.text->position->setCoords(line.text->position->coords().x(), *ms);
    line.text->setText(text);
}

void TimelinePlot::paintScheme(ColorScheme scheme)
{
    const ThemeColors& colors = themeColors(scheme);
    for (std::size_t stage = 0; stage < stageCount; ++stage)
        m_stages[stage]->setBrush(stageBrush(Stage(stage), scheme));
    const auto paint = [this](const Line& line, QRgb rgb, Qt::PenStyle style) {
        const QColor color = QColor::fromRgb(rgb);
        line.line->setPen(QPen(color, 1, style));
        line.text->setColor(color);
        QColor ground = palette().color(QPalette::Base);
        ground.setAlphaF(0.8F); // readable over bars
        line.text->setBrush(ground);
        line.text->setFont(font());
    };
    paint(m_target, colors.warningText, Qt::DashLine);
    paint(m_kept, palette().color(QPalette::Text).rgb(), Qt::DotLine);
    QColor band = QColor::fromRgb(colors.accent);
    m_band->setPen(QPen(palette().color(QPalette::Text), 1)); // the accent is lost over bars
    band.setAlphaF(0.25F);
    m_band->setBrush(band);
    legend->setBorderPen(Qt::NoPen);
    redraw();
}

void TimelinePlot::setPhase(ShownPhase phase)
{
    m_phase = phase;
    resetView();
    showHistory();
}

void TimelinePlot::setWaiting(bool waiting)
{
    m_waiting = waiting;
    StageBars* const bars = m_stages[std::size_t(Stage::Waiting)];
    bars->setVisible(waiting);
    if (waiting)
        bars->addToLegend();
    else
        bars->removeFromLegend();
    showHistory();
}

void TimelinePlot::setTarget(std::optional<double> ms)
{
    m_targetMs = ms;
    showLine(m_target, ms, ms ? tr("target %1").arg(milliseconds(*ms)) : QString());
    showHistory();
}

void TimelinePlot::setKeptMedian(std::optional<double> ms)
{
    if (ms == m_keptMs)
        return;
    m_keptMs = ms;
    showLine(m_kept, ms, ms ? tr("kept run P50 %1").arg(milliseconds(*ms)) : QString());
    showHistory();
}

const MaxFold& TimelinePlot::values() const
{
    return m_waiting ? m_history.stepsWithWaiting() : m_history.steps();
}

void TimelinePlot::fitRanges()
{
    const std::vector<TimingEvent>& events = m_run.timings();
    const StepRange steps = stepsOf(events, m_history.size(), m_phase);
    setEmptyText(steps.empty() ? noStepText(m_phase) : QString());
    if (steps.empty()) {
        setWhole({0, leastPositions}, {0, 1});
        return;
    }
    const TimingEvent& last = events[steps.end - 1];
    const double from = events[steps.begin].position;
    const double length = std::max(leastPositions, double(last.position) + double(last.tokens) - from);
    const double top = double(values()[values().largest(steps.begin, steps.end)]);
    double reach = top;
    for (const auto& line : {m_targetMs, m_keptMs}) {
        if (line && *line <= targetReach * top)
            reach = std::max(reach, *line);
    }
    const bool grows = m_run.busy();
    setWhole(
        {from, from + (grows ? stepUp(length) : length)}, {0, grows ? stepUp(reach * 1.02) : fineStepUp(reach * 1.02)});
}

void TimelinePlot::showHistory()
{
    fitRanges();
    showSelection(false);
    redraw();
}

void TimelinePlot::fold()
{
    const std::vector<TimingEvent>& events = m_run.timings();
    const std::size_t size = std::min(events.size(), m_history.size());
    const QCPRange shown = xAxis->range();
    m_folds = foldSteps(events, values(), stepsOf(events, size, m_phase), shown.lower, shown.upper,
        axisRect()->width() / pixelsPerFold);
    m_bars.resize(m_folds.size());
    for (std::size_t i = 0; i < m_folds.size(); ++i) {
        const auto stages = tokenStagesMs(events, m_folds[i].largest, m_run.pauses());
        m_bars[i].from = m_folds[i].from;
        m_bars[i].to = m_folds[i].to;
        double edge = 0;
        for (std::size_t stage = 0; stage < stageCount; ++stage) {
            const bool hidden = Stage(stage) == Stage::Waiting && !m_waiting;
            edge += hidden ? 0 : stages[stage];
            m_bars[i].edges[stage + 1] = static_cast<float>(edge);
        }
    }
}

const StepFold* TimelinePlot::drawnAt(double position) const
{
    const StepFold* found = foldAt(m_folds, position);
    return found && found->largest < m_history.size() ? found : nullptr;
}

void TimelinePlot::select(std::size_t event, double at)
{
    const TimingEvent& step = m_run.timings()[event];
    const auto last = static_cast<double>(step.position + std::max(1u, step.tokens) - 1);
    Selection selection = m_selection.selection();
    selection.token = static_cast<int>(std::clamp(std::floor(at), double(step.position), last));
    selection.rank = selection.expert = selection.tensor = -1;
    m_selection.select(selection);
}

void TimelinePlot::walk(int direction)
{
    const std::vector<TimingEvent>& events = m_run.timings();
    const StepRange steps = stepsOf(events, m_history.size(), m_phase);
    if (steps.empty())
        return;
    const auto first = static_cast<int>(events[steps.begin].position);
    const TimingEvent& end = events[steps.end - 1];
    const auto last = static_cast<int>(end.position + std::max(1u, end.tokens) - 1);
    const int token = m_selection.selection().token;
    const int start = direction > 0 ? first : last;
    Selection selection = m_selection.selection();
    selection.token = token < 0 ? start : std::clamp(token + direction, first, last);
    selection.rank = selection.expert = selection.tensor = -1;
    m_selection.select(selection);
}

void TimelinePlot::keyPressEvent(QKeyEvent* event)
{
    const bool walks = !(event->modifiers() & Qt::ControlModifier);
    if (walks && event->key() == Qt::Key_Left)
        return walk(-1);
    if (walks && event->key() == Qt::Key_Right)
        return walk(1);
    Plot::keyPressEvent(event);
}

void TimelinePlot::showSelection(bool bringIntoView)
{
    const int token = m_selection.selection().token;
    m_band->setVisible(token >= 0 && token < m_run.tokens());
    m_band->topLeft->setCoords(token, 0);
    m_band->bottomRight->setCoords(token + 1, 1);
    const QCPRange shown = xAxis->range();
    if (bringIntoView && isZoomed() && token >= 0 && (token < shown.lower || token + 1 > shown.upper)) {
        const double half = shown.size() / 2;
        xAxis->setRange(token + 0.5 - half, token + 0.5 + half);
    }
    redraw();
}

ValueTable TimelinePlot::valueTable() const
{
    ValueTable table;
    table.headers << tr("Position") << tr("Tokens") << tr("Steps");
    const std::size_t stages = m_waiting ? stageCount : std::size_t(Stage::Waiting);
    for (std::size_t stage = 0; stage < stages; ++stage)
        table.headers << tr("%1 (ms)").arg(stageName(Stage(stage)));
    for (std::size_t i = 0; i < m_folds.size() && m_folds[i].largest < m_history.size(); ++i) {
        const TimingEvent& event = m_run.timings()[m_folds[i].largest];
        std::vector<double> row{double(event.position), double(event.tokens), double(m_folds[i].steps)};
        for (std::size_t stage = 0; stage < stages; ++stage)
            row.push_back(double(m_bars[i].edges[stage + 1]) - double(m_bars[i].edges[stage]));
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace colibri
