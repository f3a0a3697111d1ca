// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/activity/progresscell.h"

#include "models/tasktable.h"
#include "views/theme/theme.h"

#include <QPainter>

namespace colibri {

void ProgressCell::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const double share = index.data(TaskTable::shareRole).toDouble();
    if (share > 0) {
        const QRgb base = option.palette.color(QPalette::Base).rgb();
        const ThemeColors& colors = themeColors(schemeOf(option.palette));
        const QRect area = option.rect.adjusted(1, 2, -1, -2);
        painter->fillRect(area, QColor::fromRgb(colors.pending));
        painter->fillRect(QRect(area.topLeft(), QSize(qRound(share * area.width()), area.height())),
            QColor::fromRgb(mixed(base, colors.accent, 0.3)));
    }
    QStyleOptionViewItem text = option;
    if (share > 0)
        text.state &= ~QStyle::State_Selected; // the bar stays to be seen
    text.features &= ~QStyleOptionViewItem::Alternate;
    QStyledItemDelegate::paint(painter, text, index);
}

} // namespace colibri
