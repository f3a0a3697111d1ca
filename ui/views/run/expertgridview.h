// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/runstore.h"
#include "stores/selectionstore.h"
#include "views/cells/currentitem.h"
#include "views/cells/gridgeometry.h"
#include "views/run/decisioncolor.h"
#include "views/run/gridcells.h"

#include <QAbstractScrollArea>

#include <optional>

namespace colibri {

/// Token x layer grid of the chosen experts. Paints visible cells only.
///
/// Keys: arrows, Home, End (with Ctrl also first and last layer), Page Up, Page Down by tokens, + and - and Ctrl+0
/// zoom. Wheel scrolls, Ctrl+wheel zooms around the pointer. A double click on a layer's name asks for its colours in
/// the text.
class ExpertGridView : public QAbstractScrollArea, public CurrentItem {
    Q_OBJECT

public:
    /// Both stores outlive the view.
    ExpertGridView(const RunStore& run, SelectionStore& selection, QWidget* parent = nullptr);

    void setColoring(const Coloring& coloring); ///< its layer is the one whose name is marked
    /// The run to compare with: tokens where it has another one have a line below their name. It outlives the view.
    void compareWith(const RunStore& other);
    int zoom() const { return m_zoom; }
    void setZoom(int level); ///< stays until the user or this changes it again
    const GridGeometry& geometry() const { return m_geometry; }
    bool followsEnd() const;
    int wholeHeight() const; ///< at which all layers are seen

    QAccessible::Role itemsRole() const override { return QAccessible::Table; }
    QString currentText() const override;

signals:
    void layerActivated(int layer);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    struct Inks;
    void restart();
    void grow();
    void measure(); ///< headers, digits and the zoom that shows all ids
    void updateScrollRanges();
    void zoomAround(int level, int x);
    void choose(int token, int layer);
    void followSelection();
    void walk(const QKeyEvent& event);
    bool hasCells() const;
    QString summary(int token, int layer) const; ///< for a tool tip
    bool differs(int token) const; ///< the other run has another one there
    CellRequest request() const; ///< visible cells
    void paintCells(QPainter& painter, const Inks& inks) const;
    void paintLines(QPainter& painter, const Inks& inks) const;
    void paintIds(QPainter& painter) const;
    void paintMarks(QPainter& painter, const Inks& inks) const;
    void paintSelection(QPainter& painter, const Inks& inks) const;
    void paintTokenHeader(QPainter& painter, const Inks& inks) const;
    void paintLayerHeader(QPainter& painter, const Inks& inks) const;

    const RunStore& m_run;
    const RunStore* m_other = nullptr; ///< null: none
    SelectionStore& m_selection;
    Coloring m_coloring;
    GridGeometry m_geometry;
    DigitMetrics m_digits;
    int m_zoom = 0;
    bool m_zoomChosen = false; ///< the user chose the zoom; else it follows the model
};

} // namespace colibri
