// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "actions.h"
#include "session/engineclient.h"
#include "settings.h"
#include "stores/openstore.h"

#include <QMainWindow>

class QMenu;
class QStackedWidget;

namespace colibri {

class StartPage;

/// What the main window is made over. All of it lives longer than the window.
struct MainWindowParts {
    OpenStore& open;
    RunStore& run;
    EngineClient& engine;
    Theme& theme;
    Settings& settings;
};

/// Menus, pages and status bar. Shows the page that belongs to the state of the opening.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// Takes `runPage`, which is shown while a model is open.
    MainWindow(const MainWindowParts& parts, QWidget* runPage);

    /// A path, or "demo".
    void openModel(const QString& path);
    void chooseFolder(); ///< asks, then opens

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    void makePages(QWidget* runPage);
    void makeMenus();
    void connectActions();
    void connectTheme();
    void restore();
    void showRecent();
    void showOpenState();
    void showPage(QWidget* page);
    void goBack(); ///< from the opening page

    MainWindowParts m_parts;
    Actions m_actions;
    QStackedWidget* m_pages = nullptr;
    StartPage* m_startPage = nullptr;
    QWidget* m_openingPage = nullptr;
    QWidget* m_runPage = nullptr;
    QMenu* m_recentMenu = nullptr;
};

} // namespace colibri
