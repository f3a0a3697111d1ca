// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/modelfacts.h"

#include <QAbstractTableModel>

#include <vector>

namespace colibri {

/// The tensors of a model, a row each, sorted and filtered by a map of rows. Sorting, filtering and another model reset
/// it; views bring the selection back by tensorAt() and rowOf().
///
/// DisplayRole has units, EditRole exact numbers (unsigned 64 bits), ToolTipRole what the cell has no room for.
class TensorTable : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Name,
        Part,
        Type,
        Shape,
        File,
        Offset,
        Size,
        Alignment,
        ColumnCount,
        Missing = ColumnCount ///< there only when the model has tensors that are not there as a whole
    };
    using QAbstractTableModel::QAbstractTableModel;

    void setModel(ModelFactsPtr model); ///< null: no rows; keeps filter and order
    const ModelFactsPtr& model() const { return m_model; }
    void setFilter(const QString& text); ///< as TensorFilter understands it
    /// Stable: equal ones stand as the model lists them, whatever the order. Names sort by naturalLess, parts by kind,
    /// layer and expert, shapes by the number of elements. Column -1: as the model lists them.
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

    int total() const { return m_model ? static_cast<int>(m_model->tensors.size()) : 0; } ///< without the filter
    int tensorAt(int row) const { return static_cast<int>(m_rows[static_cast<std::size_t>(row)]); }
    int rowOf(int tensor) const; ///< -1: not shown

    QString offsetText(std::uint64_t offset) const; ///< as shown, decimal and hexadecimal

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void rebuild();
    void sortRows();
    QString shown(const TensorInfo& tensor, const TensorPart& part, int column) const;

    ModelFactsPtr m_model;
    QString m_filter;
    int m_column = -1;
    Qt::SortOrder m_order = Qt::AscendingOrder;
    int m_hexDigits = 1; ///< of the largest offset
    bool m_missing = false; ///< some tensor is not there as a whole
    std::vector<std::uint32_t> m_rows; ///< tensor of each row
};

} // namespace colibri
