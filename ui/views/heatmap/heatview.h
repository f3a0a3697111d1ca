// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/cells/currentitem.h"
#include "views/heatmap/heatgeometry.h"
#include "views/heatmap/heatmatrix.h"

#include <QAbstractScrollArea>

#include <functional>

namespace colibri {

class Readout;

/// The cells of a heat map with their titles. Paints visible cells only.
///
/// Keys: arrows, Home, End (with Ctrl also the first and last row), Page Up and Page Down walk, + and - zoom, Ctrl+0
/// shows the whole. Ctrl+wheel zooms around the pointer, and the wheel alone does while everything is shown; else it
/// scrolls.
class HeatView : public QAbstractScrollArea, public CurrentItem {
    Q_OBJECT

public:
    explicit HeatView(QWidget* parent = nullptr);

    void setValues(HeatMatrix matrix, const HeatScale& scale); ///< the current cell stays when it still exists
    const HeatMatrix& matrix() const { return m_matrix; }
    const HeatScale& scale() const { return m_scale; }
    /// A cell in words; without it: axes, titles and the number.
    void setDescription(std::function<QString(int row, int column)> description);
    /// How a number is written; without it: four significant digits.
    void setNumberText(std::function<QString(double)> text);
    QString numberText(double value) const;
    QString describe(int row, int column) const;
    void setSquare(bool square); ///< cells are as wide as they are high, for rows and columns of one kind
    void setEmptyText(const QString& text); ///< shown while there are no cells

    /// -1: none. A row alone marks the row. Emits nothing but currentChanged().
    void setCurrent(int row, int column);
    int currentRow() const { return m_row; }
    int currentColumn() const { return m_column; }

    const HeatGeometry& geometry() const { return m_geometry; }
    void setZoom(double zoom); ///< 1: everything
    void setActions(const QList<QAction*>& actions) { m_actions = actions; } ///< of the context menu

    QAccessible::Role itemsRole() const override { return QAccessible::Table; }
    QString currentText() const override;

signals:
    void chosen(int row, int column); ///< by the user; a column of -1: the title of the row
    void currentChanged(); ///< another cell, or it reads otherwise

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    struct Inks;
    void measure();
    void updateScrollRanges();
    void zoomAround(double zoom, QPoint at);
    void walk(const QKeyEvent& event);
    void choose(int row, int column);
    void showReadout(QPoint at);
    void paintCells(QPainter& painter, const Inks& inks) const;
    void paintNumbers(QPainter& painter, const Inks& inks) const;
    void paintMarks(QPainter& painter, const Inks& inks) const;
    void paintCurrent(QPainter& painter, const Inks& inks) const;
    void paintTitles(QPainter& painter, const Inks& inks) const;
    void paintColumnTitles(QPainter& painter, const Inks& inks) const;
    void paintRowTitles(QPainter& painter, const Inks& inks) const;

    HeatMatrix m_matrix;
    HeatScale m_scale;
    HeatGeometry m_geometry;
    std::function<QString(int, int)> m_description;
    std::function<QString(double)> m_numberText;
    QString m_emptyText;
    int m_row = -1;
    int m_column = -1;
    Readout* m_readout;
    QList<QAction*> m_actions;
};

} // namespace colibri
