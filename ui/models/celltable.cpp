// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/celltable.h"

namespace colibri {
namespace {

bool isNumber(const QVariant& value)
{
    return value.typeId() == QMetaType::ULongLong || value.typeId() == QMetaType::Double;
}

} // namespace

CellTable::CellTable(QStringList headers, Form form, QObject* parent)
    : QAbstractTableModel(parent)
    , m_headers(std::move(headers))
    , m_form(form)
{
}

void CellTable::setRows(CellRows rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int CellTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int CellTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_headers.size());
}

QVariant CellTable::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Cell& cell = m_rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
        return cell.text;
    case Qt::EditRole:
        return cell.exact.isValid() ? cell.exact : cell.text;
    case Qt::ToolTipRole:
        return cell.toolTip.isEmpty() ? cell.text : cell.toolTip;
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            (m_form == Form::Table && (cell.amount || isNumber(cell.exact)) ? Qt::AlignRight : Qt::AlignLeft)
            | Qt::AlignVCenter);
    case ShareRole:
        return cell.share < 0 ? QVariant() : QVariant(cell.share);
    default:
        return {};
    }
}

QVariant CellTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical)
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    if (section < 0 || section >= m_headers.size())
        return {};
    if (role == Qt::DisplayRole)
        return m_headers[section];
    if (role == Qt::TextAlignmentRole && !m_rows.empty())
        return data(index(0, section), role);
    return {};
}

} // namespace colibri
