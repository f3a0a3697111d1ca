// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

namespace colibri {

/// A table of rows to read, walk, copy and save. Ctrl+C copies the selected rows as CSV, with headers; the context menu
/// (and tableActions() for buttons) also copies and saves all rows. Cells with CellTable::ShareRole have a bar.
class CopyTable : public QTableView {
    Q_OBJECT

public:
    /// `title` is the accessible name and the name that files get.
    explicit CopyTable(const QString& title, QWidget* parent = nullptr);

    void setStretchColumn(int column) { m_stretch = column; } ///< that takes the room that is left
    void setShowsAllRows(); ///< as high as its rows need, with a stretch column that is cut when room is short
    /// To headers and the first rows: for whoever has put in other rows. Then at least as wide as `texts`, by column.
    void fitColumns(const QStringList& texts = {});

    QList<QAction*> tableActions() const { return actions().mid(1, 2); } ///< copy all rows, save them

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void copyRows() const;
    void measure();
    void stretch();
    int wholeHeight() const;

    QString m_title;
    int m_stretch = -1;
    int m_stretchNeeds = 0; ///< width
    bool m_allRows = false;
};

} // namespace colibri
