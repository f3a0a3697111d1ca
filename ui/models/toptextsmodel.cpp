// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/toptextsmodel.h"

#include <array>

namespace colibri {

TopTextsModel::TopTextsModel(std::function<QString(int)> text, QObject* parent)
    : QAbstractTableModel(parent)
    , m_text(std::move(text))
{
}

void TopTextsModel::clear()
{
    m_total = 0;
    take({});
}

void TopTextsModel::catchUp(const ExpertProfile& profile)
{
    if (profile.total() == m_total)
        return;
    m_total = profile.total();
    take(profile.top(limit));
}

void TopTextsModel::take(std::vector<ServedText> rows)
{
    const int before = rowCount();
    const auto after = static_cast<int>(rows.size());
    if (after < before) {
        beginRemoveRows({}, after, before - 1);
        m_rows = std::move(rows);
        endRemoveRows();
    } else if (after > before) {
        beginInsertRows({}, before, after - 1);
        m_rows = std::move(rows);
        endInsertRows();
    } else {
        m_rows = std::move(rows);
    }
    if (after > 0)
        emit dataChanged(index(0, 0), index(after - 1, ColumnCount - 1));
}

int TopTextsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int TopTextsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant TopTextsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((index.column() == Text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::EditRole)
        return {};
    const ServedText& row = m_rows[static_cast<std::size_t>(index.row())];
    const double share = static_cast<double>(row.count) / static_cast<double>(m_total);
    switch (index.column()) {
    case Text:
        return m_text(row.position);
    case Id:
        return row.id;
    case Count:
        return row.count;
    default:
        return role == Qt::EditRole ? QVariant(share) : QVariant(tr("%1%").arg(100 * share, 0, 'f', 1));
    }
}

QVariant TopTextsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole) {
        const std::array<QString, ColumnCount> names{tr("Most often"), tr("Id"), tr("Count"), tr("Share")};
        return names[static_cast<std::size_t>(section)];
    }
    if (role == Qt::ToolTipRole) {
        const std::array<QString, ColumnCount> meanings{tr("Text of the token"), tr("Id in the vocabulary"),
            tr("How often the expert served it"), tr("Of all tokens that the expert served")};
        return meanings[static_cast<std::size_t>(section)];
    }
    return {};
}

} // namespace colibri
