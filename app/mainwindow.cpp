// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow.h"

#include "api/run_file.h"
#include "commandpalette.h"
#include "filedrop.h"
#include "helpdialogs.h"
#include "modeldialog.h"
#include "statusbuttons.h"
#include "statusline.h"
#include "views/opening/openingpage.h"
#include "views/start/startpage.h"
#include "views/theme/theme.h"

#include <QCloseEvent>
#include <QDir>
#include <QFile>
#include <QMenuBar>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QStyle>
#include <QTabWidget>
#include <QWindow>

namespace colibri {
namespace {

const QString demoName = QStringLiteral("demo");
constexpr QSize firstSize(1280, 760);
constexpr QSize leastPage(60 * grid::unit, 36 * grid::unit); ///< what a page shows never makes the window larger

/// A page and the panels that go with it.
struct Arrangement {
    const char* name;
    const char* text;
    const char* toolTip;
    int shortcut;
    const char* page;
    QStringList docks;
};

const QList<Arrangement>& arrangements()
{
    static const QList<Arrangement> all{
        {"layoutText", QT_TRANSLATE_NOOP("MainWindow", "&Text and grid only"),
            QT_TRANSLATE_NOOP("MainWindow", "The run page without any panel, to show a model thinking"),
            int(Qt::CTRL) | int(Qt::ALT) | Qt::Key_T, "run", {}},
        {"layoutDetails", QT_TRANSLATE_NOOP("MainWindow", "&Decisions"),
            QT_TRANSLATE_NOOP("MainWindow", "The run page with the details of the selection"),
            int(Qt::CTRL) | int(Qt::ALT) | Qt::Key_E, "run", {QStringLiteral("details")}},
        {"layoutModel", QT_TRANSLATE_NOOP("MainWindow", "&Model"),
            QT_TRANSLATE_NOOP("MainWindow", "The model page with its tree and the details of the selection"),
            int(Qt::CTRL) | int(Qt::ALT) | Qt::Key_M, "model", {QStringLiteral("model"), QStringLiteral("details")}},
    };
    return all;
}

} // namespace

MainWindow::MainWindow(const MainWindowParts& parts, const MainWindowContents& contents)
    : m_parts(parts)
    , m_actions(this)
{
    setObjectName(QStringLiteral("mainWindow"));
    makePages(contents);
    m_docks = new Docks(*this, contents.docks);
    makeMenus(contents);
    connectActions();
    connectTheme();
    makeStatusBar();
    auto* const drop = new FileDrop(this);
    connect(drop, &FileDrop::dropped, this, &MainWindow::openModel);
    connect(drop, &FileDrop::activeChanged, m_startPage, &StartPage::setDropActive);
    connect(&parts.open, &OpenStore::stateChanged, this, &MainWindow::showOpenState);
    connect(&parts.selection, &SelectionStore::historyChanged, this, &MainWindow::showHistory);
    restore();
    showRecent();
    showOpenState();
}

void MainWindow::makePages(const MainWindowContents& contents)
{
    m_startPage = new StartPage(m_actions.openDemo, m_actions.openModel);
    auto* const openingPage = new OpeningPage(m_parts.open);
    connect(m_startPage, &StartPage::openRequested, this, &MainWindow::openModel);
    connect(m_startPage, &StartPage::removeRequested, this, [this](const QString& path) {
        m_parts.settings.removeRecent(path);
        showRecent();
    });
    connect(openingPage, &OpeningPage::cancelRequested, &m_parts.engine, &EngineClient::cancelOpen);
    connect(openingPage, &OpeningPage::backRequested, this, &MainWindow::leaveOpening);
    connect(openingPage, &OpeningPage::retryRequested, this, &MainWindow::openAgain);
    m_openingPage = openingPage;
    m_pages = new QTabWidget;
    m_pages->setObjectName(QStringLiteral("pages"));
    m_pages->setAccessibleName(tr("Pages"));
    m_pages->setDocumentMode(true);
    for (const PageEntry& page : contents.pages) {
        page.widget->setObjectName(QStringLiteral("page_") + page.id);
        m_pages->setTabToolTip(m_pages->addTab(page.widget, page.title), page.toolTip);
    }
    m_views = new QStackedWidget;
    m_views->setObjectName(QStringLiteral("views"));
    for (QWidget* const view : {static_cast<QWidget*>(m_startPage), m_openingPage, static_cast<QWidget*>(m_pages)})
        m_views->addWidget(view);
    m_views->setMinimumSize(leastPage);
    setCentralWidget(m_views);
    connect(m_pages, &QTabWidget::currentChanged, this, [this] { emit pageChanged(currentPage()); });
}

void MainWindow::makeMenus(const MainWindowContents& contents)
{
    QMenu* const file = menuBar()->addMenu(tr("&File"));
    file->addActions({m_actions.openModel, m_actions.openDemo});
    m_recentMenu = file->addMenu(tr("Open &recent"));
    file->addActions({m_actions.newWindow, m_actions.openInNewWindow});
    file->addSeparator();
    file->addAction(m_actions.exportModel);
    file->addSeparator();
    file->addActions({m_actions.closeModel, m_actions.quit});
    QMenu* const run = menuBar()->addMenu(tr("&Run"));
    for (QAction* const action : contents.runActions) {
        if (action)
            run->addAction(action);
        else
            run->addSeparator();
    }
    makeGoMenu(contents.pages);
    QMenu* const view = menuBar()->addMenu(tr("&View"));
    view->addActions({m_actions.themeSystem, m_actions.themeLight, m_actions.themeDark});
    makeWindowMenu();
    QMenu* const help = menuBar()->addMenu(tr("&Help"));
    help->addActions({m_actions.commands, m_actions.shortcuts, m_actions.about});
}

void MainWindow::makeGoMenu(const QList<PageEntry>& pages)
{
    QMenu* const go = menuBar()->addMenu(tr("&Go"));
    go->addActions({m_actions.goBack, m_actions.goForward});
    go->addSeparator();
    for (int i = 0; i < pages.size(); ++i) {
        const QString id = pages[i].id;
        QAction* const action = makeAction(this, QStringLiteral("go_") + id, pages[i].title, pages[i].toolTip,
            QKeySequence(int(Qt::CTRL) | (Qt::Key_1 + i)));
        connect(action, &QAction::triggered, this, [this, id] { showPage(id); });
        go->addAction(action);
        m_pageActions << action;
    }
}

void MainWindow::makeWindowMenu()
{
    QMenu* const menu = menuBar()->addMenu(tr("&Window"));
    menu->addActions(m_docks->toggles());
    menu->addSeparator();
    makeLayouts(menu->addMenu(tr("&Layout")));
    menu->addAction(m_actions.resetLayout);
    m_pageActions << m_actions.resetLayout;
    connect(m_actions.resetLayout, &QAction::triggered, m_docks, &Docks::arrange);
}

void MainWindow::makeLayouts(QMenu* menu)
{
    for (const Arrangement& layout : arrangements()) {
        QAction* const action = makeAction(
            this, QLatin1String(layout.name), tr(layout.text), tr(layout.toolTip), QKeySequence(layout.shortcut));
        connect(action, &QAction::triggered, this, [this, layout] {
            showPage(QLatin1String(layout.page));
            m_docks->showOnly(layout.docks);
        });
        menu->addAction(action);
        m_pageActions << action;
    }
}

void MainWindow::makeStatusBar()
{
    new StatusLine(m_parts.open, m_parts.run, statusBar());
    auto* const buttons = new StatusButtons(m_parts.tasks, m_parts.log, statusBar());
    connect(buttons, &StatusButtons::tasksRequested, this, [this] { m_docks->raise(QStringLiteral("tasks")); });
    connect(buttons, &StatusButtons::logRequested, this, [this, buttons] {
        m_docks->raise(QStringLiteral("log"));
        buttons->markLogSeen();
    });
}

void MainWindow::connectActions()
{
    connect(m_actions.openDemo, &QAction::triggered, this, [this] { openModel(demoName); });
    connect(m_actions.openModel, &QAction::triggered, this, &MainWindow::chooseModel);
    connect(m_actions.newWindow, &QAction::triggered, this, [this] { emit newWindowRequested({}); });
    connect(m_actions.openInNewWindow, &QAction::triggered, this,
        [this] { chooseModelFor(tr("Open a model in a new window"), &MainWindow::newWindowRequested); });
    connect(m_actions.exportModel, &QAction::triggered, this, &MainWindow::exportRequested);
    connect(m_actions.closeModel, &QAction::triggered, &m_parts.engine, &EngineClient::closeModel);
    connect(m_actions.quit, &QAction::triggered, this, &QWidget::close);
    connect(m_actions.goBack, &QAction::triggered, &m_parts.selection, &SelectionStore::goBack);
    connect(m_actions.goForward, &QAction::triggered, &m_parts.selection, &SelectionStore::goForward);
    connect(m_actions.commands, &QAction::triggered, this,
        [this] { (new CommandPalette(commandsOf(*menuBar()), this))->open(); });
    connect(m_actions.shortcuts, &QAction::triggered, this, [this] { showShortcuts(this); });
    connect(m_actions.about, &QAction::triggered, this, [this] { showAbout(this); });
}

void MainWindow::connectTheme()
{
    m_parts.theme.setChoice(m_parts.settings.theme());
    const std::pair<QAction*, ThemeChoice> choices[]{{m_actions.themeSystem, ThemeChoice::System},
        {m_actions.themeLight, ThemeChoice::Light}, {m_actions.themeDark, ThemeChoice::Dark}};
    for (const auto& [action, choice] : choices) {
        action->setChecked(choice == m_parts.theme.choice());
        connect(action, &QAction::triggered, this, [this, chosen = choice] {
            m_parts.theme.setChoice(chosen);
            m_parts.settings.setTheme(chosen);
        });
    }
}

void MainWindow::restore()
{
    m_docks->setPagesSeen(false);
    resize(firstSize);
    restoreGeometry(m_parts.settings.geometry());
    const int title = style()->pixelMetric(QStyle::PM_TitleBarHeight);
    fitToScreen({grid::half, title, grid::half, grid::half}); // the frame is not known before it is there
    m_restored = size();
    m_docks->restore(m_parts.settings.windowState());
}

void MainWindow::fitToScreen(const QMargins& frame)
{
    if (isMaximized() || isFullScreen())
        return;
    const QRect place = fittedTo(geometry(), screen()->availableGeometry().marginsRemoved(frame));
    if (place != geometry())
        setGeometry(place);
}

void MainWindow::showRecent()
{
    const QStringList paths = m_parts.settings.recent();
    m_startPage->setRecent(paths);
    qDeleteAll(m_recentMenu->actions());
    m_recentMenu->setEnabled(!paths.isEmpty());
    for (int i = 0; i < paths.size(); ++i) {
        const QString& path = paths[i];
        const QString text = QDir::toNativeSeparators(path).replace(u'&', QStringLiteral("&&"));
        QAction* const action = makeAction(m_recentMenu, QStringLiteral("recent%1").arg(i + 1), text,
            tr("Open %1 again").arg(path), QKeySequence(int(Qt::CTRL) | int(Qt::ALT) | (Qt::Key_1 + i)));
        connect(action, &QAction::triggered, this, [this, path] { openModel(path); });
    }
}

void MainWindow::openModel(const QString& path)
{
    if (isSavedRun(QFile::encodeName(path).toStdString()))
        emit savedRunChosen(path);
    else
        m_parts.engine.open(path == demoName ? path : modelPath(path));
}

void MainWindow::openAgain()
{
    m_parts.engine.open(m_parts.open.path());
}

void MainWindow::showOpenState()
{
    const OpenStore::State state = m_parts.open.state();
    const ModelFactsPtr& model = m_parts.open.model();
    const bool refused = model && model->refused;
    m_actions.exportModel->setEnabled(model && !refused);
    m_actions.closeModel->setEnabled(model != nullptr || state == OpenStore::State::Opening);
    const QString path = model ? QString::fromStdString(model->path) : QString();
    setWindowTitle(
        !model ? tr("Colibri") : (refused ? tr("%1, cannot be run - Colibri") : tr("%1 - Colibri")).arg(path));
    if (state == OpenStore::State::Opened) {
        m_pages->setCurrentIndex(0);
        if (refused)
            showPage(QStringLiteral("model"));
        if (m_parts.open.path() != demoName)
            m_parts.settings.addRecent(m_parts.open.path());
        showRecent();
    }
    if (state == OpenStore::State::Opening || state == OpenStore::State::Failed)
        showView(m_openingPage);
    else
        leaveOpening();
}

void MainWindow::leaveOpening()
{
    showView(m_parts.open.model() ? static_cast<QWidget*>(m_pages) : m_startPage);
}

void MainWindow::showView(QWidget* view)
{
    m_docks->setPagesSeen(view == m_pages);
    for (QAction* const action : m_pageActions)
        action->setEnabled(view == m_pages);
    if (m_views->currentWidget() != view) {
        m_views->setCurrentWidget(view);
        (view == m_pages ? m_pages->currentWidget() : view)->setFocus();
    }
    showHistory();
}

void MainWindow::showHistory()
{
    const bool pages = m_views->currentWidget() == m_pages;
    m_actions.goBack->setEnabled(pages && m_parts.selection.canGoBack());
    m_actions.goForward->setEnabled(pages && m_parts.selection.canGoForward());
}

void MainWindow::showPage(const QString& id)
{
    for (int i = 0; i < m_pages->count(); ++i) {
        if (m_pages->widget(i)->objectName() == QStringLiteral("page_") + id)
            m_pages->setCurrentIndex(i);
    }
}

QWidget* MainWindow::currentPage() const
{
    return m_pages->currentWidget();
}

void MainWindow::chooseModel()
{
    chooseModelFor(tr("Open a model"), &MainWindow::openModel);
}

void MainWindow::chooseModelFor(const QString& title, void (MainWindow::*use)(const QString&))
{
    auto* const dialog = new ModelDialog(title, this);
    connect(dialog, &QFileDialog::fileSelected, this, use);
    dialog->open();
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::ActivationChange && isActiveWindow() && std::exchange(m_restored, {}) == size())
        fitToScreen(windowHandle()->frameMargins());
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    m_parts.settings.setWindow(saveGeometry(), m_docks->save());
    event->accept();
}

} // namespace colibri
