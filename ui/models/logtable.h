// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/logstore.h"

#include <QAbstractTableModel>

#include <deque>

namespace colibri {

/// The lines of the log from a level on that contain a text, oldest first.
class LogTable : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { TimeColumn, LevelColumn, SourceColumn, TextColumn, ColumnCount };
    static constexpr int levelRole = Qt::UserRole; ///< LogLevel as int, in every column

    /// The store lives longer than the model.
    explicit LogTable(const LogStore& store, QObject* parent = nullptr);

    /// `text` is looked for in source and text, in either case.
    void setFilter(LogLevel from, const QString& text);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    bool matches(const LogEntry& entry) const;
    void append();
    void beginDrop();
    void endDrop();
    void rebuild();

    const LogStore& m_store;
    LogLevel m_from = LogLevel::Info;
    QString m_text;
    std::deque<std::size_t> m_rows; ///< numbers of entries, counted since the store was made or cleared
    std::size_t m_dropped = 0; ///< how many of those are gone
    bool m_dropping = false; ///< a row of this table is being removed
};

QString levelText(LogLevel level);

} // namespace colibri
