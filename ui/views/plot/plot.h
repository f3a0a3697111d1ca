// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/plot/valuetable.h"
#include "views/theme/colourmaps.h"

#include <qcustomplot.h>

#include <functional>
#include <optional>

class QLabel;

namespace colibri {

class Readout;

/// A QCustomPlot with what every plot here has: the colours and fonts of its palette, titles of axes with units, a
/// readout under the cursor, zoom by wheel, drag and keys with a way back, its picture and its values to copy and save,
/// and its values as a table.
///
/// Keys: + and - zoom, the arrows move, Home and Ctrl+0 go back to the whole; the menu key opens the context menu.
/// Wheel zooms around the pointer (Shift: the other axis), dragging moves, a double click goes back to the whole.
class Plot : public QCustomPlot {
    Q_OBJECT

public:
    /// `title` is the accessible name and the name that files get.
    explicit Plot(const QString& title, QWidget* parent = nullptr);

    /// "Time (ms)": where there is less room, the words before the unit end in an ellipsis.
    void setAxisTitles(const QString& x, const QString& y);
    const QString& xTitle() const { return m_xTitle; }
    const QString& yTitle() const { return m_yTitle; }
    /// Text for a place in the coordinates of the axes; an empty one hides the readout.
    void setReadout(std::function<QString(double x, double y)> readout) { m_readout = std::move(readout); }
    /// Asked for when the values are copied, saved or shown.
    void setValues(std::function<ValueTable()> values) { m_values = std::move(values); }
    /// The axes that the user can zoom and move; both at first.
    void setZoomable(Qt::Orientations axes);

    /// The ranges of the whole. They are shown until the user zooms or moves, and again after resetView().
    void setWhole(const QCPRange& x, const QCPRange& y);
    bool isZoomed() const { return m_zoomed; }
    void resetView();
    /// Why there is nothing to draw: shown, and said by the accessible description, instead of axes and legend. An
    /// empty text shows these again.
    void setEmptyText(const QString& text);
    /// Draws soon, once for any number of calls.
    void redraw() { replot(QCustomPlot::rpQueuedReplot); }

    /// For a menu elsewhere; the context menu has the same.
    QList<QAction*> plotActions() const { return m_actions; }

signals:
    /// The palette has changed (or is first known): graphs have to be coloured.
    void schemeChanged(colibri::ColorScheme scheme);
    void picked(double x, double y); ///< a click that was no drag

protected:
    void paintEvent(QPaintEvent* event) override; ///< with a ring when it has the focus
    bool event(QEvent* event) override; ///< the tool tip, where no readout is
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    /// The axes have another size or font, and nothing has been drawn in it yet. Sets how many ticks have room for
    /// their labels, and titles that have room.
    virtual void fitAxes();
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void makeActions();
    void applyPalette();
    void placeEmptyText();
    void fitTitles();
    void zoom(Qt::Orientations axes, double factor, QPointF around);
    void move(double shareX, double shareY); ///< by shares of what is shown
    void showReadout(QPointF at);

    QString m_title;
    QString m_xTitle;
    QString m_yTitle;
    std::function<QString(double, double)> m_readout;
    std::function<ValueTable()> m_values;
    Qt::Orientations m_zoomable = Qt::Horizontal | Qt::Vertical;
    QCPRange m_wholeX{0, 1};
    QCPRange m_wholeY{0, 1};
    bool m_zoomed = false;
    std::optional<QPointF> m_pressed; ///< where the left button went down
    std::optional<QPointF> m_dragged; ///< the newest place of a drag; empty: no drag yet
    QPointF m_at; ///< that the readout is about
    Readout* m_label;
    QLabel* m_empty;
    QList<QAction*> m_actions;
};

} // namespace colibri
