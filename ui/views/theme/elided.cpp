// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/elided.h"

#include "views/theme/theme.h"
#include "views/theme/tips.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QPainter>
#include <QStyleOptionToolButton>
#include <QStylePainter>

#include <algorithm>

namespace colibri {
namespace {

constexpr int leastCharacters = 6; ///< of which the width never runs short

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
    showElidedTip(*static_cast<QHelpEvent*>(event), *this, text(), cut);
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
    const bool cut = width() < QToolButton::sizeHint().width();
    showElidedTip(*static_cast<QHelpEvent*>(event), *this, QString(text()).remove(u'&'), cut);
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
