// SPDX-License-Identifier: GPL-3.0-or-later
#include "docks.h"

#include "actions.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QScrollArea>
#include <QTabBar>

namespace colibri {
namespace {

constexpr int stateVersion = 1; ///< another set of panels gets another number

/// Has the size of its entry at first and three fifths of it at least, whatever it shows: bars appear where that needs
/// more.
class PanelArea : public QScrollArea {
public:
    explicit PanelArea(const DockEntry& entry)
        : m_bottom(entry.area == Qt::BottomDockWidgetArea)
        , m_size(entry.size)
    {
        setWidget(entry.widget);
        setWidgetResizable(true);
        setFrameShape(QFrame::NoFrame);
        setFocusPolicy(Qt::NoFocus);
    }
    QSize sizeHint() const override { return m_bottom ? QSize(m_size, m_size) : QSize(m_size, 2 * m_size); }
    QSize minimumSizeHint() const override { return {m_bottom ? 0 : m_size * 3 / 5, m_bottom ? m_size * 3 / 5 : 0}; }

private:
    bool m_bottom;
    int m_size;
};

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
        dock->setWidget(new PanelArea(entry));
        entry.widget->setAccessibleName(entry.title);
        m_docks << dock;
        connect(dock, &QDockWidget::visibilityChanged, this, &Docks::nameTabs);
        m_toggles << makeToggle(dock, entry);
    }
    arrange();
    nameTabs();
}

QAction* Docks::makeToggle(QDockWidget* dock, const DockEntry& entry)
{
    QAction* const toggle = makeAction(&m_window, QStringLiteral("toggle_") + entry.id, entry.title, entry.toolTip,
        QKeySequence(int(Qt::ALT) | (Qt::Key_1 + int(m_toggles.size()))));
    toggle->setCheckable(true);
    connect(dock, &QDockWidget::visibilityChanged, toggle, &QAction::setChecked);
    connect(toggle, &QAction::triggered, this, [this, dock, id = entry.id](bool show) {
        if (show)
            raise(id);
        else
            dock->hide();
    });
    connect(dock->toggleViewAction(), &QAction::triggered, this, [this, id = entry.id](bool show) {
        if (show)
            raise(id);
    });
    return toggle;
}

void Docks::setPagesSeen(bool seen)
{
    if (seen == m_pagesSeen)
        return;
    if (!seen)
        m_state = m_window.saveState(stateVersion);
    m_pagesSeen = seen;
    QList<QDockWidget*> hidden; // of those that stay as they are
    QStringList inFront;
    for (int i = 0; i < m_docks.size(); ++i) {
        if (!m_entries[i].ofModel && m_docks[i]->isHidden())
            hidden << m_docks[i];
        if (!m_entries[i].ofModel && m_toggles[i]->isChecked())
            inFront << m_entries[i].id;
        for (QAction* const toggle : {m_docks[i]->toggleViewAction(), m_toggles[i]})
            toggle->setEnabled(seen || !m_entries[i].ofModel);
    }
    if (!seen)
        return hideOfModel();
    applyState();
    for (QDockWidget* const dock : hidden)
        dock->hide();
    for (const QString& id : inFront)
        raise(id);
}

void Docks::hideOfModel()
{
    for (int i = 0; i < m_docks.size(); ++i) {
        if (m_entries[i].ofModel)
            m_docks[i]->hide();
    }
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
    return m_pagesSeen ? m_window.saveState(stateVersion) : m_state;
}

void Docks::restore(const QByteArray& state)
{
    m_state = state;
    if (m_pagesSeen || !m_state.isEmpty()) // else they are arranged already
        applyState();
    if (!m_pagesSeen)
        hideOfModel();
}

void Docks::applyState()
{
    if (m_state.isEmpty() || !m_window.restoreState(m_state, stateVersion))
        arrange();
}

} // namespace colibri
