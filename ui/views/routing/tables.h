// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

class QTableView;

namespace colibri {

/// Makes a table of numbers of a view that has its model: rows of one height, whole rows chosen, columns as wide as
/// their headers and `samples` (one for each column) ask for, Ctrl+C for the chosen rows, and a context menu that
/// copies and saves all of it as CSV. `title` is the accessible name and the name that files get.
void setUpTable(QTableView& view, const QString& title, const QStringList& samples);

} // namespace colibri
