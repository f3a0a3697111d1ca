// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/runbuttons.h"

#include "views/run/accentbutton.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QGridLayout>

namespace colibri {
namespace {

QString withKey(const QString& tip, const QAction& action)
{
    return RunButtons::tr("%1 (%2)").arg(tip, action.shortcut().toString(QKeySequence::NativeText));
}

} // namespace

RunAbilities abilitiesIn(RunStore::State state, bool hasModel, bool hasPrompt, bool asShown)
{
    using State = RunStore::State;
    const bool busy =
        state == State::Starting || state == State::Running || state == State::Waiting || state == State::Stopping;
    const bool paused = state == State::Paused;
    const bool canBegin = hasModel && hasPrompt && !busy;
    const bool ended = state == State::Finished && asShown;
    return {
        canBegin, hasModel && paused, (canBegin && !ended) || (hasModel && paused), busy && state != State::Stopping};
}

RunButtons::RunButtons(QWidget* parent)
    : QWidget(parent)
    , m_run(makeAction(tr("&Run"), tr("Begins a run with this prompt"),
          {QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter)}))
    , m_continue(makeAction(tr("&Continue"), tr("Goes on with the paused run"), {QKeySequence(Qt::Key_F5)}))
    , m_step(makeAction(tr("&Step"), tr("Makes one token, then pauses"), {QKeySequence(Qt::Key_F10)}))
    , m_stop(makeAction(
          tr("St&op"), tr("Pauses the run; Continue and Step go on with it"), {QKeySequence(Qt::Key_Escape)}))
{
    makeButtons();
    connect(m_run, &QAction::triggered, this, &RunButtons::runRequested);
    connect(m_continue, &QAction::triggered, this, &RunButtons::continueRequested);
    connect(m_step, &QAction::triggered, this, &RunButtons::stepRequested);
    connect(m_stop, &QAction::triggered, this, &RunButtons::stopRequested);
}

QAction* RunButtons::makeAction(const QString& text, const QString& tip, const QList<QKeySequence>& keys)
{
    auto* const action = new QAction(text, this);
    action->setShortcuts(keys);
    action->setShortcutContext(Qt::WindowShortcut);
    action->setToolTip(withKey(tip, *action));
    addAction(action);
    return action;
}

void RunButtons::makeButtons()
{
    auto* const cells = new QGridLayout(this);
    cells->setContentsMargins(0, 0, 0, 0);
    cells->setSpacing(grid::half);
    const QList<QAction*> actions = runActions();
    for (int at = 0; at < actions.size(); ++at) {
        auto* const button = new AccentButton(this);
        button->setDefaultAction(actions[at]);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        button->setMinimumHeight(4 * grid::unit);
        button->setFocusPolicy(Qt::StrongFocus);
        button->setAccessibleName(QString(actions[at]->text()).remove(u'&'));
        cells->addWidget(button, at / 2, at % 2);
        m_buttons += button;
    }
}

void RunButtons::setAbilities(const RunAbilities& can, RunStore::State state, const std::optional<Error>& refused)
{
    m_run->setEnabled(can.run);
    m_continue->setEnabled(can.proceed);
    m_step->setEnabled(can.step);
    m_stop->setEnabled(can.stop);
    explain(state, refused);
    markPrimary();
}

/// A step that begins a new run takes the place of the one that is shown: it says so.
void RunButtons::explain(RunStore::State state, const std::optional<Error>& refused)
{
    using State = RunStore::State;
    QString run = tr("Begins a run with this prompt");
    QString step = tr("Makes one token, then pauses");
    if (refused)
        run = step = tr("This model cannot be run: %1").arg(QString::fromStdString(refused->message()));
    else if (state == State::Finished && !m_step->isEnabled())
        step = tr("The run has ended: there is no next token. Run begins it again; with another prompt, other "
                  "sampling or another way to compute, Step begins a new run");
    else if (state == State::Finished || state == State::Failed)
        step = tr("Begins a new run with this prompt, makes one token, then pauses");
    for (const auto& [action, tip] : {std::pair(m_run, run), std::pair(m_step, step)})
        action->setToolTip(withKey(tip, *action));
    for (AccentButton* const button : m_buttons)
        button->setAccessibleDescription(button->defaultAction()->toolTip());
}

void RunButtons::markPrimary()
{
    const QAction* const primary = m_continue->isEnabled() ? m_continue : m_run;
    for (AccentButton* const button : m_buttons)
        button->setAccent(button->defaultAction() == primary && primary->isEnabled());
}

} // namespace colibri
