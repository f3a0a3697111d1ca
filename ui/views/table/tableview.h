// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

namespace colibri {

/// A table with rows of one height, whole rows chosen, Ctrl+C to copy them, and all of it to copy or save as CSV from
/// the context menu. One that sorts does so by a click on a header, or by Ctrl+Shift+T for the column of the current
/// cell: rising, falling, then as the model has the rows.
class TableView : public QTableView {
    Q_OBJECT

public:
    /// `name` is the accessible name and the name that files get.
    explicit TableView(const QString& name, QWidget* parent = nullptr);

    void makeSortable(); ///< once; the model can sort, and takes column -1 for its own order

    QList<QAction*> tableActions() const { return m_actions; }
    /// The chosen rows as lines of text, cells apart by tabs, as they are shown. Without a choice: the current row.
    QString chosenText() const;

protected:
    void keyPressEvent(QKeyEvent* event) override; ///< the view's own copy takes one cell only
    bool viewportEvent(QEvent* event) override; ///< tool tips of cells show texts as they are

private:
    void sortByCurrent();
    QAction* add(const char* name, const QString& text, const QKeySequence& key);

    QList<QAction*> m_actions; ///< copy the rows, copy all, save all
};

} // namespace colibri
