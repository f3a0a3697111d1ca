// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/tensortable.h"
#include "stores/selectionstore.h"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace colibri {

class FittedTable;

/// The table of tensors with its filter. The current row is the tensor that the window has selected; selected rows stay
/// selected when the table is sorted or filtered, as long as they are shown.
///
/// Ctrl+F goes to the filter, Return in it to the table, Escape clears it; Ctrl+Shift+T sorts by the current column.
class TensorPanel : public QWidget {
    Q_OBJECT

public:
    /// The store outlives the widget.
    explicit TensorPanel(SelectionStore& selection, QWidget* parent = nullptr);

    void setModel(const ModelFactsPtr& model); ///< null: none
    TensorTable& tensors() { return m_tensors; }
    FittedTable& table() const { return *m_table; }
    QLineEdit& filter() const { return *m_filter; }
    /// Tensors of the selected rows, from the top.
    std::vector<int> selected() const;

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeBar();
    void makeTable();
    void restoreSelected();
    void showCount();
    void choose(const QModelIndex& current);
    void followSelection();

    SelectionStore& m_selection;
    TensorTable m_tensors;
    std::vector<int> m_kept; ///< tensors that were selected before the table was reset
    bool m_following = false;
    int m_column = 0; ///< of the current cell, which stays when rows move
    FittedTable* m_table;
    QLineEdit* m_filter;
    QLabel* m_count;
};

} // namespace colibri
