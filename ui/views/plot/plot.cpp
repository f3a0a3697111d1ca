// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/plot.h"

#include "models/csv.h"
#include "views/plot/plotexport.h"
#include "views/plot/readout.h"
#include "views/saving/savefile.h"
#include "views/theme/flatstyle.h"
#include "views/theme/theme.h"
#include "views/theme/tips.h"

#include <QAccessibleWidget>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>

namespace colibri {
namespace {

constexpr double zoomStep = 0.8;
constexpr double moveStep = 0.1;

/// The title of an axis in this many pixels; its unit stays.
QString titleIn(int room, const QString& title, const QFontMetrics& metrics)
{
    if (metrics.horizontalAdvance(title) <= room)
        return title;
    const auto end = title.lastIndexOf(QLatin1String(" ("));
    const QString unit = end > 0 ? title.mid(end) : QString();
    return metrics.elidedText(title.chopped(unit.size()), Qt::ElideRight, room - metrics.horizontalAdvance(unit))
        + unit;
}

QAccessibleInterface* makeAccessible(const QString& className, QObject* object)
{
    if (className != QLatin1String("colibri::Plot") || !object->isWidgetType())
        return nullptr;
    return new QAccessibleWidget(static_cast<QWidget*>(object), QAccessible::Chart);
}

} // namespace

Plot::Plot(const QString& title, QWidget* parent)
    : QCustomPlot(parent)
    , m_title(title)
    , m_label(new Readout(this))
    , m_empty(new QLabel(this))
{
    QAccessible::installFactory(makeAccessible); // the same one counts once
    setAccessibleName(title);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setInteractions({}); // zoom, drag and keys are below: QCustomPlot knows neither keys nor a way back
    setPlottingHint(QCP::phImmediateRefresh, false); // or each plot would have the whole window painted at once
    setMinimumSize(20 * grid::unit, 14 * grid::unit);
    m_empty->setObjectName(QStringLiteral("empty"));
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setMargin(grid::wide);
    m_empty->setAutoFillBackground(true);
    m_empty->setBackgroundRole(QPalette::Base);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_empty->hide();
    for (QCPAxis* const axis : {xAxis, yAxis, xAxis2, yAxis2}) { // ticks lie outside: inside they notch bars
        axis->setTickLength(0, grid::half);
        axis->setSubTickLength(0, grid::half / 2);
    }
    makeActions();
    connect(this, &QCustomPlot::beforeReplot, this, [this] {
        for (int at = 0; at < legend->itemCount(); ++at) {
            if (QCPAbstractLegendItem* const item = legend->item(at)) // the last row may have room left
                item->setMargins({0, 0, 0, 1}); // QCustomPlot cuts the lowest line of pixels
        }
    });
    connect(this, &QCustomPlot::afterReplot, this, [this] { // what lies under a pointer at rest has changed
        if (m_label->isVisible())
            showReadout(m_at);
    });
    applyPalette();
}

void Plot::setEmptyText(const QString& text)
{
    if (text == m_empty->text())
        return;
    m_empty->setText(text);
    setAccessibleDescription(text);
    placeEmptyText();
    m_empty->setVisible(!text.isEmpty());
    m_label->hide();
}

void Plot::placeEmptyText()
{
    constexpr int ring = focusRingWidth; // which is seen around it
    m_empty->setGeometry(rect().marginsRemoved({ring, ring, ring, ring}));
}

void Plot::makeActions()
{
    const auto add = [this](const QString& name, const QString& text, auto act) {
        auto* const action = new QAction(text, this);
        action->setObjectName(name);
        connect(action, &QAction::triggered, this, act);
        m_actions << action;
    };
    const auto table = [this] { return m_values ? m_values() : ValueTable{}; };
    const auto text = [table] { return csv(ValueTableModel(table())); };
    add(QStringLiteral("resetView"), tr("Show the &whole"), [this] { resetView(); });
    add(QStringLiteral("copyPicture"), tr("&Copy the picture"),
        [this] { QApplication::clipboard()->setPixmap(toPixmap(width(), height(), 2)); });
    add(QStringLiteral("savePicture"), tr("&Save the picture..."),
        [this] { savePlotAs(*this, m_title + QStringLiteral(".png")); });
    add(QStringLiteral("copyValues"), tr("Copy the &values as CSV"),
        [text] { QApplication::clipboard()->setText(QString::fromUtf8(text())); });
    add(QStringLiteral("saveValues"), tr("Save the v&alues as CSV..."),
        [this, text] { saveBytesAs(this, m_title + QStringLiteral(".csv"), text()); });
    add(QStringLiteral("showTable"), tr("Show the values as a &table"),
        [this, table] { showValueTable(table(), m_title, this); });
}

void Plot::setAxisTitles(const QString& x, const QString& y)
{
    m_xTitle = x;
    m_yTitle = y;
    fitTitles();
}

void Plot::fitTitles()
{
    const QRect axes = axisRect()->rect(); // in the middle of whose sides the titles stand
    const QFontMetrics metrics(font());
    xAxis->setLabel(titleIn(2 * std::min(axes.center().x(), width() - axes.center().x()), m_xTitle, metrics));
    yAxis->setLabel(titleIn(2 * std::min(axes.center().y(), height() - axes.center().y()), m_yTitle, metrics));
}

void Plot::setZoomable(Qt::Orientations axes)
{
    m_zoomable = axes;
}

void Plot::setWhole(const QCPRange& x, const QCPRange& y)
{
    m_wholeX = x;
    m_wholeY = y;
    if (!m_zoomed)
        resetView();
}

void Plot::resetView()
{
    m_zoomed = false;
    xAxis->setRange(m_wholeX);
    yAxis->setRange(m_wholeY);
    redraw();
}

void Plot::zoom(Qt::Orientations axes, double factor, QPointF around)
{
    const std::pair<Qt::Orientation, QCPAxis*> both[]{{Qt::Horizontal, xAxis}, {Qt::Vertical, yAxis}};
    for (const auto& [orientation, axis] : both) {
        if (!(axes & m_zoomable & orientation))
            continue;
        const double pixel = orientation == Qt::Horizontal ? around.x() : around.y();
        axis->scaleRange(factor, axis->pixelToCoord(pixel));
        m_zoomed = true;
    }
    redraw();
}

void Plot::move(double shareX, double shareY)
{
    const std::tuple<Qt::Orientation, QCPAxis*, double> both[]{
        {Qt::Horizontal, xAxis, shareX}, {Qt::Vertical, yAxis, shareY}};
    for (const auto& [orientation, axis, share] : both) {
        if (!(m_zoomable & orientation) || share == 0)
            continue;
        axis->moveRange(share * axis->range().size());
        m_zoomed = true;
    }
    redraw();
}

void Plot::applyPalette()
{
    const ColorScheme scheme = schemeOf(palette());
    const ThemeColors& colors = themeColors(scheme);
    const QColor muted = QColor::fromRgb(colors.mutedText);
    const QPen line(QColor::fromRgb(colors.line));
    setBackground(palette().base());
    for (QCPAxis* const axis : {xAxis, yAxis, xAxis2, yAxis2}) {
        axis->setBasePen(line);
        axis->setTickPen(line);
        axis->setSubTickPen(line);
        axis->setTickLabelColor(muted);
        axis->setLabelColor(muted);
        axis->setTickLabelFont(font());
        axis->setLabelFont(font());
        axis->grid()->setPen(QPen(QColor::fromRgb(colors.line), 0, Qt::DotLine));
        axis->grid()->setZeroLinePen(line);
    }
    legend->setBrush(palette().base());
    legend->setBorderPen(line);
    legend->setTextColor(palette().color(QPalette::Text));
    legend->setFont(font());
    m_label->setFont(monospaceFont());
    emit schemeChanged(scheme);
    redraw();
}

void Plot::showReadout(QPointF at)
{
    m_at = at;
    const bool inside = axisRect()->rect().contains(at.toPoint());
    const QString text =
        inside && m_readout ? m_readout(xAxis->pixelToCoord(at.x()), yAxis->pixelToCoord(at.y())) : QString();
    m_label->showBeside(text, at.toPoint());
}

bool Plot::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || toolTip().isEmpty())
        return QCustomPlot::event(event);
    if (m_label->isVisible())
        return true;
    const auto& help = static_cast<const QHelpEvent&>(*event);
    QToolTip::showText(help.globalPos(), plainTip(toolTip()), this);
    return true;
}

void Plot::paintEvent(QPaintEvent* event)
{
    QCustomPlot::paintEvent(event);
    if (!hasFocus())
        return;
    QPainter painter(this);
    drawFocusRing(painter, rect(), palette().color(QPalette::Highlight));
}

void Plot::changeEvent(QEvent* event)
{
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        applyPalette();
        fitAxes();
    }
}

void Plot::showEvent(QShowEvent* event)
{
    QCustomPlot::showEvent(event);
    applyPalette();
}

void Plot::resizeEvent(QResizeEvent* event)
{
    placeEmptyText();
    setViewport(rect());
    updateLayout(); // QCustomPlot draws at once when it is resized
    fitAxes();
    QCustomPlot::resizeEvent(event);
}

void Plot::fitAxes()
{
    fitTitles();
    const int labelWidth = fontMetrics().horizontalAdvance(QStringLiteral("000000")) + 2 * grid::unit;
    const int labelHeight = 3 * fontMetrics().height();
    xAxis->ticker()->setTickCount(std::clamp(axisRect()->width() / labelWidth, 2, 8));
    yAxis->ticker()->setTickCount(std::clamp(axisRect()->height() / labelHeight, 2, 8));
}

void Plot::wheelEvent(QWheelEvent* event)
{
    const double steps = (event->angleDelta().y() + event->angleDelta().x()) / 120.;
    const bool other = event->modifiers() & Qt::ShiftModifier;
    const Qt::Orientations first = m_zoomable & Qt::Horizontal ? Qt::Horizontal : Qt::Vertical;
    zoom(other ? (m_zoomable & ~first) : first, std::pow(zoomStep, steps), event->position());
    showReadout(event->position());
    event->accept();
}

void Plot::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        m_pressed = event->position();
    m_dragged.reset();
}

void Plot::mouseMoveEvent(QMouseEvent* event)
{
    const QPointF at = event->position();
    const bool far = m_pressed && (at - *m_pressed).manhattanLength() >= QApplication::startDragDistance();
    if (m_dragged || far) {
        const QPointF moved = at - m_dragged.value_or(*m_pressed);
        m_dragged = at;
        move(-moved.x() / axisRect()->width(), moved.y() / axisRect()->height());
    }
    showReadout(at);
}

void Plot::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    if (m_pressed && !m_dragged && axisRect()->rect().contains(event->position().toPoint()))
        emit picked(xAxis->pixelToCoord(event->position().x()), yAxis->pixelToCoord(event->position().y()));
    m_pressed.reset();
    m_dragged.reset();
}

void Plot::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        resetView();
}

void Plot::leaveEvent(QEvent* event)
{
    QCustomPlot::leaveEvent(event);
    m_label->hide();
}

void Plot::keyPressEvent(QKeyEvent* event)
{
    const QPointF middle = axisRect()->rect().center();
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoom(m_zoomable, zoomStep, middle);
    case Qt::Key_Minus:
        return zoom(m_zoomable, 1 / zoomStep, middle);
    case Qt::Key_Left:
        return move(-moveStep, 0);
    case Qt::Key_Right:
        return move(moveStep, 0);
    case Qt::Key_Up:
        return move(0, moveStep);
    case Qt::Key_Down:
        return move(0, -moveStep);
    case Qt::Key_Home:
    case Qt::Key_0:
        return resetView();
    default:
        QCustomPlot::keyPressEvent(event);
    }
}

void Plot::contextMenuEvent(QContextMenuEvent* event)
{
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addActions(m_actions);
    menu->popup(event->globalPos());
}

} // namespace colibri
