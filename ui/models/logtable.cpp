// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/logtable.h"

#include <QCoreApplication>

#include <array>

namespace colibri {

QString levelText(LogLevel level)
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("LogLevel", "info"), QT_TRANSLATE_NOOP("LogLevel", "warning"),
        QT_TRANSLATE_NOOP("LogLevel", "error")};
    return QCoreApplication::translate("LogLevel", names[std::size_t(level)]);
}

LogTable::LogTable(const LogStore& store, QObject* parent)
    : QAbstractTableModel(parent)
    , m_store(store)
{
    connect(&store, &LogStore::appended, this, &LogTable::append);
    connect(&store, &LogStore::aboutToDropOldest, this, &LogTable::beginDrop);
    connect(&store, &LogStore::droppedOldest, this, &LogTable::endDrop);
    connect(&store, &LogStore::cleared, this, &LogTable::rebuild);
    rebuild();
}

void LogTable::setFilter(LogLevel from, const QString& text)
{
    m_from = from;
    m_text = text;
    rebuild();
}

bool LogTable::matches(const LogEntry& entry) const
{
    return entry.level >= m_from
        && (m_text.isEmpty() || entry.text.contains(m_text, Qt::CaseInsensitive)
            || entry.source.contains(m_text, Qt::CaseInsensitive));
}

void LogTable::append()
{
    if (!matches(m_store.entries().back()))
        return;
    const int row = rowCount();
    beginInsertRows({}, row, row);
    m_rows.push_back(m_dropped + m_store.entries().size() - 1);
    endInsertRows();
}

void LogTable::beginDrop()
{
    m_dropping = !m_rows.empty() && m_rows.front() == m_dropped;
    if (m_dropping)
        beginRemoveRows({}, 0, 0);
}

void LogTable::endDrop()
{
    ++m_dropped;
    if (!m_dropping)
        return;
    m_rows.pop_front();
    endRemoveRows();
}

void LogTable::rebuild()
{
    beginResetModel();
    m_rows.clear();
    m_dropped = 0;
    for (std::size_t at = 0; at < m_store.entries().size(); ++at) {
        if (matches(m_store.entries()[at]))
            m_rows.push_back(at);
    }
    endResetModel();
}

int LogTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int LogTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LogTable::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const LogEntry& entry = m_store.entries()[m_rows[std::size_t(index.row())] - m_dropped];
    if (role == levelRole)
        return int(entry.level);
    if (role == Qt::ToolTipRole && index.column() == TextColumn)
        return entry.text;
    if (role != Qt::DisplayRole)
        return {};
    const std::array<QString, ColumnCount> cells{
        entry.time.toString(QStringLiteral("HH:mm:ss.zzz")), levelText(entry.level), entry.source, entry.text};
    return cells[std::size_t(index.column())];
}

QVariant LogTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    const std::array<QString, ColumnCount> names{tr("Time"), tr("Level"), tr("Source"), tr("Text")};
    return names[std::size_t(section)];
}

} // namespace colibri
