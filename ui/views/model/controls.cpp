// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model/controls.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QShortcut>
#include <QToolButton>

namespace colibri {
namespace {

/// Takes Escape while it has a text; without one the key is the window's.
class FilterLine : public QLineEdit {
public:
    using QLineEdit::QLineEdit;

protected:
    bool event(QEvent* event) override
    {
        if (event->type() != QEvent::ShortcutOverride || !clears(*static_cast<QKeyEvent*>(event)))
            return QLineEdit::event(event);
        event->accept();
        return true;
    }
    void keyPressEvent(QKeyEvent* event) override
    {
        if (clears(*event))
            clear();
        else
            QLineEdit::keyPressEvent(event);
    }

private:
    bool clears(const QKeyEvent& key) const
    {
        return key.key() == Qt::Key_Escape && key.modifiers() == Qt::NoModifier && !text().isEmpty();
    }
};

} // namespace

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
    auto* const line = new FilterLine(owner);
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
    return line;
}

} // namespace colibri
