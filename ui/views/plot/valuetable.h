// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

class QWidget;

namespace colibri {

/// The values that a plot shows, as numbers. A NaN is an empty cell.
struct ValueTable {
    QStringList headers; ///< with units
    std::vector<std::vector<double>> rows; ///< each as long as headers
};

/// A ValueTable as an item model; immutable.
class ValueTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    explicit ValueTableModel(ValueTable table, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override; ///< EditRole: the double itself
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    ValueTable m_table;
};

/// Shows the values in a window of their own, from which they can be copied and saved. It deletes itself when closed.
void showValueTable(const ValueTable& table, const QString& title, QWidget* parent);

} // namespace colibri
