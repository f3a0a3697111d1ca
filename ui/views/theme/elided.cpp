// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/elided.h"

#include "views/theme/theme.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QPainter>
#include <QStyleOptionToolButton>
#include <QStylePainter>
#include <QToolTip>

#include <algorithm>

namespace colibri {
namespace {

constexpr int leastCharacters = 6; ///< of which the width never runs short

/// Of a text that is cut all of it, then what it is about. Rich text, which breaks its lines.
QString tipOf(const QString& text, const QString& hint, bool cut)
{
    QStringList parts;
    if (cut)
        parts << text.toHtmlEscaped();
    if (!hint.isEmpty())
        parts << hint.toHtmlEscaped();
    return parts.isEmpty() ? QString() : QStringLiteral("<qt>%1</qt>").arg(parts.join(QStringLiteral("<br>")));
}

QSize narrowed(const QSize& hint, const QFontMetrics& metrics)
{
    return {std::min(hint.width(), leastCharacters * metrics.averageCharWidth()), hint.height()};
}

} // namespace

ElidedLabel::ElidedLabel(QWidget* parent)
    : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    auto* const copy = new QAction(tr("&Copy the text"), this);
    connect(copy, &QAction::triggered, this, [this] { QApplication::clipboard()->setText(text()); });
    addAction(copy);
    setContextMenuPolicy(Qt::ActionsContextMenu);
}

QSize ElidedLabel::minimumSizeHint() const
{
    return narrowed(QLabel::sizeHint(), fontMetrics());
}

bool ElidedLabel::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QLabel::event(event);
    const bool cut = fontMetrics().horizontalAdvance(text()) > contentsRect().width();
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), tipOf(text(), toolTip(), cut), this);
    return true;
}

void ElidedLabel::paintEvent(QPaintEvent* event)
{
    if (text().isEmpty())
        return QLabel::paintEvent(event);
    QPainter painter(this);
    const QRect area = contentsRect();
    style()->drawItemText(&painter, area, int(alignment() | Qt::TextSingleLine), palette(), isEnabled(),
        fontMetrics().elidedText(text(), Qt::ElideRight, area.width()), foregroundRole());
}

ElidedButton::ElidedButton(QWidget* parent)
    : QToolButton(parent)
{
    setToolButtonStyle(Qt::ToolButtonTextOnly);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

QSize ElidedButton::minimumSizeHint() const
{
    return narrowed(QToolButton::sizeHint(), fontMetrics());
}

bool ElidedButton::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QToolButton::event(event);
    const QString tip = tipOf(QString(text()).remove(u'&'), toolTip(), width() < QToolButton::sizeHint().width());
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), tip, this);
    return true;
}

void ElidedButton::paintEvent(QPaintEvent*)
{
    QStyleOptionToolButton option;
    initStyleOption(&option);
    if (const int missing = QToolButton::sizeHint().width() - width(); missing > 0) {
        const int whole = fontMetrics().size(Qt::TextShowMnemonic, option.text).width();
        option.text =
            fontMetrics().elidedText(option.text, Qt::ElideRight, std::max(0, whole - missing), Qt::TextShowMnemonic);
    }
    QStylePainter(this).drawComplexControl(QStyle::CC_ToolButton, option);
}

} // namespace colibri
