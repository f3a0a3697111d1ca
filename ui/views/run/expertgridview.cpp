// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/expertgridview.h"

#include "stores/rundifference.h"
#include "views/run/tokenreport.h"
#include "views/theme/theme.h"
#include "views/theme/tips.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <cmath>

namespace colibri {
namespace {

constexpr int tokenTextLength = 9 * grid::unit; ///< room for a token's text in the upper header
constexpr int layerSpare = grid::unit;
constexpr int neighbours = 3; ///< that are seen beside a cell which was scrolled to

int digitsOf(std::uint32_t number)
{
    int digits = 1;
    for (; number >= 10; number /= 10)
        ++digits;
    return digits;
}

} // namespace

ExpertGridView::ExpertGridView(const RunStore& run, SelectionStore& selection, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_run(run)
    , m_selection(selection)
{
    setFont(monospaceFont());
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(false);
    setAccessibleName(tr("Experts of each token and layer"));
    setAccessibleDescription(
        tr("Tokens from left to right, layers from top to bottom; arrow keys walk through the cells."));
    connect(&run, &RunStore::reset, this, &ExpertGridView::restart);
    connect(&run, &RunStore::tokensAppended, this, &ExpertGridView::grow);
    connect(&run, &RunStore::routedAdvanced, viewport(), qOverload<>(&QWidget::update));
    connect(&selection, &SelectionStore::changed, this, &ExpertGridView::followSelection);
    restart();
}

void ExpertGridView::setColoring(const Coloring& coloring)
{
    if (coloring == m_coloring)
        return;
    m_coloring = coloring;
    viewport()->update();
}

void ExpertGridView::compareWith(const RunStore& other)
{
    m_other = &other;
    for (const auto signal : {&RunStore::reset, &RunStore::stateChanged})
        connect(&other, signal, viewport(), qOverload<>(&QWidget::update));
    viewport()->update();
}

bool ExpertGridView::differs(int token) const
{
    return m_other && differentTokens(m_run, *m_other, token);
}

bool ExpertGridView::hasCells() const
{
    return m_run.record() && m_run.tokens() > 0;
}

void ExpertGridView::restart()
{
    horizontalScrollBar()->setRange(0, 0);
    measure();
    grow();
}

void ExpertGridView::grow()
{
    m_geometry.tokens = hasCells() ? m_run.tokens() : 0;
    m_geometry.layers = hasCells() ? static_cast<int>(m_run.record()->shape().layers) : 0;
    updateScrollRanges();
    viewport()->update();
}

void ExpertGridView::measure()
{
    const QFontMetricsF metrics(font());
    const RunRecord::Shape shape = m_run.record() ? m_run.record()->shape() : RunRecord::Shape{0, 0, 0, 0, 0};
    const double advance = metrics.horizontalAdvance(QLatin1Char('0'));
    m_digits.advance = advance;
    m_digits.places = digitsOf(shape.experts > 0 ? shape.experts - 1 : 0);
    const int idWidth = static_cast<int>(std::ceil(m_digits.places * advance));
    const int blank = static_cast<int>(std::ceil(advance));
    const int lineHeight = static_cast<int>(std::ceil(metrics.height()));
    const int k = static_cast<int>(shape.k);
    const auto fit = [&](int level) { return idsThatFit(cellSize(level), idWidth, blank, lineHeight); };
    if (!m_zoomChosen) {
        m_zoom = 0;
        while (m_zoom < zoomLevels - 1 && fit(m_zoom) < std::max(1, k))
            ++m_zoom;
    }
    m_geometry.cell = cellSize(m_zoom);
    m_digits.ids = std::min(k, fit(m_zoom));
    m_digits.baseline = std::floor((m_geometry.cell.height() - 1 - metrics.height()) / 2 + metrics.ascent());
    const int places = digitsOf(shape.layers > 0 ? shape.layers - 1 : 0);
    const int captions =
        std::max(fontMetrics().horizontalAdvance(tr("token")), fontMetrics().horizontalAdvance(tr("layer")));
    m_geometry.header = QSize(std::max(captions, static_cast<int>(advance * (places + 1)) + layerSpare) + layerSpare,
        tokenTextLength + lineHeight + grid::half);
    viewport()->update();
}

void ExpertGridView::updateScrollRanges()
{
    const bool atEnd = followsEnd();
    m_geometry.viewport = viewport()->size();
    const QSize range = m_geometry.scrollRange();
    const QSize page = m_geometry.cellArea().size();
    horizontalScrollBar()->setSingleStep(m_geometry.cell.width());
    horizontalScrollBar()->setPageStep(page.width());
    horizontalScrollBar()->setRange(0, range.width());
    verticalScrollBar()->setSingleStep(m_geometry.cell.height());
    verticalScrollBar()->setPageStep(page.height());
    verticalScrollBar()->setRange(0, range.height());
    if (atEnd)
        horizontalScrollBar()->setValue(range.width());
    m_geometry.scroll = {horizontalScrollBar()->value(), verticalScrollBar()->value()};
}

bool ExpertGridView::followsEnd() const
{
    return horizontalScrollBar()->value() == horizontalScrollBar()->maximum();
}

void ExpertGridView::setZoom(int level)
{
    zoomAround(level, m_geometry.header.width());
}

void ExpertGridView::zoomAround(int level, int x)
{
    level = std::clamp(level, 0, zoomLevels - 1);
    const double from = double(x - m_geometry.header.width() + m_geometry.scroll.x()) / m_geometry.cell.width();
    m_zoomChosen = true;
    m_zoom = level;
    measure();
    updateScrollRanges();
    horizontalScrollBar()->setValue(
        static_cast<int>(std::lround(from * m_geometry.cell.width())) - x + m_geometry.header.width());
}

void ExpertGridView::scrollContentsBy(int, int)
{
    m_geometry.scroll = {horizontalScrollBar()->value(), verticalScrollBar()->value()};
    viewport()->update();
}

int ExpertGridView::wholeHeight() const
{
    return m_geometry.header.height() + m_geometry.layers * m_geometry.cell.height()
        + horizontalScrollBar()->sizeHint().height() + 2 * frameWidth();
}

void ExpertGridView::resizeEvent(QResizeEvent*)
{
    updateScrollRanges();
}

void ExpertGridView::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        measure();
        updateScrollRanges();
    }
}

QString ExpertGridView::currentText() const
{
    const Selection& at = m_selection.selection();
    if (at.token < 0 || at.token >= m_geometry.tokens || at.layer < 0 || at.layer >= m_geometry.layers)
        return {};
    const QString spoken = TokenReportText::spoken(makeTokenReport(m_run, at.token, at.layer));
    return differs(at.token) ? tr("%1; %2").arg(spoken, otherToken(*m_other, at.token)) : spoken;
}

void ExpertGridView::choose(int token, int layer)
{
    if (token >= 0 && layer >= 0)
        m_selection.select({token, layer, -1, -1});
}

void ExpertGridView::followSelection()
{
    const Selection& at = m_selection.selection();
    if (at.token >= 0 && at.token < m_geometry.tokens) {
        const int layer = at.layer >= 0 && at.layer < m_geometry.layers ? at.layer : m_geometry.visibleLayers().first;
        const QPoint scroll = m_geometry.scrollShowing(at.token, layer, neighbours);
        horizontalScrollBar()->setValue(scroll.x());
        verticalScrollBar()->setValue(scroll.y());
    }
    viewport()->update();
    announceCurrentItem(*this, *this);
}

void ExpertGridView::keyPressEvent(QKeyEvent* event)
{
    const bool control = event->modifiers().testFlag(Qt::ControlModifier);
    if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal)
        setZoom(m_zoom + 1);
    else if (event->key() == Qt::Key_Minus)
        setZoom(m_zoom - 1);
    else if (control && event->key() == Qt::Key_0) {
        m_zoomChosen = false;
        measure();
        updateScrollRanges();
    } else if (hasCells() && event->key() >= Qt::Key_Home && event->key() <= Qt::Key_PageDown)
        walk(*event);
    else
        event->ignore();
}

void ExpertGridView::walk(const QKeyEvent& event)
{
    const bool control = event.modifiers().testFlag(Qt::ControlModifier);
    const int lastToken = m_geometry.tokens - 1;
    const int lastLayer = m_geometry.layers - 1;
    const int page = std::max(1, m_geometry.cellArea().width() / m_geometry.cell.width() - 1);
    const Selection& at = m_selection.selection();
    if (at.token < 0 || at.token > lastToken) { // the first key finds the newest token
        choose(lastToken, std::clamp(at.layer, 0, lastLayer));
        return;
    }
    struct Step {
        int key, tokens, layers;
    };
    const int corner = control ? lastLayer : 0;
    const std::array<Step, 8> steps{{{Qt::Key_Left, -1, 0}, {Qt::Key_Right, 1, 0}, {Qt::Key_Up, 0, -1},
        {Qt::Key_Down, 0, 1}, {Qt::Key_PageUp, -page, 0}, {Qt::Key_PageDown, page, 0},
        {Qt::Key_Home, -at.token, -corner}, {Qt::Key_End, lastToken - at.token, corner}}};
    for (const Step& step : steps) {
        if (step.key == event.key())
            choose(std::clamp(at.token + step.tokens, 0, lastToken),
                std::clamp(std::max(0, at.layer) + step.layers, 0, lastLayer));
    }
}

void ExpertGridView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    // A header names one coordinate; the other one stays.
    const QPoint at = event->position().toPoint();
    const int token = m_geometry.tokenAt(at.x());
    const int layer = m_geometry.layerAt(at.y());
    const Selection& before = m_selection.selection();
    if (token >= 0)
        choose(token, layer >= 0 ? layer : std::max(0, before.layer));
    else if (layer >= 0)
        choose(before.token, layer);
}

void ExpertGridView::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons().testFlag(Qt::LeftButton))
        choose(
            m_geometry.tokenAt(event->position().toPoint().x()), m_geometry.layerAt(event->position().toPoint().y()));
}

void ExpertGridView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const QPoint at = event->position().toPoint();
    if (at.x() < m_geometry.header.width() && m_geometry.layerAt(at.y()) >= 0)
        emit layerActivated(m_geometry.layerAt(at.y()));
}

void ExpertGridView::wheelEvent(QWheelEvent* event)
{
    const int steps = event->angleDelta().y();
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        if (steps != 0)
            zoomAround(m_zoom + (steps > 0 ? 1 : -1), static_cast<int>(event->position().x()));
        event->accept();
        return;
    }
    // A mouse has one wheel and tokens are the long way, so it moves along them unless layers do not fit; Shift swaps.
    const bool alongLayers = verticalScrollBar()->maximum() > 0 && !event->modifiers().testFlag(Qt::ShiftModifier);
    QScrollBar& bar = alongLayers ? *verticalScrollBar() : *horizontalScrollBar();
    const QPoint delta = event->angleDelta();
    if (delta.x() != 0)
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - delta.x());
    bar.setValue(bar.value() - delta.y());
    event->accept();
}

QString ExpertGridView::summary(int token, int layer) const
{
    const QString summary = TokenReportText::summary(makeTokenReport(m_run, token, layer));
    return differs(token) ? summary + u'\n' + otherToken(*m_other, token) : summary;
}

bool ExpertGridView::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto& help = static_cast<QHelpEvent&>(*event);
    const int token = m_geometry.tokenAt(help.pos().x());
    const int layer = std::max(
        m_geometry.layerAt(help.pos().y()), help.pos().y() < m_geometry.header.height() ? m_coloring.layer : -1);
    if (token >= 0 && layer >= 0 && layer < m_geometry.layers)
        QToolTip::showText(help.globalPos(), plainTip(summary(token, layer)), this, m_geometry.cellRect(token, layer));
    else
        QToolTip::hideText();
    return true;
}

} // namespace colibri
