// SPDX-License-Identifier: GPL-3.0-or-later
// What TokenTextView paints.
#include "views/run/tokentextview.h"

#include "views/run/tokenglyphs.h"
#include "views/theme/theme.h"

#include <QFontMetrics>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace colibri {
namespace {

constexpr double promptLine = 3;
constexpr double markSize = 6;
constexpr double differenceLine = 2; ///< in the gap above the line

} // namespace

/// Colours of one paint.
struct TokenTextView::Inks {
    ColorScheme scheme;
    const ThemeColors& theme;
    QColor text;
    QColor chosenGround;
    QColor chosenText;
    int stretchFirst;
    int stretchEnd;
};

void TokenTextView::paintEvent(QPaintEvent* event)
{
    QPainter painter(viewport());
    painter.setFont(font());
    const ColorScheme scheme = schemeOf(palette());
    const int current = m_selection.selection().token;
    const bool stretch = m_anchor >= 0 && current >= 0;
    const Inks inks{scheme, themeColors(scheme), palette().color(QPalette::Text), palette().color(QPalette::Highlight),
        palette().color(QPalette::HighlightedText), stretch ? std::min(m_anchor, current) : -1,
        stretch ? std::max(m_anchor, current) + 1 : -1};
    const int scrolled = verticalScrollBar()->value() - margin;
    const int firstLine = std::max(0, (event->rect().top() + scrolled) / m_lineHeight);
    const int lastLine = std::min(m_layout.lines() - 1, (event->rect().bottom() + scrolled) / m_lineHeight);
    for (int line = firstLine; line <= lastLine; ++line) {
        const auto [first, end] = m_layout.line(line);
        for (int at = first; at < end; ++at)
            paintFragment(painter, m_layout.fragment(at), fragmentRect(m_layout.fragment(at), line), inks);
        for (int at = first; at < end; ++at) {
            if (m_layout.fragment(at).token == current)
                paintFrame(painter, fragmentRect(m_layout.fragment(at), line), inks);
        }
    }
}

void TokenTextView::paintFragment(
    QPainter& painter, const TokenTextLayout::Fragment& fragment, const QRectF& rect, const Inks& inks) const
{
    const int token = fragment.token;
    const TokenPiece& piece = m_run.piece(token);
    const TokenLook look = lookOf(piece);
    const bool prompt = token < m_run.promptTokens();
    const bool routed = token < m_run.routed();
    const bool colored = routed && m_coloring.by != ColorBy::Nothing;
    const QRgb color = colored ? decisionColor(*m_run.record(), token, m_coloring.layer, m_coloring.by, m_coloring.rank,
                           inks.scheme, m_coloring.marginMiddle)
                               : 0;
    QRectF chip = rect.adjusted(0, 2, 0, -2);
    if (differs(token))
        painter.fillRect(QRectF(rect.left(), rect.top(), rect.width() - 1, differenceLine), inks.text);
    QColor ink = inks.text;
    if (prompt)
        painter.fillRect(chip, QColor::fromRgb(inks.theme.promptBand));
    else if (!routed)
        painter.fillRect(chip, QColor::fromRgb(inks.theme.pending));
    if (colored && prompt)
        painter.fillRect(
            QRectF(chip.left(), chip.bottom() - promptLine, chip.width() - 1, promptLine), QColor::fromRgb(color));
    else if (colored) {
        painter.fillRect(chip.adjusted(0, 0, -1, 0), QColor::fromRgb(color));
        ink = QColor::fromRgb(readableOn(color));
    }
    if (token >= inks.stretchFirst && token < inks.stretchEnd) {
        painter.fillRect(chip, inks.chosenGround);
        ink = inks.chosenText;
    }
    painter.setPen(ink);
    if (look != TokenLook::Text && look != TokenLook::Continuation) {
        painter.setPen(QPen(ink, 1, look == TokenLook::Hex ? Qt::DotLine : Qt::SolidLine));
        painter.drawRect(chip.adjusted(1.5, 1.5, -1.5, -1.5));
        painter.setPen(ink);
    }
    const QString shown = shownText(piece).mid(fragment.start, fragment.length);
    const double left = rect.left() + chipPadding(look) / 2;
    const double base =
        rect.top() + (rect.height() - painter.fontMetrics().height()) / 2 + painter.fontMetrics().ascent();
    painter.drawText(QPointF(left, base), shown);
    if (routed
        && m_run.record()->zeroed(static_cast<std::uint32_t>(token), static_cast<std::uint32_t>(m_coloring.layer))
            != 0) {
        painter.setPen(palette().color(QPalette::Base));
        painter.setBrush(QColor::fromRgb(inks.theme.errorText));
        const QPointF corner = chip.topRight();
        painter.drawPolygon(QPolygonF({corner, corner - QPointF(markSize, 0), corner + QPointF(0, markSize)}));
        painter.setBrush(Qt::NoBrush);
    }
}

/// The frame of the current token, in two tones: seen on every ground.
void TokenTextView::paintFrame(QPainter& painter, const QRectF& rect, const Inks& inks) const
{
    painter.setPen(QPen(inks.text, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(0, 2, 0, -2));
    painter.setPen(palette().color(QPalette::Base));
    painter.drawRect(rect.adjusted(1, 3, -2, -4));
}

} // namespace colibri
