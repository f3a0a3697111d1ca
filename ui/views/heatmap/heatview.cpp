// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/heatmap/heatview.h"

#include "views/plot/readout.h"
#include "views/theme/theme.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <cmath>

namespace colibri {
namespace {

constexpr double zoomStep = 1.25;

} // namespace

HeatView::HeatView(QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_readout(new Readout(viewport()))
{
    setFont(monospaceFont());
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    setMinimumSize(20 * grid::unit, 12 * grid::unit);
    setAccessibleDescription(tr("Arrow keys walk through the cells, plus and minus zoom."));
    measure();
}

void HeatView::setValues(HeatMatrix matrix, const HeatScale& scale)
{
    const bool sameTitles = matrix.rows == m_matrix.rows && matrix.columns == m_matrix.columns
        && matrix.rowAxis == m_matrix.rowAxis && matrix.columnAxis == m_matrix.columnAxis
        && matrix.rowTitles == m_matrix.rowTitles && matrix.columnTitles == m_matrix.columnTitles;
    m_matrix = std::move(matrix);
    m_scale = scale;
    if (!sameTitles) {
        m_geometry.rows = m_matrix.rows;
        m_geometry.columns = m_matrix.columns;
        m_geometry.zoom = 1;
        if (m_row >= m_matrix.rows || m_column >= m_matrix.columns)
            m_row = m_column = -1;
        measure();
    }
    m_readout->setVisible(m_readout->isVisible() && !m_matrix.isEmpty());
    viewport()->update();
    emit currentChanged();
}

void HeatView::setDescription(std::function<QString(int, int)> description)
{
    m_description = std::move(description);
}

void HeatView::setNumberText(std::function<QString(double)> text)
{
    m_numberText = std::move(text);
    viewport()->update();
}

void HeatView::setEmptyText(const QString& text)
{
    m_emptyText = text;
    viewport()->update();
}

QString HeatView::numberText(double value) const
{
    if (std::isnan(value))
        return QStringLiteral("\u2013");
    return m_numberText ? m_numberText(value) : QString::number(value, 'g', 4);
}

QString HeatView::describe(int row, int column) const
{
    if (row < 0 || column < 0 || row >= m_matrix.rows || column >= m_matrix.columns)
        return {};
    if (m_description)
        return m_description(row, column);
    return tr("%1 %2, %3 %4: %5")
        .arg(m_matrix.rowAxis, m_matrix.rowTitle(row), m_matrix.columnAxis, m_matrix.columnTitle(column),
            numberText(m_matrix.at(row, column)));
}

QString HeatView::currentText() const
{
    return describe(m_row, m_column);
}

void HeatView::setCurrent(int row, int column)
{
    row = row < m_matrix.rows ? row : -1;
    column = column < m_matrix.columns ? column : -1;
    if (row == m_row && column == m_column)
        return;
    m_row = row;
    m_column = column;
    const QPoint scroll = m_geometry.scrollShowing(row, column);
    horizontalScrollBar()->setValue(scroll.x());
    verticalScrollBar()->setValue(scroll.y());
    viewport()->update();
    announceCurrentItem(*this, *this);
    emit currentChanged();
}

void HeatView::choose(int row, int column)
{
    setCurrent(row, column);
    emit chosen(row, column);
}

void HeatView::measure()
{
    const QFontMetrics metrics(font());
    int widest = metrics.horizontalAdvance(m_matrix.rowAxis);
    for (int row = 0; row < m_matrix.rows; ++row)
        widest = std::max(widest, metrics.horizontalAdvance(m_matrix.rowTitle(row)));
    m_geometry.header = {widest + grid::wide, 2 * metrics.height() + grid::half};
    m_readout->setFont(font());
    updateScrollRanges();
}

void HeatView::setSquare(bool square)
{
    m_geometry.square = square;
    updateScrollRanges();
}

void HeatView::updateScrollRanges()
{
    m_geometry.viewport = viewport()->size();
    const QSize range = m_geometry.scrollRange();
    const QSize page = m_geometry.cellArea().size();
    const QSize cell = m_geometry.smallestCell();
    const std::tuple<QScrollBar*, int, int, int> both[]{
        {horizontalScrollBar(), range.width(), page.width(), cell.width()},
        {verticalScrollBar(), range.height(), page.height(), cell.height()}};
    for (const auto& [bar, most, length, step] : both) {
        bar->setSingleStep(std::max(1, step));
        bar->setPageStep(length);
        bar->setRange(0, most);
    }
    m_geometry.scroll = {horizontalScrollBar()->value(), verticalScrollBar()->value()};
    viewport()->update();
}

void HeatView::setZoom(double zoom)
{
    zoomAround(zoom, m_geometry.cellArea().center());
}

void HeatView::zoomAround(double zoom, QPoint at)
{
    const QPointF within = at - m_geometry.cellArea().topLeft();
    const QSize before = m_geometry.content();
    if (before.isEmpty())
        return;
    const QPointF share(
        (within.x() + m_geometry.scroll.x()) / before.width(), (within.y() + m_geometry.scroll.y()) / before.height());
    m_geometry.zoom = std::clamp(zoom, 1., m_geometry.largestZoom());
    updateScrollRanges();
    const QSize after = m_geometry.content();
    horizontalScrollBar()->setValue(static_cast<int>(std::lround(share.x() * after.width() - within.x())));
    verticalScrollBar()->setValue(static_cast<int>(std::lround(share.y() * after.height() - within.y())));
    updateScrollRanges(); // a scroll bar that appeared has taken room
}

void HeatView::scrollContentsBy(int, int)
{
    m_geometry.scroll = {horizontalScrollBar()->value(), verticalScrollBar()->value()};
    viewport()->update();
}

void HeatView::resizeEvent(QResizeEvent*)
{
    updateScrollRanges();
}

void HeatView::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        measure();
}

void HeatView::keyPressEvent(QKeyEvent* event)
{
    const bool control = event->modifiers().testFlag(Qt::ControlModifier);
    if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal)
        setZoom(m_geometry.zoom * zoomStep);
    else if (event->key() == Qt::Key_Minus)
        setZoom(m_geometry.zoom / zoomStep);
    else if (control && event->key() == Qt::Key_0)
        setZoom(1);
    else if (!m_matrix.isEmpty() && event->key() >= Qt::Key_Home && event->key() <= Qt::Key_PageDown)
        walk(*event);
    else
        event->ignore();
}

void HeatView::walk(const QKeyEvent& event)
{
    const int lastRow = m_matrix.rows - 1;
    const int lastColumn = m_matrix.columns - 1;
    if (m_row < 0 || m_column < 0) { // the first key finds the first cell
        choose(std::max(0, m_row), std::max(0, m_column));
        return;
    }
    struct Step {
        int key, rows, columns;
    };
    const bool control = event.modifiers().testFlag(Qt::ControlModifier);
    const int page = std::max(1, m_geometry.visibleRows().size() - 1);
    const int corner = control ? lastRow : 0;
    const std::array<Step, 8> steps{{{Qt::Key_Left, 0, -1}, {Qt::Key_Right, 0, 1}, {Qt::Key_Up, -1, 0},
        {Qt::Key_Down, 1, 0}, {Qt::Key_PageUp, -page, 0}, {Qt::Key_PageDown, page, 0},
        {Qt::Key_Home, -corner, -lastColumn}, {Qt::Key_End, corner, lastColumn}}};
    for (const Step& step : steps) {
        if (step.key == event.key())
            choose(std::clamp(m_row + step.rows, 0, lastRow), std::clamp(m_column + step.columns, 0, lastColumn));
    }
}

void HeatView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const QPoint at = event->position().toPoint();
    const int row = m_geometry.rowAt(at.y());
    const int column = m_geometry.columnAt(at.x());
    if (row >= 0 && (column >= 0 || at.x() < m_geometry.header.width()))
        choose(row, column);
}

void HeatView::mouseMoveEvent(QMouseEvent* event)
{
    showReadout(event->position().toPoint());
}

void HeatView::showReadout(QPoint at)
{
    const int row = m_geometry.rowAt(at.y());
    const int column = m_geometry.columnAt(at.x());
    m_readout->showAround(describe(row, column), m_geometry.cellRect(row, column), m_geometry.cellArea());
}

void HeatView::wheelEvent(QWheelEvent* event)
{
    const QPoint delta = event->angleDelta();
    const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
    if (event->modifiers().testFlag(Qt::ControlModifier) || (m_geometry.zoom == 1 && !shift))
        zoomAround(m_geometry.zoom * std::pow(zoomStep, delta.y() / 120.), event->position().toPoint());
    else {
        QScrollBar& bar = shift ? *horizontalScrollBar() : *verticalScrollBar();
        bar.setValue(bar.value() - delta.y());
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - delta.x());
    }
    showReadout(event->position().toPoint());
    event->accept();
}

void HeatView::contextMenuEvent(QContextMenuEvent* event)
{
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addActions(m_actions);
    menu->popup(event->globalPos());
}

bool HeatView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave)
        m_readout->hide();
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace colibri
