// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/stagebars.h"

#include "views/theme/theme.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace colibri {
namespace {

constexpr double gapFrom = 6; ///< pixels of a bar from which on there is a gap of one to the next

} // namespace

namespace {

/// How many columns of a legend fit in this width.
int columnsThatFit(const QCPLegend& legend, const std::vector<int>& widths, int width)
{
    for (std::size_t columns = widths.size(); columns > 1; --columns) {
        std::vector<int> widest(columns, 0);
        for (std::size_t i = 0; i < widths.size(); ++i)
            widest[i % columns] = std::max(widest[i % columns], widths[i]);
        const int gaps = static_cast<int>(columns - 1) * legend.columnSpacing();
        if (std::accumulate(widest.begin(), widest.end(), gaps) <= width)
            return static_cast<int>(columns);
    }
    return 1;
}

void fitLegend(QCustomPlot& plot)
{
    QCPLegend& legend = *plot.legend;
    std::vector<int> widths;
    for (int i = 0; i < legend.elementCount(); ++i) {
        if (const QCPLayoutElement* const entry = legend.elementAt(i)) // the last row may have room left
            widths.push_back(entry->minimumOuterSizeHint().width());
    }
    const int columns = columnsThatFit(legend, widths, plot.width() - 2 * grid::unit);
    if (widths.empty() || columns == legend.columnCount())
        return;
    legend.setWrap(columns);
    legend.setFillOrder(QCPLayoutGrid::foColumnsFirst, true);
}

} // namespace

void placeLegendAbove(QCustomPlot& plot)
{
    auto* const row = new QCPLayoutGrid;
    plot.plotLayout()->insertRow(0);
    plot.plotLayout()->addElement(0, 0, row);
    row->addElement(0, 0, plot.legend);
    row->addElement(0, 1, new QCPLayoutElement(&plot)); // takes the room that the legend leaves
    row->setColumnStretchFactor(0, 0.001);
    row->setMargins({0, grid::half, 0, 0});
    plot.plotLayout()->setRowStretchFactor(0, 0.001);
    plot.legend->setFillOrder(QCPLegend::foColumnsFirst);
    plot.legend->setMargins({grid::half, 0, grid::half, 0});
    plot.legend->setColumnSpacing(grid::wide);
    plot.legend->setIconSize(20, 12);
    plot.legend->setVisible(true);
    QObject::connect(&plot, &QCustomPlot::beforeReplot, &plot, [&plot] { fitLegend(plot); });
}

StageBars::StageBars(QCPAxis* keys, QCPAxis* values, const std::vector<StageBar>& bars, Stage stage)
    : QCPAbstractPlottable(keys, values)
    , m_bars(bars)
    , m_stage(std::size_t(stage))
{
    setAntialiased(false);
    setAntialiasedFill(false);
    setSelectable(QCP::stNone);
    setPen(Qt::NoPen);
}

double StageBars::selectTest(const QPointF&, bool, QVariant*) const
{
    return -1; // the plot finds the bar of a click by its position
}

QCPRange StageBars::getKeyRange(bool& found, QCP::SignDomain) const
{
    found = !m_bars.empty();
    return found ? QCPRange(m_bars.front().from, m_bars.back().to) : QCPRange();
}

QCPRange StageBars::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const
{
    found = !m_bars.empty();
    float top = 0;
    for (const StageBar& bar : m_bars)
        top = std::max(top, bar.edges.back());
    return {0, top};
}

void StageBars::draw(QCPPainter* painter)
{
    applyFillAntialiasingHint(painter);
    for (const StageBar& bar : m_bars) {
        if (bar.edges[m_stage + 1] <= bar.edges[m_stage])
            continue;
        const double left = std::round(mKeyAxis->coordToPixel(bar.from));
        double right = std::max(left + 1, std::round(mKeyAxis->coordToPixel(bar.to)));
        right -= right - left >= gapFrom ? 1 : 0;
        const double top = std::round(mValueAxis->coordToPixel(double(bar.edges[m_stage + 1])));
        const double bottom = std::round(mValueAxis->coordToPixel(double(bar.edges[m_stage])));
        painter->fillRect(QRectF(left, top, right - left, bottom - top), brush());
    }
}

void StageBars::drawLegendIcon(QCPPainter* painter, const QRectF& rect) const
{
    painter->fillRect(rect.adjusted(4, 2, -4, -2), brush());
}

} // namespace colibri
