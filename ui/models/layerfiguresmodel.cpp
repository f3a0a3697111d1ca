// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/layerfiguresmodel.h"

#include <array>
#include <cmath>

namespace colibri {
namespace {

constexpr std::array<int, LayerFiguresModel::ColumnCount> decimals{0, 3, 3, 3, 2, 0, 3, 3};

} // namespace

void LayerFiguresModel::setRows(std::vector<Row> rows)
{
    if (rows.size() != m_rows.size()) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
        return;
    }
    m_rows = std::move(rows);
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int LayerFiguresModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int LayerFiguresModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

double LayerFiguresModel::value(const Row& row, int layer, int column) const
{
    const LayerFigures& figures = row.figures;
    const std::array<double, ColumnCount> values{static_cast<double>(layer), row.distance, figures.entropyBits,
        figures.gini, figures.maxOverMean, figures.dead, figures.entropyShare, figures.variation};
    return values[static_cast<std::size_t>(column)];
}

QVariant LayerFiguresModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::EditRole && role != SortRole)
        return {};
    const double number = value(m_rows[static_cast<std::size_t>(index.row())], index.row(), index.column());
    if (role == SortRole)
        return std::isnan(number) ? -1. : number;
    if (std::isnan(number))
        return role == Qt::EditRole ? QVariant(QString()) : QVariant(QStringLiteral("\u2013"));
    return role == Qt::EditRole
        ? QVariant(number)
        : QVariant(QString::number(number, 'f', decimals[static_cast<std::size_t>(index.column())]));
}

QVariant LayerFiguresModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole) {
        const std::array<QString, ColumnCount> names{
            tr("Layer"), tr("Dist."), tr("Entropy"), tr("Gini"), tr("Max/mean"), tr("Dead"), tr("Even"), tr("Var.")};
        return names[static_cast<std::size_t>(section)];
    }
    if (role == Qt::EditRole) {
        const std::array<QString, ColumnCount> names{tr("Layer"), tr("Distance"), tr("Entropy (bit)"), tr("Gini"),
            tr("Max/mean"), tr("Dead"), tr("Evenness"), tr("Variation")};
        return names[static_cast<std::size_t>(section)];
    }
    if (role == Qt::ToolTipRole) {
        const std::array<QString, ColumnCount> meanings{tr("Layer"),
            tr("Distance: total variation of the loads compared, 0 the same, 1 no expert in common"),
            tr("Entropy of the load in bits: log2 of the number of experts when even"),
            tr("Gini coefficient of the load: 0 even, near 1 when few experts have all"),
            tr("Max over mean: load of the busiest expert over the mean load"),
            tr("Dead: experts that served no token"),
            tr("Evenness: entropy over its largest value, 1 even, 0 one expert has all"),
            tr("Variation: standard deviation of the load over its mean")};
        return meanings[static_cast<std::size_t>(section)];
    }
    return {};
}

} // namespace colibri
