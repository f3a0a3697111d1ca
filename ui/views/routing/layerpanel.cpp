// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/routing/layerpanel.h"

#include "views/heatmap/heatmap.h"
#include "views/routing/loadplot.h"
#include "views/routing/marginplot.h"
#include "views/theme/theme.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>

#include <algorithm>
#include <cmath>

namespace colibri {
namespace {

QLabel* makeCaption(const QString& text, QWidget* parent)
{
    auto* const caption = new QLabel(text, parent);
    caption->setContentsMargins(grid::unit, grid::half, grid::unit, grid::half);
    return caption;
}

} // namespace

LayerPanel::LayerPanel(QWidget* parent)
    : QWidget(parent)
    , m_layer(new QSpinBox(this))
    , m_loads(new LoadPlot(this))
    , m_together(new HeatMap(tr("Experts chosen together"), this))
    , m_margins(new MarginPlot(this))
    , m_logarithmic(new QCheckBox(tr("Log counts"), this))
    , m_summary(new QLabel(this))
    , m_parts(new QSplitter(Qt::Vertical, this))
{
    auto* const pairs = new QWidget(this);
    auto* const pairColumn = new QVBoxLayout(pairs);
    pairColumn->setContentsMargins(0, 0, 0, 0);
    pairColumn->setSpacing(0);
    pairColumn->addWidget(makeCaption(tr("Chosen together"), pairs));
    pairColumn->addWidget(m_together, 1);
    m_together->view().setSquare(true);
    m_together->view().setEmptyText(tr("The model has one expert in each layer: none are chosen together."));
    for (QWidget* const part : std::initializer_list<QWidget*>{m_loads, pairs, makeMargins()})
        m_parts->addWidget(part);
    m_parts->setChildrenCollapsible(false);
    m_parts->setSizes({17 * grid::unit, 36 * grid::unit, 20 * grid::unit}); // most for the squares
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    column->addWidget(m_parts, 1);
    connect(m_loads, &LoadPlot::expertChosen, this, &LayerPanel::expertChosen);
    connect(m_together, &HeatMap::chosen, this,
        [this](int one, int other) { emit expertChosen(other >= 0 ? other : one); });
    connect(m_layer, &QSpinBox::valueChanged, this, &LayerPanel::layerChosen);
    connect(m_logarithmic, &QCheckBox::toggled, m_margins, &MarginPlot::setLogarithmic);
}

QWidget* LayerPanel::makeHeader()
{
    auto* const header = new QWidget(this);
    auto* const row = new QHBoxLayout(header);
    row->setContentsMargins(grid::unit, grid::half, grid::unit, grid::half);
    auto* const caption = new QLabel(tr("&Layer"), header);
    caption->setBuddy(m_layer);
    m_layer->setToolTip(tr("The layer that is shown here"));
    m_layer->setAccessibleName(m_layer->toolTip());
    m_layer->setKeyboardTracking(false);
    row->addWidget(caption);
    row->addWidget(m_layer);
    row->addStretch();
    return header;
}

QWidget* LayerPanel::makeMargins()
{
    auto* const part = new QWidget(this);
    auto* const column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* const row = new QHBoxLayout;
    row->setContentsMargins(0, 0, grid::unit, 0);
    row->addWidget(makeCaption(tr("Margins"), part));
    row->addStretch();
    row->addWidget(m_logarithmic);
    m_logarithmic->setToolTip(tr("Count on a logarithmic axis, so that rare margins are seen"));
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setWordWrap(true);
    m_summary->setContentsMargins(grid::unit, 0, grid::unit, grid::half);
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_summary->setMinimumHeight(2 * fontMetrics().height() + grid::half); // for both lengths of its text
    m_summary->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addLayout(row);
    column->addWidget(m_margins, 1);
    column->addWidget(m_summary);
    return part;
}

void LayerPanel::setMarginUnit(const QString& unit)
{
    m_margins->setUnit(unit);
}

void LayerPanel::forgetRanges()
{
    m_loadTop = m_togetherTop = 0;
    m_margins->forgetRange();
}

void LayerPanel::setView(const View& view)
{
    if (view.layer != m_shownLayer)
        forgetRanges();
    m_shownLayer = view.layer;
    const QSignalBlocker quiet(m_layer);
    m_layer->setRange(0, std::max(0, view.counts.layers() - 1));
    m_layer->setValue(view.layer);
    showLoads(view);
    showTogether(view);
    showMargins(view);
}

void LayerPanel::showLoads(const View& view)
{
    const bool percent = view.other || view.measure == RoutingMeasure::Weight;
    const auto values = [&](const RoutingSum& counts) {
        std::vector<double> all =
            percent ? measuredShares(counts, view.layer, view.measure) : measured(counts, view.layer, view.measure);
        for (double& value : all)
            value *= percent ? 100 : 1;
        return all;
    };
    LoadPlot::Data shown;
    shown.values = values(view.counts);
    if (view.other)
        shown.other = values(*view.other);
    const std::vector<double> loads = view.counts.loads(view.layer);
    const bool any = std::any_of(loads.begin(), loads.end(), [](double load) { return load > 0; });
    for (const double load : loads)
        shown.dead.push_back(any && load == 0);
    const QString unit = measureUnit(view.measure, percent);
    shown.whole = !percent;
    shown.axis = percent ? tr("% %1").arg(unit) : unit;
    shown.name = view.name;
    shown.otherName = view.otherName;
    shown.expert = view.expert;
    double largest = 0;
    for (const std::vector<double>* const all : {&shown.values, &shown.other}) {
        for (const double value : *all)
            largest = std::max(largest, std::isnan(value) ? 0. : value);
    }
    m_loadTop = steadyTop(m_loadTop, largest, view.grows);
    const double top = m_loadTop;
    shown.text = [percent, top](
                     double value) { return percent ? percentText(value / 100, top / 100, false) : countText(value); };
    m_loads->setLoads(std::move(shown), top);
}

void LayerPanel::showTogether(const View& view)
{
    const bool compared = view.other.has_value();
    HeatMatrix map;
    if (view.counts.experts() > 1)
        map = compared ? togetherDifferenceMap(view.counts, *view.other, view.layer)
                       : togetherMap(view.counts, view.layer);
    const double least = compared ? leastDifferenceTop(view.counts.experts()) : 0;
    m_togetherTop = steadyTop(m_togetherTop, std::max(least, largestMagnitude(map)), view.grows);
    const double top = m_togetherTop;
    const auto number = [compared, top](
                            double value) { return compared ? percentText(value, top, true) : countText(value); };
    HeatView& cells = m_together->view();
    cells.setNumberText(number);
    cells.setDescription([&cells](int row, int column) {
        if (row == column)
            return tr("expert %1 with itself").arg(row);
        return tr("experts %1 and %2: %3 %4")
            .arg(row)
            .arg(column)
            .arg(cells.numberText(cells.matrix().at(row, column)),
                cells.scale().kind == HeatScale::Kind::Diverging ? tr("of tokens") : tr("tokens"));
    });
    m_together->legend().setUnit(compared ? tr("of tokens") : tr("tokens"));
    m_together->setValues(std::move(map), {compared ? HeatScale::Kind::Diverging : HeatScale::Kind::Amount, top});
}

void LayerPanel::showMargins(const View& view)
{
    const MarginCounts margins = view.counts.margins(view.layer);
    std::optional<MarginCounts> other;
    if (view.other)
        other = view.other->margins(view.layer);
    m_margins->setMargins(margins, other, view.name, view.otherName, view.grows);
    m_summary->setText(marginSummary(margins));
}

} // namespace colibri
