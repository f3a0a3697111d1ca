// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/modelfacts.h"
#include "stores/runspec.h"
#include "stores/runstore.h"
#include "views/run/engineform.h"
#include "views/run/prompthistory.h"
#include "views/run/runbuttons.h"
#include "views/run/samplingform.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QSlider;
class QToolButton;

namespace colibri {

class ProblemPanel;

/// Ids separated by blanks, commas or line feeds; empty when there is anything else or nothing at all.
std::vector<TokenId> parseTokenIds(const QString& text);

inline constexpr int slowestPace = 1;
inline constexpr int fastestPace = 50; ///< tokens a second; the place after it on the slider is full speed

/// Prompt, sampling, pace and the four actions. Says what the user asks for and knows no engine.
class PromptPanel : public QWidget {
    Q_OBJECT

public:
    explicit PromptPanel(const RunStore& run, QWidget* parent = nullptr);

    /// Null: no model. Without a tokenizer the prompt is a list of ids. In the place of the prompt stands why a model
    /// cannot be run.
    void setModel(ModelFactsPtr model);
    void setPrompt(const QString& text);
    /// What a run is asked for now.
    RunSpec spec() const;
    void setSpec(const RunSpec& spec); ///< all that the panel has fields for
    double pace() const; ///< tokens a second; 0: full speed
    void setPace(double tokensPerSecond);
    SamplingForm& sampling() { return *m_sampling; }
    EngineForm& engine() { return *m_engine; }
    /// Prompts that were run, newest first; Ctrl+Up and Ctrl+Down in the prompt walk through them.
    const QStringList& history() const { return m_history.prompts(); }
    void setHistory(const QStringList& prompts);
    /// Run, Continue, Step, Stop.
    QList<QAction*> runActions() const { return m_buttons->runActions(); }
    void focusPrompt();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override; ///< the prompt's keys

signals:
    void runRequested(const colibri::RunSpec& spec);
    void stepRequested(const colibri::RunSpec& spec); ///< of the paused run, or of a new one when none is paused
    void continueRequested();
    void stopRequested();
    void paceChanged(double tokensPerSecond); ///< 0: full speed
    void retryRequested(); ///< to open the model again, which cannot be run as it is

private:
    QWidget* makeCaption();
    QWidget* makeRefusal();
    void showRefusal();
    void showHistory();
    void remember();
    QWidget* makeForms();
    QWidget* makePace();
    QWidget* makeButtons();
    void updateActions();
    void updatePace();

    const RunStore& m_store;
    ModelFactsPtr m_model;
    QLabel* m_caption;
    QToolButton* m_historyButton;
    QPlainTextEdit* m_prompt;
    QWidget* m_refusal = nullptr;
    ProblemPanel* m_why = nullptr;
    SamplingForm* m_sampling;
    EngineForm* m_engine;
    RunButtons* m_buttons = nullptr;
    PromptHistory m_history;
    QSlider* m_pace;
    QLabel* m_paceText;
};

} // namespace colibri
