// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/accentbutton.h"

#include <QEvent>
#include <QStyleOptionToolButton>

namespace colibri {

AccentButton::AccentButton(QWidget* parent)
    : QToolButton(parent)
{
    tint();
}

void AccentButton::setAccent(bool accent)
{
    if (accent == m_accent)
        return;
    m_accent = accent;
    update();
}

void AccentButton::initStyleOption(QStyleOptionToolButton* option) const
{
    QToolButton::initStyleOption(option);
    if (m_accent)
        option->palette = m_tinted;
}

void AccentButton::changeEvent(QEvent* event)
{
    QToolButton::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        tint();
}

void AccentButton::tint()
{
    m_tinted = palette();
    m_tinted.setColor(QPalette::Button, m_tinted.color(QPalette::Active, QPalette::Highlight));
    m_tinted.setColor(QPalette::ButtonText, m_tinted.color(QPalette::Active, QPalette::HighlightedText));
}

} // namespace colibri
