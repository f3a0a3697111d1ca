// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>

class QActionGroup;
class QWidget;

namespace colibri {

/// The actions of the main window's menus, each with text, shortcut and tooltip. Owned by the window.
struct Actions {
    explicit Actions(QWidget* window);

    QAction* openDemo = nullptr;
    QAction* openModel = nullptr;
    QAction* newWindow = nullptr;
    QAction* openInNewWindow = nullptr;
    QAction* exportModel = nullptr;
    QAction* closeModel = nullptr;
    QAction* quit = nullptr;
    QAction* themeSystem = nullptr; ///< the three themes are checkable and exclude each other
    QAction* themeLight = nullptr;
    QAction* themeDark = nullptr;
    QAction* goBack = nullptr;
    QAction* goForward = nullptr;
    QAction* resetLayout = nullptr;
    QAction* commands = nullptr;
    QAction* shortcuts = nullptr;
    QAction* about = nullptr;
};

/// Gives an action what every action here has, and adds it to `window`: the tooltip tells its shortcut.
void setUpAction(
    QAction* action, QWidget* window, const QString& name, const QString& toolTip, const QKeySequence& shortcut);
/// An action that tells its shortcut in its tooltip, added to `window`.
QAction* makeAction(
    QWidget* window, const QString& name, const QString& text, const QString& toolTip, const QKeySequence& shortcut);

} // namespace colibri
