// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/heatmap/heatlegend.h"
#include "views/heatmap/heatview.h"

#include <QWidget>

namespace colibri {

/// A heat map: cells with titles, a legend, and its picture and its values to copy, save and see as a table (context
/// menu of the cells).
class HeatMap : public QWidget {
    Q_OBJECT

public:
    /// `title` is the accessible name and the name that files get.
    explicit HeatMap(const QString& title, QWidget* parent = nullptr);

    HeatView& view() { return *m_view; }
    HeatLegend& legend() { return *m_legend; }
    void setValues(HeatMatrix matrix, const HeatScale& scale) { m_view->setValues(std::move(matrix), scale); }
    void setCurrent(int row, int column) { m_view->setCurrent(row, column); }

    /// For a menu elsewhere; the context menu has the same.
    QList<QAction*> heatActions() const { return m_actions; }
    QPixmap picture(); ///< cells as they are seen, titles and legend, at twice the scale

signals:
    void chosen(int row, int column); ///< by the user; a column of -1: the title of the row

private:
    void makeActions();

    QString m_title;
    HeatView* m_view;
    HeatLegend* m_legend;
    QList<QAction*> m_actions;
};

} // namespace colibri
