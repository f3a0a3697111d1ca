// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QTableView;

namespace colibri {

/// Sets a table in figures of one width and makes its columns as wide as their headers and `samples` (one for each
/// column) ask for, so that they stay while numbers change. The view has its model.
void setNumberColumns(QTableView& view, const QStringList& samples);

} // namespace colibri
