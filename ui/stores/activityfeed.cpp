// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/activityfeed.h"

#include "stores/units.h"

namespace colibri {
namespace {

const QString openSource = QStringLiteral("open");
const QString runSource = QStringLiteral("run");

} // namespace

ActivityFeed::ActivityFeed(
    const OpenStore& open, const RunStore& run, TaskStore& tasks, LogStore& log, Cancels cancels, QObject* parent)
    : QObject(parent)
    , m_open(open)
    , m_run(run)
    , m_tasks(tasks)
    , m_log(log)
    , m_cancels(std::move(cancels))
{
    connect(&open, &OpenStore::stateChanged, this, &ActivityFeed::followOpen);
    connect(&open, &OpenStore::progressed, this,
        [this] { m_tasks.progress(m_openTask, double(m_open.bytesDone()), double(m_open.bytesTotal())); });
    connect(&run, &RunStore::stateChanged, this, &ActivityFeed::followRun);
    connect(&run, &RunStore::reset, this, &ActivityFeed::beginRun);
    connect(&run, &RunStore::tokensAppended, this, &ActivityFeed::showRunProgress);
}

void ActivityFeed::followOpen()
{
    using State = OpenStore::State;
    const State state = m_open.state();
    if (state == State::Opening) {
        m_tasks.setState(m_openTask, Task::State::Cancelled, tr("another opening took its place"));
        m_openTask = m_tasks.begin(tr("Open %1").arg(m_open.path()), QStringLiteral("B"), m_cancels.open);
        m_log.add(LogLevel::Info, openSource, tr("opening %1").arg(m_open.path()));
        return;
    }
    if (state == State::Opened) {
        m_tasks.progress(m_openTask, double(m_open.bytesDone()), double(m_open.bytesTotal()));
        if (const auto& refused = m_open.model()->refused) {
            endInspection(QString::fromStdString(refused->message()));
            return;
        }
        const QString took = tr("%1 mapped in %2 ms")
                                 .arg(bytesText(m_open.model()->mappedBytes))
                                 .arg(m_open.elapsedSeconds() * 1e3, 0, 'f', 0);
        m_tasks.setState(m_openTask, Task::State::Done, took);
        m_log.add(LogLevel::Info, openSource, tr("opened %1: %2").arg(m_open.path(), took));
        logNotes();
    } else if (state == State::Cancelled) {
        m_tasks.setState(m_openTask, Task::State::Cancelled);
        m_log.add(LogLevel::Info, openSource, tr("opening %1 was cancelled").arg(m_open.path()));
    } else if (state == State::Failed) {
        const QString why = QString::fromStdString(m_open.error()->message());
        m_tasks.setState(m_openTask, Task::State::Failed, why);
        m_log.add(LogLevel::Error, openSource, why);
    }
    m_openTask = 0;
}

void ActivityFeed::endInspection(const QString& why)
{
    m_tasks.setState(m_openTask, Task::State::Done, tr("opened for inspection, it cannot be run"));
    m_log.add(
        LogLevel::Warning, openSource, tr("opened %1 for inspection, it cannot be run: %2").arg(m_open.path(), why));
    logNotes();
    m_openTask = 0;
}

void ActivityFeed::logNotes()
{
    for (const std::string& note : m_open.model()->notes)
        m_log.add(LogLevel::Warning, openSource, QString::fromStdString(note));
}

void ActivityFeed::beginRun()
{
    m_tasks.setState(m_runTask, Task::State::Cancelled, tr("another run took its place"));
    m_runTask = 0;
    if (!m_run.record() || !m_run.file().isEmpty())
        return;
    m_runTask = m_tasks.begin(tr("Run, token limit %1").arg(m_run.spec().maxTokens), tr("tok"), m_cancels.run);
}

void ActivityFeed::showRunProgress()
{
    const int made = m_run.tokens() - m_run.promptTokens();
    m_tasks.progress(m_runTask, made, double(m_run.spec().maxTokens));
}

void ActivityFeed::followRun()
{
    using State = RunStore::State;
    if (m_run.restored())
        return; // nothing has happened here
    switch (m_run.state()) {
    case State::Running:
    case State::Waiting:
        m_tasks.setState(m_runTask, Task::State::Running);
        break;
    case State::Paused:
        m_tasks.setState(m_runTask, Task::State::Paused, tr("can go on"));
        break;
    case State::Finished:
        endRun(Task::State::Done, LogLevel::Info, finishText() + QStringLiteral("; ") + runFigures());
        break;
    case State::Failed:
        endRun(Task::State::Failed, LogLevel::Error, QString::fromStdString(m_run.error()->message()));
        break;
    case State::Idle:
        m_tasks.setState(m_runTask, Task::State::Cancelled, tr("the model was closed"));
        m_runTask = 0;
        break;
    case State::Starting:
    case State::Stopping:
        break;
    }
}

void ActivityFeed::endRun(Task::State state, LogLevel level, const QString& text)
{
    showRunProgress();
    m_tasks.setState(m_runTask, state, text);
    m_log.add(level, runSource, text);
    m_runTask = 0;
    if (state != Task::State::Done)
        return;
    if (const std::uint64_t zeroed = m_run.record() ? m_run.record()->breakerEvents() : 0; zeroed > 0)
        m_log.add(LogLevel::Warning, runSource,
            tr("outputs of experts that were not finite and count as zero: %1").arg(zeroed));
    if (const std::uint64_t dropped = m_run.droppedTimings(); dropped > 0)
        m_log.add(LogLevel::Warning, runSource, tr("steps whose timings were not recorded: %1").arg(dropped));
}

QString ActivityFeed::finishText() const
{
    switch (m_run.finishReason()) {
    case StopReason::EndOfText:
        return tr("the model ended its text");
    case StopReason::ContextFull:
        return tr("the context is full");
    default:
        return tr("all tokens that were asked for");
    }
}

QString ActivityFeed::runFigures() const
{
    return tr("prompt %1 tokens at %2 tok/s, answer %3 tokens at %4 tok/s")
        .arg(m_run.promptTokens())
        .arg(m_run.prefillTokensPerSecond(), 0, 'f', 1)
        .arg(m_run.tokens() - m_run.promptTokens())
        .arg(m_run.decodeTokensPerSecond(), 0, 'f', 1);
}

} // namespace colibri
