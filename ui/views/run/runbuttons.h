// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/runstore.h"
#include "types/result.h"

#include <QWidget>

#include <optional>

class QAction;

namespace colibri {

class AccentButton;

/// What can be done in a state of the run.
struct RunAbilities {
    bool run = false;
    bool proceed = false; ///< go on with a paused run
    bool step = false;
    bool stop = false;

    bool operator==(const RunAbilities&) const = default;
};
/// `asShown`: what a new run would be asked for is what the run that is shown was asked for, which is in no file. Then
/// there is nothing to step to once that has ended.
RunAbilities abilitiesIn(RunStore::State state, bool hasModel, bool hasPrompt, bool asShown = false);

/// Run, Continue, Step and Stop: actions with keys, and a button for each. The accent is on the one that comes next.
class RunButtons : public QWidget {
    Q_OBJECT

public:
    explicit RunButtons(QWidget* parent = nullptr);

    /// Run, Continue, Step, Stop: for menus too.
    QList<QAction*> runActions() const { return {m_run, m_continue, m_step, m_stop}; }
    /// Says also what a step would do in this state, and why a model cannot be run.
    void setAbilities(const RunAbilities& can, RunStore::State state, const std::optional<Error>& refused);

signals:
    void runRequested();
    void continueRequested();
    void stepRequested();
    void stopRequested();

private:
    QAction* makeAction(const QString& text, const QString& tip, const QList<QKeySequence>& keys);
    void makeButtons();
    void explain(RunStore::State state, const std::optional<Error>& refused);
    void markPrimary();

    QAction* m_run;
    QAction* m_continue;
    QAction* m_step;
    QAction* m_stop;
    QList<AccentButton*> m_buttons; ///< in the order of runActions()
};

} // namespace colibri
