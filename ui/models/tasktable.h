// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/taskstore.h"

#include <QAbstractTableModel>

namespace colibri {

/// The tasks as a table, newest first.
class TaskTable : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        TitleColumn,
        StateColumn,
        ProgressColumn,
        RateColumn,
        TimeColumn,
        LeftColumn,
        NoteColumn,
        ColumnCount
    };
    /// Of ProgressColumn: the share from 0 to 1 that is done, or -1 when the total is not known.
    static constexpr int shareRole = Qt::UserRole;

    /// The store lives longer than the model.
    explicit TaskTable(const TaskStore& store, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    const Task& task(int row) const;

private:
    int rowOf(int at) const; ///< from a place in the store

    const TaskStore& m_store;
};

QString stateText(Task::State state);

} // namespace colibri
