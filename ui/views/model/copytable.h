// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

namespace colibri {

/// A table of rows to read, walk, copy and save. Ctrl+C copies the selected rows as CSV, with headers; the context menu
/// (and copyActions() for buttons) also copies and saves all rows. Cells with CellTable::ShareRole have a bar.
class CopyTable : public QTableView {
    Q_OBJECT

public:
    /// `title` is the accessible name and the name that files get.
    explicit CopyTable(const QString& title, QWidget* parent = nullptr);

    /// This column takes the room that is left; the others are as wide as their first rows need.
    void setStretchColumn(int column) { m_stretch = column; }
    void setShowsAllRows(); ///< as high as its rows need: for small tables
    void fitColumns(); ///< to headers and the first rows; for whoever has put in other rows

    QList<QAction*> copyActions() const { return actions(); } ///< rows, all, save

protected:
    void changeEvent(QEvent* event) override;

private:
    void copyRows() const;
    void measure();

    QString m_title;
    int m_stretch = -1;
    bool m_allRows = false;
};

} // namespace colibri
