// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/tasktable.h"

#include "stores/units.h"

#include <QCoreApplication>

#include <array>
#include <cmath>

namespace colibri {
namespace {

QString amountText(double amount, const QString& unit)
{
    return unit == QLatin1String("B") ? bytesText(static_cast<std::uint64_t>(amount))
                                      : QStringLiteral("%1 %2").arg(amount, 0, 'f', 0).arg(unit);
}

QString rateText(const Task& task)
{
    if (task.rate() <= 0)
        return {};
    return task.unit == QLatin1String("B")
        ? TaskTable::tr("%1/s").arg(bytesText(static_cast<std::uint64_t>(task.rate())))
        : TaskTable::tr("%1 %2/s").arg(task.rate(), 0, 'f', 1).arg(task.unit);
}

QString progressText(const Task& task)
{
    if (task.total <= 0)
        return amountText(task.done, task.unit);
    return TaskTable::tr("%1 of %2").arg(amountText(task.done, task.unit), amountText(task.total, task.unit));
}

QString cellText(const Task& task, int column)
{
    switch (column) {
    case TaskTable::TitleColumn:
        return task.title;
    case TaskTable::StateColumn:
        return stateText(task.state);
    case TaskTable::ProgressColumn:
        return progressText(task);
    case TaskTable::RateColumn:
        return rateText(task);
    case TaskTable::TimeColumn:
        return durationText(task.seconds);
    case TaskTable::LeftColumn:
        return durationText(task.secondsLeft());
    default:
        return task.note;
    }
}

} // namespace

QString stateText(Task::State state)
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("TaskState", "running"),
        QT_TRANSLATE_NOOP("TaskState", "paused"), QT_TRANSLATE_NOOP("TaskState", "done"),
        QT_TRANSLATE_NOOP("TaskState", "cancelled"), QT_TRANSLATE_NOOP("TaskState", "failed")};
    return QCoreApplication::translate("TaskState", names[std::size_t(state)]);
}

TaskTable::TaskTable(const TaskStore& store, QObject* parent)
    : QAbstractTableModel(parent)
    , m_store(store)
{
    connect(&store, &TaskStore::aboutToAppend, this, [this] { beginInsertRows({}, 0, 0); });
    connect(&store, &TaskStore::appended, this, [this] { endInsertRows(); });
    connect(&store, &TaskStore::aboutToRemove, this, [this](int at) { beginRemoveRows({}, rowOf(at), rowOf(at)); });
    connect(&store, &TaskStore::removed, this, [this] { endRemoveRows(); });
    connect(&store, &TaskStore::changed, this,
        [this](int at) { emit dataChanged(index(rowOf(at), 0), index(rowOf(at), ColumnCount - 1)); });
}

int TaskTable::rowOf(int at) const
{
    return static_cast<int>(m_store.tasks().size()) - 1 - at;
}

const Task& TaskTable::task(int row) const
{
    return m_store.tasks()[m_store.tasks().size() - 1 - static_cast<std::size_t>(row)];
}

int TaskTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_store.tasks().size());
}

int TaskTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant TaskTable::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Task& shown = task(index.row());
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
        return cellText(shown, index.column());
    if (role == shareRole && index.column() == ProgressColumn)
        return shown.total > 0 ? std::min(1., shown.done / shown.total) : -1.;
    if (role == Qt::TextAlignmentRole && index.column() >= RateColumn && index.column() <= LeftColumn)
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant TaskTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    const std::array<QString, ColumnCount> names{
        tr("Task"), tr("State"), tr("Progress"), tr("Rate"), tr("Time"), tr("Left"), tr("Note")};
    return names[std::size_t(section)];
}

} // namespace colibri
