// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow.h"
#include "session/engineclient.h"
#include "settings.h"
#include "stores/activityfeed.h"
#include "stores/exportstore.h"
#include "stores/openstore.h"
#include "stores/runstore.h"
#include "stores/selectionstore.h"
#include "tasks/taskrunner.h"
#include "views/theme/theme.h"

#include <functional>
#include <memory>
#include <vector>

namespace colibri {

class DetailsPanel;
class Exports;
class LatencyPage;
class ModelPage;
class RoutingPage;
class RunPage;
class SavedRuns;

/// The composition root: makes everything that lives as long as the program and hands each what it needs.
class Studio {
public:
    Studio();
    ~Studio();

    MainWindow& window() { return *m_window; }
    const RunStore& run() const { return m_run; }
    const ExportStore& exports() const { return m_export; }

private:
    MainWindowContents contents();
    void connectRunPage();
    void connectPages();
    void connectExports();
    template <class Page>
    Page* remembered(const QString& id, Page* page);

    Settings m_settings;
    Theme m_theme;
    OpenStore m_open;
    RunStore m_run;
    RunStore m_kept; ///< a run that stays for comparison
    SelectionStore m_selection;
    TaskStore m_tasks;
    LogStore m_log;
    EngineClient m_engine;
    ActivityFeed m_feed;
    ExportStore m_export;
    TaskRunner m_taskRunner;
    RunPage* m_runPage = nullptr; ///< the window's, as the other pages
    LatencyPage* m_latencyPage = nullptr;
    RoutingPage* m_routingPage = nullptr;
    ModelPage* m_modelPage = nullptr;
    DetailsPanel* m_details = nullptr; ///< the window's
    SavedRuns* m_savedRuns = nullptr; ///< of the run page
    std::vector<std::function<void()>> m_saves; ///< of the pages' arrangements
    std::unique_ptr<MainWindow> m_window;
};

} // namespace colibri
