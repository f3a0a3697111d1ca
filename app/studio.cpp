// SPDX-License-Identifier: GPL-3.0-or-later
#include "studio.h"

#include "detailspanel.h"
#include "exports.h"
#include "savedruns.h"
#include "views/activity/logpanel.h"
#include "views/activity/taskpanel.h"
#include "views/latency/latencypage.h"
#include "views/model/modelpage.h"
#include "views/model/modeltree.h"
#include "views/routing/routingpage.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"
#include "views/theme/theme.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStatusBar>

namespace colibri {
namespace {

const QString runPageId = QStringLiteral("run");
const QString modelPageId = QStringLiteral("model");
constexpr int savedMessageMs = 8000;

QString tr(const char* text)
{
    return QCoreApplication::translate("Studio", text);
}

} // namespace

Studio::Studio()
    : m_engine(m_open, m_run)
    , m_feed(m_open, m_run, m_tasks, m_log, {[this] { m_engine.cancelOpen(); }, [this] { m_engine.stop(); }}, nullptr)
    , m_taskRunner(m_tasks)
    , m_window(std::make_unique<MainWindow>(
          MainWindowParts{m_open, m_run, m_selection, m_tasks, m_log, m_engine, m_theme, m_settings}, contents()))
{
    connectRunPage();
    connectPages();
    connectExports();
    m_runPage->promptPanel().setHistory(m_settings.prompts());
    QObject::connect(&m_open, &OpenStore::modelChanged, &m_selection, &SelectionStore::forget);
    QObject::connect(&m_open, &OpenStore::modelChanged, &m_kept, &RunStore::clear);
}

Studio::~Studio()
{
    for (const auto& save : m_saves)
        save();
    m_settings.setPrompts(m_runPage->promptPanel().history());
}

/// Restores how the parts of a page are arranged, and sees to it that it is saved in the end.
template <class Page>
Page* Studio::remembered(const QString& id, Page* page)
{
    page->restoreLayout(m_settings.pageLayout(id));
    m_saves.push_back([this, id, page] { m_settings.setPageLayout(id, page->saveLayout()); });
    return page;
}

MainWindowContents Studio::contents()
{
    m_runPage = remembered(runPageId, new RunPage(m_open, m_run, m_kept, m_selection));
    m_latencyPage = remembered(QStringLiteral("latency"), new LatencyPage(m_run, m_kept, m_selection));
    m_modelPage = remembered(QStringLiteral("model"), new ModelPage(m_open, m_selection));
    m_routingPage = remembered(QStringLiteral("routing"), new RoutingPage(m_run, m_kept, m_selection));
    m_details = new DetailsPanel(m_open, m_run, m_selection);
    MainWindowContents contents;
    contents.pages = {
        {runPageId, tr("Run"), tr("A model at work: its text and the experts of each token"), m_runPage},
        {QStringLiteral("routing"), tr("Routing"), tr("Which experts a run uses, and how evenly"), m_routingPage},
        {QStringLiteral("latency"), tr("Latency"), tr("How long each token took, and where the time went"),
            m_latencyPage},
        {QStringLiteral("model"), tr("Model"), tr("What the model is made of: dimensions, tensors, files, rules"),
            m_modelPage},
    };
    contents.docks = {
        {QStringLiteral("model"), tr("Parts"), tr("The parts of the model, as a tree"),
            new ModelTree(m_open, m_selection), Qt::LeftDockWidgetArea, 30 * grid::unit, false},
        {QStringLiteral("details"), tr("Details"), tr("Everything known of what is selected"), m_details,
            Qt::RightDockWidgetArea, 40 * grid::unit},
        {QStringLiteral("tasks"), tr("Tasks"), tr("What is under way"), new TaskPanel(m_tasks),
            Qt::BottomDockWidgetArea, 18 * grid::unit, false, false},
        {QStringLiteral("log"), tr("Log"), tr("What has happened"), new LogPanel(m_log), Qt::BottomDockWidgetArea,
            18 * grid::unit, false, false},
    };
    contents.runActions = m_runPage->runActions();
    contents.runActions << nullptr << m_runPage->keepActions() << nullptr << m_latencyPage->exportActions();
    m_savedRuns = new SavedRuns({m_open, m_run, m_tasks, m_log, m_engine, m_taskRunner, m_settings, *m_runPage});
    contents.runActions << nullptr << m_savedRuns->actions();
    return contents;
}

void Studio::connectPages()
{
    const auto showRunPage = [this] { m_window->showPage(runPageId); };
    QObject::connect(m_latencyPage, &LatencyPage::runPageRequested, m_window.get(), showRunPage);
    QObject::connect(m_routingPage, &RoutingPage::runPageRequested, m_window.get(), showRunPage);
    QObject::connect(m_window.get(), &MainWindow::pageChanged, m_details,
        [this](QWidget* page) { m_details->setPartsSeen(page == m_modelPage); });
    QObject::connect(m_modelPage, &ModelPage::openRequested, m_window.get(), &MainWindow::chooseModel);
    QObject::connect(m_modelPage, &ModelPage::retryRequested, m_window.get(), &MainWindow::openAgain);
    QObject::connect(m_runPage, &RunPage::retryRequested, m_window.get(), &MainWindow::openAgain);
    QObject::connect(
        m_runPage, &RunPage::inspectRequested, m_window.get(), [this] { m_window->showPage(modelPageId); });
}

void Studio::connectExports()
{
    MainWindow* const window = m_window.get();
    auto* const exports = new Exports({m_open, m_export, m_tasks, m_log, m_engine, m_taskRunner, m_settings}, window);
    QObject::connect(window, &MainWindow::exportRequested, exports, &Exports::show);
    QObject::connect(exports, &Exports::openRequested, window, &MainWindow::openModel);
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
        if (m_open.state() == OpenStore::State::Opened && !m_open.model()->refused)
            m_runPage->promptPanel().focusPrompt();
    });
    QObject::connect(m_runPage, &RunPage::openRequested, m_window.get(), &MainWindow::chooseModel);
    QObject::connect(m_window.get(), &MainWindow::savedRunChosen, m_savedRuns, &SavedRuns::load);
    const auto say = [this](const QString& what) { m_window->statusBar()->showMessage(what, savedMessageMs); };
    QObject::connect(m_savedRuns, &SavedRuns::saved, m_window.get(), say);
    QObject::connect(m_latencyPage, &LatencyPage::timingsSaved, m_window.get(), [this, say](const QString& path) {
        m_log.add(LogLevel::Info, QStringLiteral("timings"), tr("saved to %1").arg(path));
        say(tr("Saved %1").arg(QFileInfo(path).fileName()));
    });
    QObject::connect(m_savedRuns, &SavedRuns::shown, m_window.get(), [this] { m_window->showPage(runPageId); });
}

} // namespace colibri
