// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow.h"

#include "filedrop.h"
#include "helpdialogs.h"
#include "statusline.h"
#include "views/opening/openingpage.h"
#include "views/start/startpage.h"

#include <QCloseEvent>
#include <QDir>
#include <QFileDialog>
#include <QMenuBar>
#include <QStackedWidget>
#include <QStatusBar>

namespace colibri {
namespace {

const QString demoName = QStringLiteral("demo");

} // namespace

MainWindow::MainWindow(const MainWindowParts& parts, QWidget* runPage)
    : m_parts(parts)
    , m_actions(this)
{
    setObjectName(QStringLiteral("mainWindow"));
    makePages(runPage);
    makeMenus();
    connectActions();
    connectTheme();
    new StatusLine(parts.open, parts.run, statusBar());
    auto* const drop = new FileDrop(this);
    connect(drop, &FileDrop::dropped, this, &MainWindow::openModel);
    connect(drop, &FileDrop::activeChanged, m_startPage, &StartPage::setDropActive);
    connect(&parts.open, &OpenStore::stateChanged, this, &MainWindow::showOpenState);
    restore();
    showRecent();
    showOpenState();
}

void MainWindow::makePages(QWidget* runPage)
{
    m_startPage = new StartPage(m_actions.openDemo, m_actions.openFolder);
    auto* const openingPage = new OpeningPage(m_parts.open);
    connect(m_startPage, &StartPage::openRequested, this, &MainWindow::openModel);
    connect(m_startPage, &StartPage::removeRequested, this, [this](const QString& path) {
        m_parts.settings.removeRecent(path);
        showRecent();
    });
    connect(openingPage, &OpeningPage::cancelRequested, &m_parts.engine, &EngineClient::cancelOpen);
    connect(openingPage, &OpeningPage::backRequested, this, &MainWindow::goBack);
    m_openingPage = openingPage;
    m_runPage = runPage;
    m_pages = new QStackedWidget;
    for (QWidget* const page : {static_cast<QWidget*>(m_startPage), m_openingPage, m_runPage})
        m_pages->addWidget(page);
    setCentralWidget(m_pages);
}

void MainWindow::makeMenus()
{
    QMenu* const file = menuBar()->addMenu(tr("&File"));
    file->addActions({m_actions.openFolder, m_actions.openDemo});
    m_recentMenu = file->addMenu(tr("Open &recent"));
    file->addSeparator();
    file->addActions({m_actions.closeModel, m_actions.quit});
    QMenu* const view = menuBar()->addMenu(tr("&View"));
    view->addActions({m_actions.themeSystem, m_actions.themeLight, m_actions.themeDark});
    QMenu* const help = menuBar()->addMenu(tr("&Help"));
    help->addActions({m_actions.shortcuts, m_actions.about});
}

void MainWindow::connectActions()
{
    connect(m_actions.openDemo, &QAction::triggered, this, [this] { openModel(demoName); });
    connect(m_actions.openFolder, &QAction::triggered, this, &MainWindow::chooseFolder);
    connect(m_actions.closeModel, &QAction::triggered, &m_parts.engine, &EngineClient::closeModel);
    connect(m_actions.quit, &QAction::triggered, this, &QWidget::close);
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
    resize(1100, 760);
    restoreGeometry(m_parts.settings.geometry());
    restoreState(m_parts.settings.windowState());
}

void MainWindow::showRecent()
{
    const QStringList paths = m_parts.settings.recent();
    m_startPage->setRecent(paths);
    qDeleteAll(m_recentMenu->actions());
    m_recentMenu->setEnabled(!paths.isEmpty());
    for (int i = 0; i < paths.size(); ++i) {
        const QString& path = paths[i];
        QAction* const action =
            makeAction(m_recentMenu, QStringLiteral("recent%1").arg(i + 1), QDir::toNativeSeparators(path),
                tr("Open %1 again").arg(path), QKeySequence(int(Qt::CTRL) | int(Qt::ALT) | (Qt::Key_1 + i)));
        connect(action, &QAction::triggered, this, [this, path] { openModel(path); });
    }
}

void MainWindow::openModel(const QString& path)
{
    m_parts.engine.open(path);
}

void MainWindow::showOpenState()
{
    const OpenStore::State state = m_parts.open.state();
    const ModelFactsPtr& model = m_parts.open.model();
    m_actions.closeModel->setEnabled(model != nullptr || state == OpenStore::State::Opening);
    setWindowTitle(model ? tr("%1 - Colibri").arg(QString::fromStdString(model->path)) : tr("Colibri"));
    if (state == OpenStore::State::Opened && m_parts.open.path() != demoName) {
        m_parts.settings.addRecent(m_parts.open.path());
        showRecent();
    }
    if (state == OpenStore::State::Opening || state == OpenStore::State::Failed)
        showPage(m_openingPage);
    else
        goBack();
}

void MainWindow::goBack()
{
    showPage(m_parts.open.model() ? m_runPage : static_cast<QWidget*>(m_startPage));
}

void MainWindow::showPage(QWidget* page)
{
    if (m_pages->currentWidget() == page)
        return;
    m_pages->setCurrentWidget(page);
    page->setFocus();
}

void MainWindow::chooseFolder()
{
    auto* const dialog = new QFileDialog(this, tr("Open a model"));
    dialog->setObjectName(QStringLiteral("folderDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::openModel);
    dialog->open();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    m_parts.settings.setWindow(saveGeometry(), saveState());
    event->accept();
}

} // namespace colibri
