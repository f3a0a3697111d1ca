// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/routingfigures.h"

#include <QAbstractTableModel>

#include <vector>

namespace colibri {

/// Figures of the load of each layer, a row a layer.
class LayerFiguresModel : public QAbstractTableModel {
    Q_OBJECT

public:
    /// Distance: how far the loads of the layer are from those compared with; NaN while nothing is compared.
    enum Column { Layer, Distance, Entropy, Gini, MaxOverMean, Dead, EntropyShare, Variation, ColumnCount };
    static constexpr int SortRole = Qt::UserRole;
    struct Row {
        LayerFigures figures;
        double distance;
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(std::vector<Row> rows); ///< a reset only when their number is another one

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    /// EditRole: the exact number, an empty text where there is none; SortRole: the number, below all others where
    /// there is none. What is shown is rounded.
    QVariant data(const QModelIndex& index, int role) const override;
    /// EditRole: the whole name, ToolTipRole: what the column says. What is shown is short.
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    double value(const Row& row, int layer, int column) const;

    std::vector<Row> m_rows;
};

} // namespace colibri
