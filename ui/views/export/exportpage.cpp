// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/exportpage.h"

#include "views/theme/theme.h"

#include <QLabel>
#include <QVBoxLayout>

namespace colibri {

QLabel* pageTitle(const QString& text, QWidget* page)
{
    auto* const title = new QLabel(text, page);
    QFont font = title->font();
    font.setPointSizeF(font.pointSizeF() * 1.5);
    title->setFont(font);
    return title;
}

QVBoxLayout* pageColumn(QWidget* page)
{
    auto* const column = new QVBoxLayout(page);
    column->setContentsMargins(grid::wide, grid::wide, grid::wide, grid::wide);
    column->setSpacing(grid::unit);
    return column;
}

} // namespace colibri
