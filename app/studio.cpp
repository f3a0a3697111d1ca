// SPDX-License-Identifier: GPL-3.0-or-later
#include "studio.h"

#include "views/activity/logpanel.h"
#include "views/activity/taskpanel.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"
#include "views/run/tokendetails.h"
#include "views/theme/theme.h"

namespace colibri {
namespace {

const QString runPageId = QStringLiteral("run");

QString tr(const char* text)
{
    return QCoreApplication::translate("Studio", text);
}

} // namespace

Studio::Studio()
    : m_engine(m_open, m_run)
    , m_feed(m_open, m_run, m_tasks, m_log, {[this] { m_engine.cancelOpen(); }, [this] { m_engine.stop(); }}, nullptr)
    , m_window(std::make_unique<MainWindow>(
          MainWindowParts{m_open, m_run, m_selection, m_tasks, m_log, m_engine, m_theme, m_settings}, contents()))
{
    connectRunPage();
    m_runPage->restoreLayout(m_settings.pageLayout(runPageId));
    m_runPage->promptPanel().setHistory(m_settings.prompts());
    QObject::connect(&m_open, &OpenStore::modelChanged, &m_selection, &SelectionStore::forget);
    QObject::connect(&m_open, &OpenStore::modelChanged, &m_kept, &RunStore::clear);
}

Studio::~Studio()
{
    m_settings.setPageLayout(runPageId, m_runPage->saveLayout());
    m_settings.setPrompts(m_runPage->promptPanel().history());
}

MainWindowContents Studio::contents()
{
    m_runPage = new RunPage(m_open, m_run, m_kept, m_selection);
    MainWindowContents contents;
    contents.pages = {
        {runPageId, tr("Run"), tr("A model at work: its text and the experts of each token"), m_runPage},
    };
    contents.docks = {
        {QStringLiteral("details"), tr("Details"), tr("Everything known of what is selected"),
            new TokenDetails(m_run, m_selection), Qt::RightDockWidgetArea, 40 * grid::unit},
        {QStringLiteral("tasks"), tr("Tasks"), tr("What is under way"), new TaskPanel(m_tasks),
            Qt::BottomDockWidgetArea, 18 * grid::unit, false},
        {QStringLiteral("log"), tr("Log"), tr("What has happened"), new LogPanel(m_log), Qt::BottomDockWidgetArea,
            18 * grid::unit, false},
    };
    contents.runActions = m_runPage->runActions();
    contents.runActions << nullptr << m_runPage->keepActions();
    return contents;
}

void Studio::connectRunPage()
{
    QObject::connect(m_runPage, &RunPage::runRequested, &m_engine, &EngineClient::run);
    QObject::connect(m_runPage, &RunPage::stepRequested, &m_engine, &EngineClient::step);
    QObject::connect(m_runPage, &RunPage::continueRequested, &m_engine, &EngineClient::continueRun);
    QObject::connect(m_runPage, &RunPage::stopRequested, &m_engine, &EngineClient::stop);
    QObject::connect(m_runPage, &RunPage::paceChanged, &m_engine, &EngineClient::setPace);
    QObject::connect(m_runPage, &RunPage::keepRequested, &m_kept, [this] { m_kept.keep(m_run); });
    QObject::connect(m_runPage, &RunPage::dropRequested, &m_kept, &RunStore::clear);
    QObject::connect(&m_open, &OpenStore::stateChanged, m_runPage, [this] {
        if (m_open.state() == OpenStore::State::Opened)
            m_runPage->promptPanel().focusPrompt();
    });
    QObject::connect(m_runPage, &RunPage::openRequested, m_window.get(), &MainWindow::chooseFolder);
}

} // namespace colibri
