// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model/controls.h"

#include <QAction>
#include <QLineEdit>
#include <QShortcut>
#include <QToolButton>

namespace colibri {

QToolButton* toolButton(QAction* action, QWidget* parent)
{
    auto* const button = new QToolButton(parent);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setFocusPolicy(Qt::TabFocus);
    button->setObjectName(action->objectName() + QStringLiteral("Button"));
    button->setAccessibleName(action->iconText());
    button->setAccessibleDescription(action->toolTip());
    return button;
}

QLineEdit* filterLine(const QString& name, const QString& toolTip, QWidget* owner)
{
    auto* const line = new QLineEdit(owner);
    line->setClearButtonEnabled(true);
    line->setPlaceholderText(name);
    line->setAccessibleName(name);
    line->setToolTip(toolTip);
    auto* const find = new QShortcut(QKeySequence::Find, owner);
    find->setContext(Qt::WidgetWithChildrenShortcut);
    QObject::connect(find, &QShortcut::activated, line, [line] {
        line->setFocus(Qt::ShortcutFocusReason);
        line->selectAll();
    });
    auto* const clear = new QShortcut(Qt::Key_Escape, line);
    clear->setContext(Qt::WidgetShortcut);
    QObject::connect(clear, &QShortcut::activated, line, &QLineEdit::clear);
    return line;
}

} // namespace colibri
