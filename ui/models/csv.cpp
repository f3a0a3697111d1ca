// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/csv.h"

#include <QAbstractItemModel>

namespace colibri {
namespace {

QString field(const QVariant& value)
{
    if (value.metaType().id() == QMetaType::Double)
        return QString::number(value.toDouble(), 'g', 17);
    return value.toString();
}

} // namespace

QString csvLine(const QStringList& fields)
{
    QStringList quoted;
    for (QString text : fields) {
        if (text.contains(u',') || text.contains(u'"') || text.contains(u'\n') || text.contains(u'\r'))
            text = u'"' + text.replace(u'"', QLatin1String("\"\"")) + u'"';
        quoted << text;
    }
    return quoted.join(u',') + u'\n';
}

QByteArray csv(const QAbstractItemModel& table)
{
    QByteArray out;
    QStringList fields;
    for (int column = 0; column < table.columnCount(); ++column) {
        const QVariant whole = table.headerData(column, Qt::Horizontal, Qt::EditRole);
        fields << (whole.isValid() ? whole : table.headerData(column, Qt::Horizontal)).toString();
    }
    out += csvLine(fields).toUtf8();
    for (int row = 0; row < table.rowCount(); ++row) {
        fields.clear();
        for (int column = 0; column < table.columnCount(); ++column) {
            const QModelIndex index = table.index(row, column);
            const QVariant exact = index.data(Qt::EditRole);
            fields << field(exact.isValid() ? exact : index.data());
        }
        out += csvLine(fields).toUtf8();
    }
    return out;
}

} // namespace colibri
