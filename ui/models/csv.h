// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

class QAbstractItemModel;

namespace colibri {

/// One line of comma-separated values as RFC 4180 has them, but with a line feed at the end: a field with a comma, a
/// quote or a line break stands in quotes, and quotes inside of it are doubled.
QString csvLine(const QStringList& fields);

/// A whole table: its horizontal headers, then its rows, in UTF-8. Each gives Qt::EditRole where it has one (numbers
/// without units and grouping, names that are not shortened), else what is shown.
QByteArray csv(const QAbstractItemModel& table);

} // namespace colibri
