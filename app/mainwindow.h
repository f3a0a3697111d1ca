// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "actions.h"
#include "docks.h"
#include "session/engineclient.h"
#include "settings.h"
#include "stores/logstore.h"
#include "stores/openstore.h"
#include "stores/selectionstore.h"
#include "stores/taskstore.h"

#include <QMainWindow>

class QMenu;
class QStackedWidget;
class QTabWidget;

namespace colibri {

class StartPage;

/// What the main window is made over. All of it lives longer than the window.
struct MainWindowParts {
    OpenStore& open;
    RunStore& run;
    SelectionStore& selection;
    TaskStore& tasks;
    LogStore& log;
    EngineClient& engine;
    Theme& theme;
    Settings& settings;
};

struct PageEntry {
    QString id;
    QString title;
    QString toolTip; ///< what it shows
    QWidget* widget = nullptr;
};

/// What it shows while a model is open. The window takes the widgets.
struct MainWindowContents {
    QList<PageEntry> pages; ///< the first is shown when a model was opened
    QList<DockEntry> docks;
    QList<QAction*> runActions; ///< of the menu Run; null: a line
};

/// Menus, pages, panels and status bar. Shows the page that belongs to the state of the opening.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    MainWindow(const MainWindowParts& parts, const MainWindowContents& contents);

    /// A path, or "demo". A saved run, which is known by its first bytes, goes to savedRunChosen().
    void openModel(const QString& path);
    void openAgain(); ///< what was opened last
    void chooseModel(); ///< asks, then opens
    void showPage(const QString& id); ///< of the contents
    QWidget* currentPage() const; ///< of the contents, whether it is seen or not
    Docks& docks() { return *m_docks; }

signals:
    void savedRunChosen(const QString& path); ///< dropped, or given to openModel()
    void exportRequested(); ///< of the model that is open
    void pageChanged(QWidget* page); ///< to this one of the contents
    void newWindowRequested(const QString& path); ///< a path, or empty: without a model

protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    void makePages(const MainWindowContents& contents);
    void makeMenus(const MainWindowContents& contents);
    void makeGoMenu(const QList<PageEntry>& pages);
    void makeWindowMenu();
    void makeLayouts(QMenu* menu);
    void connectActions();
    void connectTheme();
    void makeStatusBar();
    void restore();
    void fitToScreen(const QMargins& frame);
    void showRecent();
    void showOpenState();
    void showView(QWidget* view); ///< start, opening or pages
    void showHistory();
    void leaveOpening();
    void chooseModelFor(const QString& title, void (MainWindow::*use)(const QString&));

    MainWindowParts m_parts;
    Actions m_actions;
    QStackedWidget* m_views = nullptr;
    StartPage* m_startPage = nullptr;
    QWidget* m_openingPage = nullptr;
    QTabWidget* m_pages = nullptr;
    QMenu* m_recentMenu = nullptr;
    QList<QAction*> m_pageActions; ///< that need a model
    Docks* m_docks = nullptr;
    QSize m_restored; ///< until it was first active, and so has its frame
};

} // namespace colibri
