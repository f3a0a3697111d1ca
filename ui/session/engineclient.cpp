// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/engineclient.h"

#include <algorithm>

namespace colibri {
namespace {

RunSpec withThreads(RunSpec spec)
{
    if (spec.engine.threads == 0)
        spec.engine.threads = static_cast<std::uint32_t>(std::max(1, QThread::idealThreadCount() - 1));
    return spec;
}

} // namespace

EngineClient::EngineClient(OpenStore& open, RunStore& run, QObject* parent)
    : QObject(parent)
    , m_open(open)
    , m_run(run)
    , m_pump(open, run)
    , m_worker(new EngineWorker)
{
    m_thread.setObjectName(QStringLiteral("engine"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    answer(&EngineWorker::opened, &EngineClient::onOpened);
    answer(&EngineWorker::openFailed, &EngineClient::onOpenFailed);
    answer(&EngineWorker::runBegun, &EngineClient::onRunBegun);
    answer(&EngineWorker::runEnded, &EngineClient::onRunEnded);
    connect(&m_pump, &Pump::ticked, this, &EngineClient::onTicked);
    m_thread.start();
}

EngineClient::~EngineClient()
{
    m_worker->close();
    m_openStop.request_stop();
    if (m_control)
        m_control->stop();
    post([thread = &m_thread] { thread->quit(); }); // the last word to the worker, which ends with its thread
    m_thread.wait();
}

template <class Value>
void EngineClient::answer(
    void (EngineWorker::*signal)(quint64, const Value&), void (EngineClient::*slot)(quint64, const Value&))
{
    const auto post = [this, slot](quint64 id, const Value& value) {
        m_answers.post([this, slot, id, value] { (this->*slot)(id, value); });
    };
    connect(m_worker, signal, m_worker, post, Qt::DirectConnection);
}

void EngineClient::post(std::function<void()> command)
{
    m_worker->commands().post(std::move(command));
}

void EngineClient::open(const QString& path, const OpenOptions& options)
{
    stop();
    m_openStop.request_stop();
    m_openStop = std::stop_source();
    auto progress = std::make_shared<OpenProgress>();
    OpenCommand command{++m_openId, path.toStdString(), options, progress, m_openStop.get_token()};
    m_open.begin(path, std::move(progress));
    m_pump.start();
    post([worker = m_worker, command = std::move(command)] { worker->open(command); });
}

void EngineClient::cancelOpen()
{
    m_openStop.request_stop();
}

void EngineClient::closeModel()
{
    ++m_openId;
    m_openStop.request_stop();
    dropRun();
    adopt({});
    m_open.close();
}

void EngineClient::run(const RunSpec& spec)
{
    begin(spec, allTokens);
}

void EngineClient::step(const RunSpec& spec)
{
    if (m_run.state() == RunStore::State::Paused)
        queueRun({}, 1);
    else if (!m_run.busy())
        begin(spec, 1);
}

void EngineClient::continueRun()
{
    if (m_run.state() == RunStore::State::Paused)
        queueRun({}, allTokens);
}

void EngineClient::stop()
{
    if (!m_control)
        return;
    m_control->stop();
    if (!m_outcome)
        m_run.setState(RunStore::State::Stopping);
}

void EngineClient::setPace(double tokensPerSecond)
{
    m_pace = tokensPerSecond;
    if (m_control)
        m_control->setPace(tokensPerSecond);
}

void EngineClient::begin(const RunSpec& spec, std::uint32_t tokens)
{
    if (!m_model.model) {
        const bool refused = m_model.facts && m_model.facts->refused;
        m_run.fail(refused ? *m_model.facts->refused : Error{Errc::OutOfRange, "run", {}, {}, "no model is open"});
        return;
    }
    stop();
    m_pace = spec.pace;
    queueRun(withThreads(spec), tokens);
}

void EngineClient::queueRun(std::optional<RunSpec> spec, std::uint32_t tokens)
{
    m_outcome.reset();
    m_control = std::make_shared<RunControl>(m_pace);
    m_run.setState(spec ? RunStore::State::Starting : RunStore::State::Running);
    m_pump.start();
    post([worker = m_worker, command = RunCommand{++m_runId, m_model, std::move(spec), tokens, m_control}] {
        worker->run(command);
    });
}

void EngineClient::restore(RunStart start, StopReason reason, std::optional<Error> error)
{
    forgetRun();
    start.model = m_model.facts;
    m_run.restore(std::move(start), reason, std::move(error));
    m_pump.start();
}

void EngineClient::forgetRun()
{
    if (m_control)
        m_control->stop();
    m_control.reset();
    m_outcome.reset();
    ++m_runId;
}

void EngineClient::dropRun()
{
    forgetRun();
    m_run.clear();
}

void EngineClient::adopt(OpenedModel opened)
{
    std::swap(m_model, opened);
    post([worker = m_worker, old = std::move(opened)] { worker->release(old); });
}

void EngineClient::onOpened(quint64 id, const OpenedModel& opened)
{
    if (id != m_openId)
        return;
    dropRun();
    adopt(opened);
    m_open.succeed(opened.facts);
}

void EngineClient::onOpenFailed(quint64 id, const Error& error)
{
    if (id != m_openId)
        return;
    if (error.code == Errc::Cancelled)
        m_open.cancel();
    else
        m_open.fail(error);
}

void EngineClient::onRunBegun(quint64 id, const RunStart& start)
{
    if (id != m_runId)
        return;
    m_run.begin(start);
    if (m_run.state() == RunStore::State::Starting)
        m_run.setState(RunStore::State::Running);
}

void EngineClient::onRunEnded(quint64 id, const RunOutcome& outcome)
{
    if (id != m_runId)
        return;
    m_outcome = outcome;
    m_pump.tick();
}

void EngineClient::onTicked(bool complete)
{
    const RunStore::State state = m_run.state();
    if (m_control && (state == RunStore::State::Running || state == RunStore::State::Waiting))
        m_run.setState(m_control->waiting() ? RunStore::State::Waiting : RunStore::State::Running);
    if (complete && m_outcome) {
        m_control.reset();
        showOutcome(*std::exchange(m_outcome, {}));
    }
    if (complete && !m_control && m_open.state() != OpenStore::State::Opening)
        m_pump.stop();
}

void EngineClient::showOutcome(const RunOutcome& outcome)
{
    if (outcome.error)
        m_run.fail(*outcome.error);
    else if (canGoOn(outcome))
        m_run.setState(RunStore::State::Paused);
    else
        m_run.finish(outcome.reason);
}

} // namespace colibri
