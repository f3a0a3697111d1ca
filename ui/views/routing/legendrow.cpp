// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/routing/legendrow.h"

#include "views/theme/theme.h"

#include <qcustomplot.h>

namespace colibri {

void showLegendRow(QCustomPlot& plot, bool shown)
{
    if (plot.legend->visible() == shown)
        return;
    plot.legend->setVisible(shown);
    QCPLayoutGrid& rows = *plot.plotLayout();
    if (!shown) {
        plot.axisRect()->insetLayout()->addElement(
            plot.legend, Qt::AlignRight | Qt::AlignTop); // takes it out of the grid
        rows.simplify();
        return;
    }
    rows.insertRow(0);
    rows.addElement(0, 0, plot.legend);
    rows.setRowStretchFactor(0, 0.001); // no higher than it has to be
    rows.setRowSpacing(0);
    plot.legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
    plot.legend->setBorderPen(Qt::NoPen);
    plot.legend->setMargins({grid::half, 0, grid::half, 0});
    plot.legend->setIconSize(20, 12);
}

} // namespace colibri
