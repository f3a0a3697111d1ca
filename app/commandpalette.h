// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QList>
#include <QString>

class QAction;
class QLineEdit;
class QMenuBar;
class QTreeWidget;

namespace colibri {

/// How well `query` fits `text`: 0 not at all, more is better. Each word of the query has to be found, best at the
/// start of a word, then inside of one, then with its letters scattered in order. An empty query fits everything.
int matchScore(const QString& query, const QString& text);

/// A command and the menus it stands in: "Window > Layout".
struct Command {
    QAction* action = nullptr;
    QString menu;
};
/// All commands of the menus that can be chosen now.
QList<Command> commandsOf(const QMenuBar& menuBar);

/// Finds a command by some of its letters and does it. Deletes itself when closed.
class CommandPalette : public QDialog {
    Q_OBJECT

public:
    CommandPalette(const QList<Command>& commands, QWidget* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override; ///< the list's keys while the text has the focus

private:
    void filter(const QString& query);
    void run();

    QList<Command> m_commands;
    QLineEdit* m_query;
    QTreeWidget* m_list;
};

} // namespace colibri
