// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow.h"
#include "session/engineclient.h"
#include "settings.h"
#include "stores/openstore.h"
#include "stores/runstore.h"
#include "stores/selectionstore.h"
#include "views/theme/theme.h"

namespace colibri {

class RunPage;

/// The composition root: makes everything that lives as long as the program and hands each what it needs.
class Studio {
public:
    Studio();
    ~Studio();

    MainWindow& window() { return m_window; }
    const RunStore& run() const { return m_run; }

private:
    void connectRunPage();

    Settings m_settings;
    Theme m_theme;
    OpenStore m_open;
    RunStore m_run;
    SelectionStore m_selection;
    EngineClient m_engine;
    RunPage* m_runPage; ///< the window's
    MainWindow m_window;
};

} // namespace colibri
