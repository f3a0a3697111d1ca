// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/routing/numbertable.h"

#include "views/theme/theme.h"

#include <QHeaderView>
#include <QTableView>

#include <algorithm>

namespace colibri {

void setNumberColumns(QTableView& view, const QStringList& samples)
{
    view.setFont(monospaceFont());
    view.setMinimumSize(18 * grid::unit, 10 * grid::unit);
    view.verticalHeader()->setDefaultSectionSize(view.fontMetrics().height() + grid::half);
    view.horizontalHeader()->setDefaultAlignment(Qt::AlignCenter);
    for (int column = 0; column < samples.size(); ++column) {
        const QString header = view.model()->headerData(column, Qt::Horizontal).toString();
        const int mark = view.isSortingEnabled() ? grid::unit : 0;
        const int wide = std::max(view.horizontalHeader()->fontMetrics().horizontalAdvance(header) + mark,
            view.fontMetrics().horizontalAdvance(samples[column]));
        view.setColumnWidth(column, wide + grid::unit);
    }
}

} // namespace colibri
