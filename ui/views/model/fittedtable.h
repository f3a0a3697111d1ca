// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/table/tableview.h"

namespace colibri {

/// A table in figures of one width, whose columns fit their contents and one of which takes the room that is left.
/// Cells with CellTable::ShareRole have a bar.
class FittedTable : public TableView {
    Q_OBJECT

public:
    explicit FittedTable(const QString& name, QWidget* parent = nullptr);

    /// That takes the room that is left. `least`: how narrow it may become; 0: as its contents need.
    void setStretchColumn(int column, int least = 0)
    {
        m_stretch = column;
        m_stretchLeast = least;
    }
    /// That is narrower than its contents need, down to `least`, before bars appear.
    void setYieldingColumn(int column, int least)
    {
        m_yielding = column;
        m_yieldingLeast = least;
    }
    void setShowsAllRows(); ///< as high as its rows need, with a stretch column that is cut when room is short
    /// To headers and the first rows: for whoever has put in other rows. Then at least as wide as `texts`, by column.
    void fitColumns(const QStringList& texts = {});
    QList<QAction*> wholeActions() const { return tableActions().mid(1); } ///< copy and save all of it, for buttons

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void measure();
    void stretch();
    int wholeHeight() const;

    int m_stretch = -1;
    int m_stretchLeast = 0;
    int m_stretchNeeds = 0; ///< width
    int m_yielding = -1;
    int m_yieldingLeast = 0;
    int m_yieldingNeeds = 0; ///< width
    bool m_allRows = false;
};

} // namespace colibri
