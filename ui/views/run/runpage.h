// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/openstore.h"
#include "stores/runspec.h"
#include "stores/runstore.h"
#include "stores/selectionstore.h"

#include <QByteArray>
#include <QWidget>

class QAction;
class QSplitter;
class QStackedWidget;

namespace colibri {

class ColorBar;
class CompareBar;
class EmptyState;
class ExpertGridView;
class PromptPanel;
class TokenTextView;

/// The page on which a model runs. Shows what the stores hold; what the user asks for leaves as signals.
class RunPage : public QWidget {
    Q_OBJECT

public:
    /// The stores outlive the page.
    RunPage(const OpenStore& open, const RunStore& run, const RunStore& kept, SelectionStore& selection,
        QWidget* parent = nullptr);

    PromptPanel& promptPanel() { return *m_prompt; }
    ColorBar& colorBar() { return *m_colors; }
    TokenTextView& textView() { return *m_text; }
    ExpertGridView& gridView() { return *m_grid; }
    TokenTextView& keptView() { return *m_keptText; } ///< of the kept run; hidden while there is none
    QList<QAction*> runActions() const; ///< Run, Continue, Step, Stop
    QList<QAction*> keepActions() const { return {m_keep, m_drop}; }

    QByteArray saveLayout() const; ///< sizes of the parts
    bool restoreLayout(const QByteArray& layout);

signals:
    void runRequested(const colibri::RunSpec& spec);
    void stepRequested(const colibri::RunSpec& spec); ///< of the paused run, or of a new one when none is paused
    void continueRequested();
    void stopRequested();
    void paceChanged(double tokensPerSecond); ///< 0: full speed
    void keepRequested(); ///< the run, for comparison with the next ones
    void dropRequested(); ///< the kept run
    void openRequested(); ///< the user wants to choose a model
    void inspectRequested(); ///< the user wants to see what the model holds, which cannot be run
    void retryRequested(); ///< to open it again

private:
    QWidget* makeEmpty();
    QWidget* makeMiddle();
    void makeKeepActions();
    void connectPrompt();
    void orderTabs(const QWidget& compare);
    void showModel();
    void showRun();
    void showKept();
    QWidget* makePane(const QString& title, const QString& tip, TokenTextView* text);
    void showEmptyState();
    void spreadMargins();
    void fitGrid(); ///< shows all layers of a new run when that leaves half of the height to the text
    void act(); ///< what the empty page offers

    const OpenStore& m_open;
    const RunStore& m_run;
    const RunStore& m_kept;
    QAction* m_keep = nullptr;
    QAction* m_drop = nullptr;
    PromptPanel* m_prompt;
    ColorBar* m_colors;
    TokenTextView* m_text;
    ExpertGridView* m_grid;
    QSplitter* m_texts;
    TokenTextView* m_keptText;
    QList<QWidget*> m_titles; ///< of the texts, while there are two
    QStackedWidget* m_middle;
    EmptyState* m_empty = nullptr;
    QSplitter* m_views;
    int m_spreadAt = 0; ///< routed positions at which the margins are looked at next
    bool m_viewsMoved = false; ///< the user chose the heights
    QSplitter* m_parts;
};

} // namespace colibri
