// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/runpage.h"

#include "views/run/colorbar.h"
#include "views/run/comparebar.h"
#include "views/run/expertgridview.h"
#include "views/run/promptpanel.h"
#include "views/run/runfigures.h"
#include "views/run/tokentextview.h"
#include "views/theme/elided.h"
#include "views/theme/emptystate.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QDataStream>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace colibri {
namespace {

enum MiddlePage { EmptyPage, ViewsPage };

} // namespace

RunPage::RunPage(
    const OpenStore& open, const RunStore& run, const RunStore& kept, SelectionStore& selection, QWidget* parent)
    : QWidget(parent)
    , m_open(open)
    , m_run(run)
    , m_kept(kept)
    , m_prompt(new PromptPanel(run, this))
    , m_colors(new ColorBar(this))
    , m_text(new TokenTextView(run, selection, this))
    , m_grid(new ExpertGridView(run, selection, this))
    , m_texts(new QSplitter(Qt::Horizontal, this))
    , m_keptText(new TokenTextView(kept, selection, this))
    , m_middle(new QStackedWidget(this))
    , m_views(new QSplitter(Qt::Vertical, this))
    , m_parts(new QSplitter(Qt::Horizontal, this))
{
    makeKeepActions();
    m_middle->addWidget(makeEmpty());
    m_middle->addWidget(makeMiddle());
    auto* const middle = new QWidget(this);
    auto* const middleColumn = new QVBoxLayout(middle);
    middleColumn->setContentsMargins(0, 0, 0, 0);
    middleColumn->setSpacing(0);
    auto* const compare = new CompareBar(run, kept, selection, m_drop, middle);
    middleColumn->addWidget(compare);
    middleColumn->addWidget(m_middle, 1);
    for (QWidget* part : std::initializer_list<QWidget*>{m_prompt, middle})
        m_parts->addWidget(part);
    m_parts->setStretchFactor(1, 1);
    m_parts->setChildrenCollapsible(false);
    m_parts->setSizes({30 * grid::unit, 90 * grid::unit});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_parts, 1);
    column->addWidget(new RunFigures(run, this));

    orderTabs(*compare);
    connectPrompt();
    connect(m_colors, &ColorBar::coloringChanged, m_text, &TokenTextView::setColoring);
    connect(m_colors, &ColorBar::coloringChanged, m_keptText, &TokenTextView::setColoring);
    connect(m_colors, &ColorBar::coloringChanged, m_grid, &ExpertGridView::setColoring);
    connect(m_grid, &ExpertGridView::layerActivated, m_colors, &ColorBar::setLayer);
    connect(&open, &OpenStore::modelChanged, this, &RunPage::showModel);
    connect(&run, &RunStore::reset, this, &RunPage::showRun);
    connect(&run, &RunStore::tokensAppended, this, &RunPage::showEmptyState);
    connect(&run, &RunStore::routedAdvanced, this, &RunPage::spreadMargins);
    connect(&kept, &RunStore::reset, this, &RunPage::showKept);
    connect(runActions().first(), &QAction::enabledChanged, this, &RunPage::showEmptyState);
    connect(m_views, &QSplitter::splitterMoved, this, [this] { m_viewsMoved = true; });
    showModel();
    showRun();
    showKept();
}

/// What is above the text first, links to differences in front of what drops the kept run, and the second text before
/// the grid.
void RunPage::orderTabs(const QWidget& compare)
{
    QWidget* before = m_colors->previousInFocusChain();
    for (QToolButton* const button : compare.findChildren<QToolButton*>()) {
        setTabOrder(before, button);
        before = button;
    }
    setTabOrder(m_text, m_keptText);
}

void RunPage::makeKeepActions()
{
    const auto make = [this](const QString& name, const QString& text, const QString& tip, int key) {
        auto* const action = new QAction(text, this);
        action->setObjectName(name);
        action->setShortcut(QKeySequence(key));
        action->setToolTip(tr("%1 (%2)").arg(tip, action->shortcut().toString(QKeySequence::NativeText)));
        action->setStatusTip(tip);
        addAction(action);
        return action;
    };
    m_keep = make(QStringLiteral("keepRun"), tr("&Keep this run"),
        tr("Keep this run beside the next ones, to see where they part"), int(Qt::CTRL) | int(Qt::SHIFT) | Qt::Key_K);
    m_drop = make(QStringLiteral("dropKept"), tr("&Drop the kept run"), tr("Compare no more"),
        int(Qt::CTRL) | int(Qt::SHIFT) | Qt::Key_D);
    connect(m_keep, &QAction::triggered, this, &RunPage::keepRequested);
    m_drop->setIconText(tr("Drop")); // on a button, beside what is dropped
    connect(m_drop, &QAction::triggered, this, &RunPage::dropRequested);
}

void RunPage::connectPrompt()
{
    connect(m_prompt, &PromptPanel::runRequested, this, &RunPage::runRequested);
    connect(m_prompt, &PromptPanel::stepRequested, this, &RunPage::stepRequested);
    connect(m_prompt, &PromptPanel::continueRequested, this, &RunPage::continueRequested);
    connect(m_prompt, &PromptPanel::stopRequested, this, &RunPage::stopRequested);
    connect(m_prompt, &PromptPanel::paceChanged, this, &RunPage::paceChanged);
    connect(m_prompt, &PromptPanel::retryRequested, this, &RunPage::retryRequested);
}

QWidget* RunPage::makeEmpty()
{
    m_empty = new EmptyState(m_middle);
    connect(m_empty->button(), &QPushButton::clicked, this, &RunPage::act);
    return m_empty;
}

QWidget* RunPage::makeMiddle()
{
    auto* middle = new QWidget(m_middle);
    auto* column = new QVBoxLayout(middle);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_texts->addWidget(makePane(tr("This run"), tr("The run that the grid and the details are about."), m_text));
    m_texts->addWidget(makePane(tr("Kept run"), tr("The run that was kept, for comparison."), m_keptText));
    m_text->compareWith(m_kept);
    m_keptText->compareWith(m_run);
    m_grid->compareWith(m_kept);
    m_keptText->setAccessibleName(tr("Text of the kept run"));
    m_texts->setChildrenCollapsible(false);
    m_views->addWidget(m_texts);
    m_views->addWidget(m_grid);
    m_views->setChildrenCollapsible(false);
    m_views->setStretchFactor(0, 1);
    column->addWidget(m_colors);
    column->addWidget(m_views, 1);
    return middle;
}

QWidget* RunPage::makePane(const QString& title, const QString& tip, TokenTextView* text)
{
    auto* const pane = new QWidget(m_texts);
    auto* const column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* const head = new QWidget(pane);
    auto* const line = new QHBoxLayout(head);
    line->setContentsMargins(grid::unit, grid::half, grid::unit, grid::half);
    line->setSpacing(grid::unit);
    line->addWidget(new QLabel(tr("<b>%1</b>").arg(title), head));
    auto* const marks = new ElidedLabel(head);
    marks->setText(tr("a line above marks the tokens that differ"));
    line->addWidget(marks, 1);
    head->setToolTip(
        tr("%1 Tokens where the two runs differ have a line above, in the grid a line below their name.").arg(tip));
    head->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // it makes no text wider
    head->hide();
    m_titles << head;
    column->addWidget(head);
    column->addWidget(text, 1);
    return pane;
}

void RunPage::showModel()
{
    m_prompt->setModel(m_open.model());
    showEmptyState();
}

void RunPage::showRun()
{
    m_colors->setShape(m_run.record() ? m_run.record()->shape() : RunRecord::Shape{0, 0, 0, 0, 0});
    m_spreadAt = 0;
    spreadMargins();
    showEmptyState();
}

/// Each time that the run has doubled: the colours then change a few times in all, most of them early.
void RunPage::spreadMargins()
{
    if (!m_run.record() || m_run.routed() < m_spreadAt)
        return;
    m_spreadAt = 2 * std::max(1, m_run.routed());
    const bool logits = !m_run.model() || selectsByLogits(m_run.model()->config.routing);
    m_colors->setMargins(marginMiddle(*m_run.record(), m_run.routed()), logits ? tr("logits") : tr("score"));
}

void RunPage::showKept()
{
    const bool kept = m_kept.record() != nullptr;
    m_keptText->setVisible(kept);
    m_keptText->parentWidget()->setVisible(kept);
    for (QWidget* const title : m_titles)
        title->setVisible(kept);
    m_drop->setEnabled(kept);
}

void RunPage::showEmptyState()
{
    m_keep->setEnabled(m_run.tokens() > 0);
    const bool empty = m_run.tokens() == 0;
    if (!empty && m_middle->currentIndex() == EmptyPage)
        fitGrid();
    m_middle->setCurrentIndex(empty ? EmptyPage : ViewsPage);
    if (!m_open.model()) {
        m_empty->setText(
            tr("No model is open. Open one, and its text and its experts will be seen here while it runs."));
        m_empty->button()->setText(tr("&Open a model"));
        return;
    }
    if (m_open.model()->refused) {
        m_empty->setText(tr("This model cannot be run. What its files hold can be seen on the Model page."));
        m_empty->button()->setText(tr("&Show the Model page"));
        return;
    }
    m_empty->setText(
        tr("The text of the run will grow here, each token on the colour of the expert that served it, above the "
           "grid of all experts by token and layer."));
    m_empty->button()->setText(runActions().first()->isEnabled() ? tr("&Run the prompt") : tr("Wri&te a prompt"));
}

void RunPage::act()
{
    if (!m_open.model())
        emit openRequested();
    else if (m_open.model()->refused)
        emit inspectRequested();
    else if (QAction* run = runActions().first(); run->isEnabled())
        run->trigger();
    else
        m_prompt->focusPrompt();
}

void RunPage::fitGrid()
{
    const int height = m_middle->height() - m_colors->sizeHint().height() - m_views->handleWidth();
    if (m_viewsMoved || height <= 0)
        return;
    const int gridHeight = std::min(height / 2, m_grid->wholeHeight());
    m_views->setSizes({height - gridHeight, gridHeight});
}

QList<QAction*> RunPage::runActions() const
{
    return m_prompt->runActions();
}

QByteArray RunPage::saveLayout() const
{
    QByteArray layout;
    QDataStream stream(&layout, QIODevice::WriteOnly);
    stream << m_parts->saveState() << m_views->saveState();
    return layout;
}

bool RunPage::restoreLayout(const QByteArray& layout)
{
    QDataStream stream(layout);
    QByteArray parts;
    QByteArray views;
    stream >> parts >> views;
    m_viewsMoved = stream.status() == QDataStream::Ok && m_parts->restoreState(parts) && m_views->restoreState(views);
    return m_viewsMoved;
}

} // namespace colibri
