// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/tokentextview.h"

#include "stores/rundifference.h"
#include "views/run/tokenglyphs.h"
#include "views/run/tokenreport.h"
#include "views/theme/theme.h"
#include "views/theme/tips.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace colibri {
namespace {

/// Lines break in front of white space and of what is no text.
bool breaksBefore(const TokenPiece& piece, TokenLook look)
{
    return look == TokenLook::Text ? piece.text.front().isSpace() : look != TokenLook::Continuation;
}

TokenTextLayout layoutFor(const QFont& font)
{
    return TokenTextLayout(
        // Whole pixels, so that grounds lie side by side without seams.
        [metrics = QFontMetricsF(font)](
            QStringView text) { return std::ceil(metrics.horizontalAdvance(text.toString())); });
}

} // namespace

TokenTextView::TokenTextView(const RunStore& run, SelectionStore& selection, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_run(run)
    , m_selection(selection)
    , m_layout(layoutFor(monospaceFont()))
{
    setFont(monospaceFont());
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn); // the width of lines must not depend on their number
    viewport()->setCursor(Qt::IBeamCursor);
    setAccessibleName(tr("Text of the run"));
    setAccessibleDescription(tr("Tokens of the prompt and of the answer; arrow keys walk through them."));
    connect(&run, &RunStore::reset, this, &TokenTextView::rebuild);
    connect(&run, &RunStore::tokensAppended, this, &TokenTextView::append);
    connect(&run, &RunStore::routedAdvanced, this, [this](int from) { updateFrom(from); });
    connect(&selection, &SelectionStore::changed, this, &TokenTextView::followSelection);
    rebuild();
}

void TokenTextView::setColoring(const Coloring& coloring)
{
    if (coloring == m_coloring)
        return;
    m_coloring = coloring;
    viewport()->update();
}

void TokenTextView::compareWith(const RunStore& other)
{
    m_other = &other;
    connect(&other, &RunStore::reset, viewport(), qOverload<>(&QWidget::update));
    connect(&other, &RunStore::tokensAppended, this, [this](int from) { updateFrom(from); });
    viewport()->update();
}

bool TokenTextView::differs(int token) const
{
    return m_other && differentTokens(m_run, *m_other, token);
}

void TokenTextView::rebuild()
{
    m_layout = layoutFor(font());
    m_layout.setWidth(viewport()->width() - 2 * margin);
    m_lineHeight = QFontMetrics(font()).height() + grid::unit;
    m_anchor = -1;
    verticalScrollBar()->setRange(0, 0);
    for (int position = 0; position < m_run.tokens(); ++position)
        appendToLayout(position);
    updateScrollRange();
    viewport()->update();
}

void TokenTextView::append(int from, int to)
{
    m_layout.truncate(from);
    for (int position = from; position < to; ++position)
        appendToLayout(position);
    updateScrollRange();
    updateFrom(from);
}

/// Paints again what may look different when a token is new or has changed. A run repaints 30 times a second: only what
/// has to be.
void TokenTextView::updateFrom(int token)
{
    if (token >= m_layout.tokens())
        return;
    const int line = m_layout.lineOf(m_layout.firstFragment(token)) - 1; // a word may have left the line above
    const int top = margin + line * m_lineHeight - verticalScrollBar()->value();
    viewport()->update(0, std::max(0, top), viewport()->width(), viewport()->height());
}

void TokenTextView::scrollContentsBy(int, int dy)
{
    viewport()->scroll(0, dy);
}

void TokenTextView::appendToLayout(int position)
{
    const TokenPiece& piece = m_run.piece(position);
    const TokenLook look = lookOf(piece);
    m_layout.append(shownText(piece), chipPadding(look), breaksBefore(piece, look));
}

void TokenTextView::updateScrollRange()
{
    const bool atEnd = followsEnd();
    QScrollBar& bar = *verticalScrollBar();
    const int page = viewport()->height();
    bar.setSingleStep(m_lineHeight);
    bar.setPageStep(page);
    bar.setRange(0, std::max(0, m_layout.lines() * m_lineHeight + 2 * margin - page));
    if (atEnd)
        bar.setValue(bar.maximum());
}

bool TokenTextView::followsEnd() const
{
    return verticalScrollBar()->value() == verticalScrollBar()->maximum();
}

QRectF TokenTextView::fragmentRect(const TokenTextLayout::Fragment& fragment, int line) const
{
    const double top = margin + double(line) * m_lineHeight - verticalScrollBar()->value();
    return {margin + fragment.x, top, fragment.width, double(m_lineHeight)};
}

QRect TokenTextView::tokenRect(int token) const
{
    const int first = m_layout.firstFragment(token);
    return fragmentRect(m_layout.fragment(first), m_layout.lineOf(first)).toAlignedRect();
}

int TokenTextView::tokenAt(QPoint viewportPoint) const
{
    const int y = viewportPoint.y() - margin + verticalScrollBar()->value();
    const int line = y / std::max(1, m_lineHeight);
    if (m_layout.tokens() == 0 || y < 0 || line >= m_layout.lines())
        return -1;
    return m_layout.tokenAt(line, viewportPoint.x() - margin);
}

QString TokenTextView::selectedText() const
{
    const int current = m_selection.selection().token;
    if (current < 0 || current >= m_run.tokens())
        return m_run.text();
    const int other = m_anchor < 0 ? current : m_anchor;
    return m_run.text(std::min(current, other), std::max(current, other) + 1);
}

QString TokenTextView::currentText() const
{
    const int token = m_selection.selection().token;
    if (token < 0 || token >= m_run.tokens())
        return {};
    const QString spoken = TokenReportText::spoken(makeTokenReport(m_run, token, m_coloring.layer));
    return differs(token) ? tr("%1; %2").arg(spoken, otherToken(*m_other, token)) : spoken;
}

void TokenTextView::copy() const
{
    QApplication::clipboard()->setText(selectedText());
}

void TokenTextView::selectAll()
{
    if (m_run.tokens() == 0)
        return;
    choose(m_run.tokens() - 1, false);
    m_anchor = 0;
    viewport()->update();
}

void TokenTextView::choose(int token, bool extend)
{
    if (token < 0 || token >= m_run.tokens())
        return;
    const Selection& before = m_selection.selection();
    const int anchor = !extend ? -1 : m_anchor >= 0 ? m_anchor : before.token;
    Selection chosen = before;
    chosen.token = token;
    chosen.tensor = -1;
    chosen.layer = before.layer < 0 ? m_coloring.layer : before.layer;
    if (token != before.token)
        chosen.rank = chosen.expert = -1;
    m_selection.select(chosen);
    m_anchor = anchor;
    scrollTo(token);
    viewport()->update();
}

void TokenTextView::followSelection()
{
    m_anchor = -1;
    const int token = m_selection.selection().token;
    if (token >= 0 && token < m_layout.tokens())
        scrollTo(token);
    viewport()->update();
    announceCurrentItem(*this, *this);
}

void TokenTextView::scrollTo(int token)
{
    const QRect rect = tokenRect(token);
    QScrollBar& bar = *verticalScrollBar();
    if (token == m_layout.tokens() - 1)
        bar.setValue(bar.maximum()); // and follows what comes
    else if (rect.top() < margin)
        bar.setValue(bar.value() + rect.top() - margin);
    else if (rect.bottom() > viewport()->height() - margin)
        bar.setValue(bar.value() + rect.bottom() - viewport()->height() + margin);
}

int TokenTextView::movedBy(int lines) const
{
    const int first = m_layout.firstFragment(std::max(0, m_selection.selection().token));
    const TokenTextLayout::Fragment& fragment = m_layout.fragment(first);
    int line = std::clamp(m_layout.lineOf(first) + lines, 0, m_layout.lines() - 1);
    if (m_layout.line(line).first == m_layout.line(line).second) // the empty line after a last line feed
        line = std::max(0, line - 1);
    return m_layout.tokenAt(line, fragment.x + 1);
}

int TokenTextView::wanted(const QKeyEvent& event) const
{
    const bool whole = event.modifiers().testFlag(Qt::ControlModifier);
    const int last = m_run.tokens() - 1;
    const int current = m_selection.selection().token;
    if (current < 0 || current > last) // the first key finds the newest token
        return event.key() >= Qt::Key_Home && event.key() <= Qt::Key_PageDown ? last : -1;
    const int line = m_layout.lineOf(m_layout.firstFragment(current));
    const int page = std::max(1, viewport()->height() / m_lineHeight - 1);
    switch (event.key()) {
    case Qt::Key_Left:
        return std::max(0, current - 1);
    case Qt::Key_Right:
        return std::min(last, current + 1);
    case Qt::Key_Up:
        return movedBy(-1);
    case Qt::Key_Down:
        return movedBy(1);
    case Qt::Key_PageUp:
        return movedBy(-page);
    case Qt::Key_PageDown:
        return movedBy(page);
    case Qt::Key_Home:
        return whole ? 0 : m_layout.fragment(m_layout.line(line).first).token;
    case Qt::Key_End:
        return whole ? last : m_layout.fragment(m_layout.line(line).second - 1).token;
    default:
        return -1;
    }
}

void TokenTextView::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy))
        copy();
    else if (event->matches(QKeySequence::SelectAll))
        selectAll();
    else if (const int token = m_run.tokens() > 0 ? wanted(*event) : -1; token >= 0)
        choose(token, event->modifiers().testFlag(Qt::ShiftModifier));
    else
        event->ignore();
}

void TokenTextView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        choose(tokenAt(event->position().toPoint()), event->modifiers().testFlag(Qt::ShiftModifier));
}

void TokenTextView::mouseMoveEvent(QMouseEvent* event)
{
    const int token = tokenAt(event->position().toPoint());
    if (event->buttons().testFlag(Qt::LeftButton) && token != m_selection.selection().token)
        choose(token, true);
}

void TokenTextView::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addAction(m_selection.selection().token < 0 ? tr("&Copy all") : tr("&Copy"), QKeySequence::Copy, this,
        &TokenTextView::copy);
    menu.addAction(tr("Select &all"), QKeySequence::SelectAll, this, &TokenTextView::selectAll);
    menu.exec(event->globalPos());
}

void TokenTextView::resizeEvent(QResizeEvent*)
{
    const int width = std::max(1, viewport()->width() - 2 * margin);
    if (width == m_layout.width()) {
        updateScrollRange();
        return;
    }
    const bool atEnd = followsEnd();
    const int top = std::max(0, tokenAt(QPoint(0, margin)));
    m_layout.setWidth(width);
    updateScrollRange();
    if (!atEnd && top < m_layout.tokens()) // what was the top line stays there
        verticalScrollBar()->setValue(m_layout.lineOf(m_layout.firstFragment(top)) * m_lineHeight);
}

void TokenTextView::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        rebuild();
}

bool TokenTextView::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto& key = static_cast<QKeyEvent&>(*event);
        if (key.matches(QKeySequence::Copy) || key.matches(QKeySequence::SelectAll)) {
            event->accept();
            return true;
        }
    }
    return QAbstractScrollArea::event(event);
}

QString TokenTextView::summary(int token) const
{
    const QString summary = TokenReportText::summary(makeTokenReport(m_run, token, m_coloring.layer));
    return differs(token) ? summary + u'\n' + otherToken(*m_other, token) : summary;
}

bool TokenTextView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto& help = static_cast<QHelpEvent&>(*event);
        const int token = tokenAt(help.pos());
        if (token >= 0 && m_run.record())
            QToolTip::showText(help.globalPos(), plainTip(summary(token)), this, tokenRect(token));
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace colibri
