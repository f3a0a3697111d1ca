// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

class QAction;
class QDockWidget;
class QMainWindow;
class QWidget;

namespace colibri {

struct DockEntry {
    QString id;
    QString title;
    QString toolTip; ///< what it shows
    QWidget* widget = nullptr; ///< taken
    Qt::DockWidgetArea area = Qt::RightDockWidgetArea;
    int size = 0; ///< width at the sides, height at the bottom, in pixels, when it is first shown
    bool shownAtFirst = true;
    bool ofModel = true; ///< of the model that is open: without one there is nothing to show
};

/// The panels around the page. None of them sets the size of the window: they scroll. Those of a model are there while
/// its pages are seen, and their arrangement is kept meanwhile; the others stay as they are.
class Docks : public QObject {
    Q_OBJECT

public:
    /// Panels of one area share it as tabs, the first on top. Each gets an action with Alt and its number, checked
    /// while the panel is seen, which brings one that others cover to the front.
    Docks(QMainWindow& window, const QList<DockEntry>& entries);

    QList<QAction*> toggles() const { return m_toggles; }
    void setPagesSeen(bool seen); ///< the pages of a model, not what is seen without one or while one is opened
    /// All at their places, and of their sizes, as at the first start.
    void arrange();
    void showOnly(const QStringList& ids);
    void raise(const QString& id); ///< shows it, and before those that share its place

    QByteArray save() const;
    void restore(const QByteArray& state); ///< of save(); anything else arranges

private:
    void applyState();
    void hideOfModel();
    QAction* makeToggle(QDockWidget* dock, const DockEntry& entry);
    void nameTabs(); ///< Qt makes and deletes the bars of panels that share a place
    QMainWindow& m_window;
    QList<DockEntry> m_entries;
    QList<QDockWidget*> m_docks; ///< as m_entries
    QList<QAction*> m_toggles;
    QByteArray m_state; ///< while pages are not seen; empty: as at the first start
    bool m_pagesSeen = true;
};

} // namespace colibri
