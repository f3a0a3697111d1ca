// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/routing/legendrow.h"

#include <qcustomplot.h>

namespace colibri {

void showLegendRow(QCustomPlot& plot, bool shown)
{
    if (plot.legend->visible() == shown)
        return;
    plot.legend->setVisible(shown);
    QCPLayoutGrid& grid = *plot.plotLayout();
    if (!shown) {
        plot.axisRect()->insetLayout()->addElement(
            plot.legend, Qt::AlignRight | Qt::AlignTop); // takes it out of the grid
        grid.simplify();
        return;
    }
    grid.insertRow(0);
    grid.addElement(0, 0, plot.legend);
    grid.setRowStretchFactor(0, 0.001); // no higher than it has to be
    grid.setRowSpacing(0);
    plot.legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
    plot.legend->setBorderPen(Qt::NoPen);
    plot.legend->setMargins({0, 0, 0, 0});
}

} // namespace colibri
