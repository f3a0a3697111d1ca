// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions.h"

#include <QActionGroup>
#include <QCoreApplication>
#include <QWidget>

namespace colibri {
namespace {

struct Line {
    QAction* Actions::*action;
    const char* name;
    const char* text;
    const char* toolTip;
    int shortcut;
};

// Shortcuts are written out: what a platform calls standard may be empty.
constexpr Line lines[]{
    {&Actions::openDemo, "openDemo", QT_TRANSLATE_NOOP("Actions", "Open the &demo"),
        QT_TRANSLATE_NOOP("Actions", "Open the small model that comes with Colibri"), int(Qt::CTRL) | Qt::Key_D},
    {&Actions::openModel, "openModel", QT_TRANSLATE_NOOP("Actions", "&Open a model..."),
        QT_TRANSLATE_NOOP("Actions", "Open a GGUF file, a Hugging Face folder, a Colibri export or a raw export"),
        int(Qt::CTRL) | Qt::Key_O},
    {&Actions::newWindow, "newWindow", QT_TRANSLATE_NOOP("Actions", "&New window"),
        QT_TRANSLATE_NOOP("Actions", "Open another window, beside this one"), int(Qt::CTRL) | Qt::Key_N},
    {&Actions::openInNewWindow, "openInNewWindow", QT_TRANSLATE_NOOP("Actions", "Open in a new &window..."),
        QT_TRANSLATE_NOOP("Actions", "Open a model in another window, to see both"),
        int(Qt::CTRL) | int(Qt::SHIFT) | Qt::Key_O},
    {&Actions::exportModel, "exportModel", QT_TRANSLATE_NOOP("Actions", "&Export the model..."),
        QT_TRANSLATE_NOOP("Actions", "Write the model that is open as a Colibri export"), int(Qt::CTRL) | Qt::Key_E},
    {&Actions::closeModel, "closeModel", QT_TRANSLATE_NOOP("Actions", "&Close the model"),
        QT_TRANSLATE_NOOP("Actions", "Close the model and go to the first page"), int(Qt::CTRL) | Qt::Key_W},
    {&Actions::quit, "quit", QT_TRANSLATE_NOOP("Actions", "&Quit"),
        QT_TRANSLATE_NOOP("Actions", "End the program; a run is stopped"), int(Qt::CTRL) | Qt::Key_Q},
    {&Actions::themeSystem, "themeSystem", QT_TRANSLATE_NOOP("Actions", "Colours of the &system"),
        QT_TRANSLATE_NOOP("Actions", "Light or dark as the system is"), int(Qt::CTRL) | int(Qt::ALT) | Qt::Key_S},
    {&Actions::themeLight, "themeLight", QT_TRANSLATE_NOOP("Actions", "&Light colours"),
        QT_TRANSLATE_NOOP("Actions", "Dark text on a light ground"), int(Qt::CTRL) | int(Qt::ALT) | Qt::Key_L},
    {&Actions::themeDark, "themeDark", QT_TRANSLATE_NOOP("Actions", "&Dark colours"),
        QT_TRANSLATE_NOOP("Actions", "Light text on a dark ground"), int(Qt::CTRL) | int(Qt::ALT) | Qt::Key_D},
    {&Actions::goBack, "goBack", QT_TRANSLATE_NOOP("Actions", "&Back"),
        QT_TRANSLATE_NOOP("Actions", "Select what was selected before"), int(Qt::ALT) | Qt::Key_Left},
    {&Actions::goForward, "goForward", QT_TRANSLATE_NOOP("Actions", "&Forward"),
        QT_TRANSLATE_NOOP("Actions", "Select what was selected after this"), int(Qt::ALT) | Qt::Key_Right},
    {&Actions::resetLayout, "resetLayout", QT_TRANSLATE_NOOP("Actions", "&Reset the layout"),
        QT_TRANSLATE_NOOP("Actions", "Put every panel back to its first place"),
        int(Qt::CTRL) | int(Qt::ALT) | Qt::Key_0},
    {&Actions::commands, "commands", QT_TRANSLATE_NOOP("Actions", "&Commands..."),
        QT_TRANSLATE_NOOP("Actions", "Find a command by some of its letters"), int(Qt::CTRL) | Qt::Key_K},
    {&Actions::shortcuts, "shortcuts", QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts"),
        QT_TRANSLATE_NOOP("Actions", "List every shortcut of this window"), Qt::Key_F1},
    {&Actions::about, "about", QT_TRANSLATE_NOOP("Actions", "&About Colibri"),
        QT_TRANSLATE_NOOP("Actions", "Version and licences"), int(Qt::SHIFT) | Qt::Key_F1},
};

QString translated(const char* text)
{
    return QCoreApplication::translate("Actions", text);
}

} // namespace

void setUpAction(
    QAction* action, QWidget* window, const QString& name, const QString& toolTip, const QKeySequence& shortcut)
{
    action->setObjectName(name);
    action->setShortcut(shortcut);
    action->setToolTip(QStringLiteral("%1 (%2)").arg(toolTip, shortcut.toString(QKeySequence::NativeText)));
    action->setStatusTip(toolTip);
    window->addAction(action);
}

QAction* makeAction(
    QWidget* window, const QString& name, const QString& text, const QString& toolTip, const QKeySequence& shortcut)
{
    auto* const action = new QAction(text, window);
    setUpAction(action, window, name, toolTip, shortcut);
    return action;
}

Actions::Actions(QWidget* window)
{
    for (const Line& line : lines)
        this->*line.action = makeAction(window, QString::fromLatin1(line.name), translated(line.text),
            translated(line.toolTip), QKeySequence(line.shortcut));
    auto* const themes = new QActionGroup(window);
    for (QAction* const theme : {themeSystem, themeLight, themeDark}) {
        theme->setCheckable(true);
        themes->addAction(theme);
    }
    quit->setMenuRole(QAction::QuitRole);
    about->setMenuRole(QAction::AboutRole);
}

} // namespace colibri
