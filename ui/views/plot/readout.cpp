// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/readout.h"

#include "views/theme/theme.h"

#include <QToolTip>

#include <algorithm>
#include <optional>

namespace colibri {
namespace {

/// The first corner of `rect` at which a label has room in `area`.
std::optional<QPoint> cornerOf(const QRect& rect, QSize label, const QRect& area)
{
    const int left = rect.left() - grid::half - label.width();
    const int right = rect.right() + 1 + grid::half;
    const int above = rect.top() - grid::half - label.height();
    const int below = rect.bottom() + 1 + grid::half;
    for (const QPoint corner : {QPoint(right, above), QPoint(right, below), QPoint(left, above), QPoint(left, below)}) {
        if (area.contains(QRect(corner, label)))
            return corner;
    }
    return std::nullopt;
}

} // namespace

Readout::Readout(QWidget* parent)
    : QLabel(parent)
{
    setObjectName(QStringLiteral("readout"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setTextFormat(Qt::PlainText);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::ToolTipBase); // else that of the parent, which may be a paper
    setForegroundRole(QPalette::ToolTipText);
    setMargin(grid::half);
    setFont(monospaceFont());
    hide();
}

bool Readout::begin(const QString& text)
{
    setVisible(!text.isEmpty());
    if (text.isEmpty())
        return false;
    QToolTip::hideText();
    setText(text);
    setWordWrap(false);
    adjustSize();
    return true;
}

void Readout::showBeside(const QString& text, QPoint at)
{
    if (!begin(text))
        return;
    const QSize room = parentWidget()->size() - size();
    const int right = at.x() + 2 * grid::unit;
    const int x = right < room.width() ? right : at.x() - grid::unit - width();
    move(std::max(0, x), std::clamp(at.y() - height(), 0, std::max(0, room.height())));
}

void Readout::showAround(const QString& text, const QRect& rect, const QRect& area)
{
    if (!begin(text))
        return;
    const QSize line = size();
    for (const int lines : {1, 2, 3}) {
        if (lines > 1) {
            setWordWrap(true);
            const int wide = line.width() / lines + 3 * fontMetrics().averageCharWidth();
            resize(wide, heightForWidth(wide));
        }
        if (const auto corner = cornerOf(rect, size(), area))
            return move(*corner);
    }
    setWordWrap(false);
    resize(line);
    const QRect within = area.height() >= line.height() && area.width() >= line.width() ? area : parentWidget()->rect();
    const int above = rect.top() - grid::half - height();
    const int y = above >= within.top() ? above : rect.bottom() + 1 + grid::half;
    const QPoint last = within.bottomRight() - QPoint(width(), height()) + QPoint(1, 1);
    move(std::clamp(rect.right() + 1 + grid::half, within.left(), std::max(within.left(), last.x())),
        std::clamp(y, within.top(), std::max(within.top(), last.y())));
}

} // namespace colibri
