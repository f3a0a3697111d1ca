// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/emptystate.h"

#include "views/theme/theme.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace colibri {

EmptyState::EmptyState(QWidget* parent)
    : EmptyState({}, {}, {}, parent)
{
}

EmptyState::EmptyState(const QString& text, const QString& button, const QString& toolTip, QWidget* parent)
    : QWidget(parent)
    , m_text(new QLabel(text, this))
    , m_button(new QPushButton(button, this))
{
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignHCenter);
    m_button->setToolTip(toolTip);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(grid::page, grid::page, grid::page, grid::page);
    column->addStretch();
    column->addWidget(m_text);
    column->addSpacing(grid::wide);
    column->addWidget(m_button, 0, Qt::AlignHCenter);
    column->addStretch();
}

void EmptyState::setText(const QString& text)
{
    m_text->setText(text);
}

} // namespace colibri
