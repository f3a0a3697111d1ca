// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/promptpanel.h"

#include "views/problem/problempanel.h"
#include "views/theme/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>
#include <limits>
#include <tuple>

namespace colibri {
namespace {

constexpr int demoPace = 20;
constexpr int menuPrompts = 20; ///< in the menu of earlier ones
constexpr int menuCharacters = 60;

/// Whether two runs are asked for the same tokens, computed in the same way: but for how fast.
bool asksForTheSame(const RunSpec& a, const RunSpec& b)
{
    const auto asked = [](const RunSpec& spec) {
        const SamplingOptions& by = spec.sampling;
        EngineOptions engine = spec.engine;
        engine.threads = engine.batch = 0;
        return std::tuple(spec.promptText, spec.promptIds, spec.maxTokens, spec.ignoreEndOfText, by.temperature,
            by.topK, by.topP, by.minP, by.repeatPenalty, by.seed, engine);
    };
    return asked(a) == asked(b);
}

/// As high as what it scrolls where there is room, else as low as two folded lines.
class FoldArea : public QScrollArea {
public:
    using QScrollArea::QScrollArea;

    QSize sizeHint() const override { return widget()->sizeHint(); }
    QSize minimumSizeHint() const override { return {0, 6 * grid::unit}; }
    void showWhole(const QWidget* part)
    {
        widget()->layout()->activate();
        if (part->geometry().bottom() > verticalScrollBar()->value() + viewport()->height())
            verticalScrollBar()->setValue(part->y());
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (watched == widget() && event->type() == QEvent::LayoutRequest)
            updateGeometry();
        return QScrollArea::eventFilter(watched, event);
    }
};

} // namespace

std::vector<TokenId> parseTokenIds(const QString& text)
{
    static const QRegularExpression separators(QStringLiteral("[\\s,]+"));
    std::vector<TokenId> ids;
    for (const QString& part : text.split(separators, Qt::SkipEmptyParts)) {
        bool ok = false;
        const uint id = part.toUInt(&ok);
        if (!ok)
            return {};
        ids.push_back(id);
    }
    return ids;
}

PromptPanel::PromptPanel(const RunStore& run, QWidget* parent)
    : QWidget(parent)
    , m_store(run)
    , m_caption(new QLabel(this))
    , m_historyButton(new QToolButton(this)) // made in the order in which Tab goes
    , m_prompt(new QPlainTextEdit(this))
    , m_sampling(new SamplingForm)
    , m_engine(new EngineForm)
{
    m_caption->setBuddy(m_prompt);
    m_prompt->setTabChangesFocus(true);
    m_prompt->setToolTip(tr("Ctrl+Enter runs it; Ctrl+Up and Ctrl+Down bring earlier prompts"));
    m_prompt->installEventFilter(this);
    m_prompt->setMinimumHeight(8 * grid::unit);
    m_prompt->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored); // it has what the forms leave
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(grid::unit, grid::unit, grid::unit, grid::unit);
    column->setSpacing(grid::unit);
    column->addWidget(makeCaption());
    column->addWidget(m_prompt, 1);
    column->addWidget(makeRefusal(), 1);
    column->addWidget(makeForms());
    column->addWidget(makePace());
    column->addWidget(makeButtons());
    connect(m_engine, &EngineForm::changed, this, [this] {
        m_sampling->setContext(m_engine->context());
        updateActions();
    });
    connect(m_prompt, &QPlainTextEdit::textChanged, this, &PromptPanel::updateActions);
    connect(m_sampling, &SamplingForm::changed, this, &PromptPanel::updateActions);
    connect(&run, &RunStore::stateChanged, this, &PromptPanel::updateActions);
    connect(&run, &RunStore::reset, this, &PromptPanel::updateActions);
    setPace(demoPace);
    setModel(nullptr);
}

QWidget* PromptPanel::makeButtons()
{
    m_buttons = new RunButtons(this);
    connect(m_buttons, &RunButtons::runRequested, this, [this] {
        remember();
        emit runRequested(spec());
    });
    connect(m_buttons, &RunButtons::stepRequested, this, [this] {
        remember();
        emit stepRequested(spec());
    });
    connect(m_buttons, &RunButtons::continueRequested, this, &PromptPanel::continueRequested);
    connect(m_buttons, &RunButtons::stopRequested, this, &PromptPanel::stopRequested);
    addActions(runActions());
    return m_buttons;
}

QWidget* PromptPanel::makeCaption()
{
    auto* line = new QWidget(this);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    m_historyButton->setText(tr("Earlier"));
    m_historyButton->setToolTip(tr("Prompts that were run before"));
    m_historyButton->setAccessibleName(tr("Earlier prompts"));
    m_historyButton->setAutoRaise(true);
    m_historyButton->setPopupMode(QToolButton::InstantPopup);
    m_historyButton->setFocusPolicy(Qt::StrongFocus);
    auto* menu = new QMenu(m_historyButton);
    connect(menu, &QMenu::aboutToShow, this, &PromptPanel::showHistory);
    m_historyButton->setMenu(menu);
    m_historyButton->setEnabled(false);
    row->addWidget(m_caption, 1);
    row->addWidget(m_historyButton);
    return line;
}

void PromptPanel::showHistory()
{
    QMenu* const menu = m_historyButton->menu();
    menu->clear();
    for (const QString& prompt : history().mid(0, menuPrompts)) {
        QString line = prompt.simplified();
        if (line.size() > menuCharacters)
            line = line.left(menuCharacters) + QChar(0x2026);
        connect(menu->addAction(line.replace(u'&', QStringLiteral("&&"))), &QAction::triggered, this,
            [this, prompt] { setPrompt(prompt); });
    }
}

void PromptPanel::setHistory(const QStringList& prompts)
{
    m_history.setPrompts(prompts);
    m_historyButton->setEnabled(!history().isEmpty());
}

void PromptPanel::remember()
{
    m_history.add(m_prompt->toPlainText());
    m_historyButton->setEnabled(!history().isEmpty());
}

bool PromptPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_prompt || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const auto* const key = static_cast<QKeyEvent*>(event);
    const bool older = key->key() == Qt::Key_Up;
    if (key->modifiers() != Qt::ControlModifier || (!older && key->key() != Qt::Key_Down))
        return QWidget::eventFilter(watched, event);
    const QString prompt = older ? m_history.older(m_prompt->toPlainText()) : m_history.newer();
    if (!prompt.isNull())
        setPrompt(prompt);
    return true;
}

QWidget* PromptPanel::makeForms()
{
    auto* const area = new FoldArea(this);
    area->setObjectName(QStringLiteral("forms"));
    auto* const forms = new QWidget;
    auto* const column = new QVBoxLayout(forms);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(grid::unit);
    column->addWidget(m_sampling);
    column->addWidget(m_engine);
    column->addStretch();
    area->setWidget(forms);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Maximum);
    for (const FoldingForm* const form : {static_cast<FoldingForm*>(m_sampling), static_cast<FoldingForm*>(m_engine)})
        connect(
            form, &FoldingForm::unfolded, area, [area, form] { area->showWhole(form); }, Qt::QueuedConnection);
    setMinimumWidth(std::max(m_sampling->fieldsWidth(), m_engine->fieldsWidth())
        + area->verticalScrollBar()->sizeHint().width() + 2 * grid::unit);
    return area;
}

QWidget* PromptPanel::makePace()
{
    auto* row = new QWidget(this);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    auto* caption = new QLabel(tr("P&ace"), row);
    m_pace = new QSlider(Qt::Horizontal, row);
    m_pace->setRange(slowestPace, fastestPace + 1);
    m_pace->setPageStep(10);
    m_pace->setAccessibleName(tr("Pace in tokens a second"));
    m_pace->setToolTip(tr("How fast tokens are shown; all the way to the right is full speed"));
    m_paceText = new QLabel(row);
    m_paceText->setFont(monospaceFont());
    m_paceText->setMinimumWidth(std::max(m_paceText->fontMetrics().horizontalAdvance(tr("full speed")),
        m_paceText->fontMetrics().horizontalAdvance(tr("%1 tok/s").arg(fastestPace))));
    m_paceText->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    caption->setBuddy(m_pace);
    line->addWidget(caption);
    line->addWidget(m_pace, 1);
    line->addWidget(m_paceText);
    connect(m_pace, &QSlider::valueChanged, this, &PromptPanel::updatePace);
    return row;
}

QWidget* PromptPanel::makeRefusal()
{
    auto* const area = new QScrollArea(this);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_why = new ProblemPanel(QStringLiteral("runRefusal"), area);
    area->setWidget(m_why);
    connect(m_why, &ProblemPanel::retryRequested, this, &PromptPanel::retryRequested);
    m_refusal = area;
    return area;
}

void PromptPanel::showRefusal()
{
    const bool refused = m_model && m_model->refused;
    m_prompt->setVisible(!refused);
    m_refusal->setVisible(refused);
    m_historyButton->setVisible(!refused);
    if (refused) {
        m_caption->setText(tr("This model cannot be run"));
        m_why->setError(*m_model->refused);
    }
}

void PromptPanel::setModel(ModelFactsPtr model)
{
    m_model = std::move(model);
    m_engine->setModelContext(m_model ? m_model->config.maxSeqLen : 0);
    const bool ids = m_model && !m_model->hasTokenizer;
    m_caption->setText(ids ? tr("Prom&pt, as token ids") : tr("Prom&pt"));
    showRefusal();
    m_prompt->setPlaceholderText(ids ? tr("This model has no tokenizer: write ids, such as 101, 2001, 102")
                                     : tr("Write how the text begins, then press Ctrl+Enter"));
    m_prompt->setAccessibleName(ids ? tr("Prompt, as token ids") : tr("Prompt"));
    updateActions();
}

void PromptPanel::setPrompt(const QString& text)
{
    m_prompt->setPlainText(text);
}

void PromptPanel::focusPrompt()
{
    m_prompt->setFocus();
}

RunSpec PromptPanel::spec() const
{
    RunSpec spec;
    if (m_model && !m_model->hasTokenizer)
        spec.promptIds = parseTokenIds(m_prompt->toPlainText());
    else
        spec.promptText = m_prompt->toPlainText();
    const SamplingChoice choice = m_sampling->choice();
    spec.maxTokens = choice.maxTokens;
    spec.ignoreEndOfText = choice.ignoreEndOfText;
    spec.sampling = choice.sampling;
    spec.engine = m_engine->options();
    spec.pace = pace();
    return spec;
}

void PromptPanel::setSpec(const RunSpec& spec)
{
    QStringList ids;
    for (const TokenId id : spec.promptIds)
        ids += QString::number(id);
    setPrompt(ids.isEmpty() ? spec.promptText : ids.join(QStringLiteral(", ")));
    m_sampling->setChoice({spec.sampling, spec.maxTokens, spec.ignoreEndOfText});
    m_engine->setOptions(spec.engine);
    setPace(spec.pace);
}

double PromptPanel::pace() const
{
    return m_pace->value() > fastestPace ? 0 : m_pace->value();
}

void PromptPanel::setPace(double tokensPerSecond)
{
    m_pace->setValue(tokensPerSecond <= 0 ? fastestPace + 1 : static_cast<int>(std::lround(tokensPerSecond)));
    updatePace();
}

void PromptPanel::updatePace()
{
    m_paceText->setText(pace() > 0 ? tr("%1 tok/s").arg(pace()) : tr("full speed"));
    emit paceChanged(pace());
}

void PromptPanel::updateActions()
{
    const RunSpec now = spec();
    const RunAbilities can =
        abilitiesIn(m_store.state(), m_model && !m_model->refused, !now.promptText.isEmpty() || !now.promptIds.empty(),
            !m_store.restored() && asksForTheSame(now, m_store.spec()));
    m_buttons->setAbilities(can, m_store.state(), m_model ? m_model->refused : std::nullopt);
}

} // namespace colibri
