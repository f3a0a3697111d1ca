// SPDX-License-Identifier: GPL-3.0-or-later
#include "docks.h"

#include "actions.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QTabBar>

namespace colibri {
namespace {

constexpr int stateVersion = 1; ///< another set of panels gets another number

} // namespace

Docks::Docks(QMainWindow& window, const QList<DockEntry>& entries)
    : QObject(&window)
    , m_window(window)
    , m_entries(entries)
{
    window.setDockOptions(QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);
    window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    window.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    for (const DockEntry& entry : entries) {
        auto* const dock = new QDockWidget(entry.title, &window);
        dock->setObjectName(QStringLiteral("dock_") + entry.id);
        dock->setWidget(entry.widget);
        entry.widget->setAccessibleName(entry.title);
        m_docks << dock;
        connect(dock, &QDockWidget::visibilityChanged, this, &Docks::nameTabs);
        QAction* const toggle = dock->toggleViewAction();
        setUpAction(toggle, &window, QStringLiteral("toggle_") + entry.id, entry.toolTip,
            QKeySequence(int(Qt::ALT) | (Qt::Key_1 + int(m_toggles.size()))));
        m_toggles << toggle;
    }
    arrange();
    nameTabs();
}

void Docks::setPresent(bool present)
{
    if (present == m_present)
        return;
    if (!present)
        m_state = m_window.saveState(stateVersion);
    m_present = present;
    for (QDockWidget* const dock : m_docks)
        dock->hide();
    if (present)
        applyState();
    for (QAction* const toggle : m_toggles)
        toggle->setEnabled(present);
}

void Docks::arrange()
{
    for (int i = 0; i < m_docks.size(); ++i) {
        QDockWidget* const dock = m_docks[i];
        dock->setFloating(false);
        m_window.addDockWidget(m_entries[i].area, dock);
        for (int before = 0; before < i; ++before) {
            if (m_entries[before].area == m_entries[i].area)
                m_window.tabifyDockWidget(m_docks[before], dock);
        }
        dock->setVisible(m_entries[i].shownAtFirst);
    }
    for (int i = int(m_docks.size()) - 1; i >= 0; --i) {
        if (!m_entries[i].shownAtFirst)
            continue;
        m_docks[i]->raise();
        m_window.resizeDocks({m_docks[i]}, {m_entries[i].size},
            m_entries[i].area == Qt::BottomDockWidgetArea ? Qt::Vertical : Qt::Horizontal);
    }
}

void Docks::nameTabs()
{
    for (QTabBar* const bar : m_window.findChildren<QTabBar*>(Qt::FindDirectChildrenOnly))
        bar->setAccessibleName(tr("Panels that share a place"));
}

void Docks::showOnly(const QStringList& ids)
{
    for (int i = 0; i < m_docks.size(); ++i)
        m_docks[i]->setVisible(ids.contains(m_entries[i].id));
}

void Docks::raise(const QString& id)
{
    for (int i = 0; i < m_docks.size(); ++i) {
        if (m_entries[i].id != id)
            continue;
        m_docks[i]->show();
        m_docks[i]->raise();
    }
}

QByteArray Docks::save() const
{
    return m_present ? m_window.saveState(stateVersion) : m_state;
}

void Docks::restore(const QByteArray& state)
{
    m_state = state;
    if (m_present)
        applyState();
}

void Docks::applyState()
{
    if (m_state.isEmpty() || !m_window.restoreState(m_state, stateVersion))
        arrange();
}

} // namespace colibri
