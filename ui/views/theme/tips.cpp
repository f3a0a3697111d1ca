// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/tips.h"

#include <QAbstractItemView>
#include <QHelpEvent>
#include <QStringList>
#include <QToolTip>
#include <QWidget>

namespace colibri {

QString plainTip(const QString& text)
{
    if (text.isEmpty())
        return {};
    return QStringLiteral("<qt>%1</qt>").arg(text.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")));
}

void showElidedTip(const QHelpEvent& help, QWidget& widget, const QString& text, bool cut)
{
    QStringList parts;
    if (cut)
        parts << text;
    if (!widget.toolTip().isEmpty())
        parts << widget.toolTip();
    QToolTip::showText(help.globalPos(), plainTip(parts.join(u'\n')), &widget);
}

bool showItemTip(const QHelpEvent& help, QAbstractItemView& view)
{
    const QModelIndex index = view.indexAt(help.pos());
    const QString tip = index.data(Qt::ToolTipRole).toString();
    if (tip.isEmpty())
        return false;
    QToolTip::showText(help.globalPos(), plainTip(tip), &view, view.visualRect(index));
    return true;
}

} // namespace colibri
