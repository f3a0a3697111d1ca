// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/servedtokensmodel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace colibri {

ServedTokensModel::ServedTokensModel(std::function<QString(int)> text, QObject* parent)
    : QAbstractTableModel(parent)
    , m_text(std::move(text))
{
}

void ServedTokensModel::clear()
{
    beginResetModel();
    m_tokens.clear();
    m_seen = 0;
    endResetModel();
}

void ServedTokensModel::catchUp(const ExpertProfile& profile)
{
    const std::deque<ServedToken>& newest = profile.newest();
    const auto fresh = static_cast<int>(std::min<std::uint64_t>(profile.total() - m_seen, newest.size()));
    m_seen = profile.total();
    if (fresh == 0)
        return;
    const int surplus = std::min(rowCount(), rowCount() + fresh - static_cast<int>(ExpertProfile::keptTokens));
    if (surplus > 0) {
        beginRemoveRows({}, 0, surplus - 1);
        m_tokens.erase(m_tokens.begin(), m_tokens.begin() + surplus);
        endRemoveRows();
    }
    beginInsertRows({}, rowCount(), rowCount() + fresh - 1);
    m_tokens.insert(m_tokens.end(), newest.end() - fresh, newest.end());
    endInsertRows();
}

int ServedTokensModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_tokens.size());
}

int ServedTokensModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ServedTokensModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((index.column() == Text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::EditRole && role != SortRole)
        return {};
    const ServedToken& served = token(index.row());
    if (index.column() == Position)
        return served.position;
    if (index.column() == Text)
        return m_text(served.position);
    const auto number = static_cast<double>(index.column() == Weight ? served.weight : served.margin);
    if (role == SortRole)
        return std::isnan(number) ? -std::numeric_limits<double>::infinity() : number;
    if (std::isnan(number))
        return role == Qt::EditRole ? QVariant(QString()) : QVariant(QStringLiteral("\u2013"));
    const int decimals = index.column() == Weight ? 3 : 4;
    return role == Qt::EditRole ? QVariant(number) : QVariant(QString::number(number, 'f', decimals));
}

QVariant ServedTokensModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole) {
        const std::array<QString, ColumnCount> names{tr("Token"), tr("Text"), tr("Weight"), tr("Margin")};
        return names[static_cast<std::size_t>(section)];
    }
    if (role == Qt::ToolTipRole) {
        const std::array<QString, ColumnCount> meanings{tr("Position in the run"), tr("Text of the token"),
            tr("What multiplied the expert's output"),
            tr("Gap between the last chosen and the first rejected expert, in what the model selects by")};
        return meanings[static_cast<std::size_t>(section)];
    }
    return {};
}

} // namespace colibri
