// SPDX-License-Identifier: GPL-3.0-or-later
#include "studio.h"

#include "views/run/promptpanel.h"
#include "views/run/runpage.h"

namespace colibri {

Studio::Studio()
    : m_engine(m_open, m_run)
    , m_runPage(new RunPage(m_open, m_run, m_selection))
    , m_window({m_open, m_run, m_engine, m_theme, m_settings}, m_runPage)
{
    connectRunPage();
    m_runPage->restoreLayout(m_settings.runLayout());
}

Studio::~Studio()
{
    m_settings.setRunLayout(m_runPage->saveLayout());
}

void Studio::connectRunPage()
{
    QObject::connect(m_runPage, &RunPage::runRequested, &m_engine, &EngineClient::run);
    QObject::connect(m_runPage, &RunPage::stepRequested, &m_engine, &EngineClient::step);
    QObject::connect(m_runPage, &RunPage::continueRequested, &m_engine, &EngineClient::continueRun);
    QObject::connect(m_runPage, &RunPage::stopRequested, &m_engine, &EngineClient::stop);
    QObject::connect(m_runPage, &RunPage::paceChanged, &m_engine, &EngineClient::setPace);
    QObject::connect(&m_open, &OpenStore::stateChanged, m_runPage, [this] {
        if (m_open.state() == OpenStore::State::Opened)
            m_runPage->promptPanel().focusPrompt();
    });
    QObject::connect(m_runPage, &RunPage::openRequested, &m_window, &MainWindow::chooseFolder);
}

} // namespace colibri
