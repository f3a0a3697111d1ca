// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/plotlegend.h"

#include "views/theme/theme.h"

#include <qcustomplot.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace colibri {
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

} // namespace colibri
