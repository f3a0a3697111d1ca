// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

namespace colibri {

/// One cell of a small table.
struct Cell {
    QString text;
    QVariant exact{}; ///< for copies; invalid: the text
    QString toolTip{}; ///< empty: the text
    double share = -1; ///< 0 to 1: a bar of that length; below 0: none
    bool amount = false; ///< stands right among numbers, whatever `exact` is

    static Cell number(const QString& text, std::uint64_t exact, const QString& toolTip = {})
    {
        return {text, QVariant::fromValue<qulonglong>(exact), toolTip};
    }
};

using CellRows = std::vector<std::vector<Cell>>;

/// A small table of ready texts, set as a whole. In a table cells with a number as `exact` and amounts stand right;
/// properties are all of a kind and stand left.
class CellTable : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr int ShareRole = Qt::UserRole; ///< Cell::share as double; invalid: no bar

    enum class Form { Table, Properties };
    explicit CellTable(QStringList headers, Form form = Form::Table, QObject* parent = nullptr);

    void setRows(CellRows rows); ///< each as long as the headers

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList m_headers;
    Form m_form;
    CellRows m_rows;
};

} // namespace colibri
