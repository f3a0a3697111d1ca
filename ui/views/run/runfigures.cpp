// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/runfigures.h"

#include "views/run/engineform.h"
#include "views/theme/elided.h"
#include "views/theme/theme.h"

#include <QCoreApplication>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>

namespace colibri {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(RunFigures)
};

constexpr int stateCharacters = 32; ///< of the state that are seen in the narrowest window
const QString dash = QStringLiteral("\u2013");

/// Three significant digits: more would be noise.
QString threeDigits(double value)
{
    return QString::number(value, 'f', value < 10 ? 2 : value < 100 ? 1 : 0);
}

QString rate(double tokensPerSecond)
{
    return tokensPerSecond > 0 ? Words::tr("%1 tok/s").arg(threeDigits(tokensPerSecond)) : dash;
}

QString lastStep(const RunStore& run)
{
    for (int position = run.routed() - 1; position >= run.promptTokens(); --position) {
        if (const TimingEvent* timing = run.timing(position))
            return Words::tr("%1 ms").arg(threeDigits(double(timing->totalNs) * 1e-6));
    }
    return dash;
}

QString reasonOf(StopReason reason)
{
    switch (reason) {
    case StopReason::EndOfText:
        return Words::tr("Finished: the model ended the text");
    case StopReason::ContextFull:
        return Words::tr("Finished: the context is full");
    case StopReason::Paused:
        return Words::tr("it was saved before its end");
    default:
        return Words::tr("Finished: all asked tokens are made");
    }
}

QString stateOf(const RunStore& run)
{
    using State = RunStore::State;
    switch (run.state()) {
    case State::Idle:
        return Words::tr("No run yet");
    case State::Starting:
        return Words::tr("Starting");
    case State::Running:
    case State::Waiting: // waiting for the pace is a part of running
        return Words::tr("Running");
    case State::Stopping:
        return Words::tr("Stopping");
    case State::Paused:
        return Words::tr("Paused");
    case State::Finished:
        return reasonOf(run.finishReason());
    case State::Failed:
        break;
    }
    return run.error() ? QString::fromStdString(run.error()->message()) : Words::tr("Failed");
}

} // namespace

FigureTexts figuresOf(const RunStore& run)
{
    FigureTexts texts;
    texts.state = stateOf(run);
    if (run.restored()) {
        texts.madeWith = Words::tr("Made with: %1").arg(EngineForm::summary(run.spec().engine));
        texts.state = Words::tr("Saved run %1: %2").arg(QFileInfo(run.file()).fileName(), texts.state);
    }
    texts.failed = run.state() == RunStore::State::Failed;
    const int answer = run.tokens() - run.promptTokens();
    texts.tokens = run.tokens() > 0 ? QStringLiteral("%1 + %2").arg(run.promptTokens()).arg(answer) : dash;
    texts.prefill = rate(run.prefillTokensPerSecond());
    texts.decode = rate(run.decodeTokensPerSecond());
    texts.last = lastStep(run);
    if (const auto dropped = run.droppedTimings(); dropped > 0)
        texts.gap = Words::tr("timings missing: %1").arg(dropped);
    if (const auto events = run.record() ? run.record()->breakerEvents() : 0; events > 0)
        texts.breaker = Words::tr("not finite: %1").arg(events);
    return texts;
}

RunFigures::RunFigures(const RunStore& run, QWidget* parent)
    : QWidget(parent)
    , m_run(run)
    , m_state(new ElidedLabel(this))
{
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(grid::unit, grid::half, grid::unit, grid::half);
    line->setSpacing(grid::unit);
    m_state->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_state->setMinimumWidth(m_state->fontMetrics().averageCharWidth() * stateCharacters);
    m_state->setAccessibleName(tr("State of the run"));
    line->addWidget(m_state, 1);
    const auto addWarning = [&](const QString& name, const QString& tip) {
        auto* label = new QLabel(this);
        label->setAccessibleName(name);
        label->setToolTip(tip);
        line->addWidget(label);
        return label;
    };
    m_gap = addWarning(tr("Gap"),
        tr("So many timing events were dropped because the window was too slow: those tokens have no time. Tokens and "
           "routing are complete."));
    m_breaker = addWarning(tr("Circuit breaker"),
        tr("The circuit breaker met so many values that were not finite. Cells with a red corner had an expert's "
           "output zeroed."));
    m_breaker->setForegroundRole(QPalette::BrightText); // of the theme's palettes: the colour of errors
    tint();
    addFigures(*line);
    for (const auto signal : {&RunStore::reset, &RunStore::timingsAdvanced, &RunStore::stateChanged})
        connect(&run, signal, this, &RunFigures::refresh);
    connect(&run, &RunStore::tokensAppended, this, &RunFigures::refresh);
    connect(&run, &RunStore::routedAdvanced, this, &RunFigures::refresh);
    refresh();
}

void RunFigures::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        tint();
}

void RunFigures::tint()
{
    QPalette warning; // of one colour; all others stay inherited
    warning.setColor(QPalette::WindowText, QColor::fromRgb(themeColors(schemeOf(palette())).warningText));
    m_gap->setPalette(warning);
}

void RunFigures::addFigures(QHBoxLayout& line)
{
    const QString digits = QStringLiteral("0000");
    const std::array<QString, FigureCount> names{tr("Tokens"), tr("Prefill"), tr("Decode"), tr("Last")};
    const std::array<QString, FigureCount> widest{
        QStringLiteral("0000 + 0000"), tr("%1 tok/s").arg(digits), tr("%1 tok/s").arg(digits), tr("%1 ms").arg(digits)};
    const std::array<QString, FigureCount> tips{tr("Tokens of the prompt and of the answer"),
        tr("Prompt tokens computed in a second, waits not counted"),
        tr("Answer tokens computed in a second, waits for the pace not counted"),
        tr("Computing time of the newest token")};
    for (std::size_t figure = 0; figure < FigureCount; ++figure) {
        auto* const group = new QWidget(this);
        auto* const row = new QHBoxLayout(group);
        row->setContentsMargins(grid::unit, 0, 0, 0);
        row->setSpacing(grid::unit);
        auto* const caption = new QLabel(names[figure], group);
        caption->setForegroundRole(QPalette::PlaceholderText);
        auto* const value = new QLabel(group);
        value->setFont(monospaceFont());
        value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        value->setMinimumWidth(value->fontMetrics().horizontalAdvance(widest[figure]));
        value->setAccessibleName(names[figure]);
        value->setToolTip(tips[figure]);
        row->addWidget(caption);
        row->addWidget(value);
        line.addWidget(group);
        m_figures[figure] = value;
    }
}

QSize RunFigures::minimumSizeHint() const
{
    return {m_state->minimumWidth(), QWidget::minimumSizeHint().height()};
}

void RunFigures::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    int room = width() - m_state->minimumWidth() - 2 * grid::unit;
    for (const Figure figure : {Tokens, Decode, Prefill, Last}) {
        QWidget* const group = m_figures[figure]->parentWidget();
        room -= group->sizeHint().width() + grid::unit;
        group->setVisible(room >= 0);
    }
}

void RunFigures::refresh()
{
    const FigureTexts texts = figuresOf(m_run);
    m_state->setText(texts.state);
    m_state->setToolTip(texts.madeWith);
    const QPalette::ColorRole role = texts.failed ? QPalette::BrightText : QPalette::WindowText;
    if (m_state->foregroundRole() != role)
        m_state->setForegroundRole(role);
    const std::array<QString, FigureCount> values{texts.tokens, texts.prefill, texts.decode, texts.last};
    for (std::size_t figure = 0; figure < FigureCount; ++figure)
        m_figures[figure]->setText(values[figure]);
    m_gap->setText(texts.gap);
    m_breaker->setText(texts.breaker);
    m_gap->setVisible(!texts.gap.isEmpty());
    m_breaker->setVisible(!texts.breaker.isEmpty());
}

} // namespace colibri
