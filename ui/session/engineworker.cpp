// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/engineworker.h"

#include "session/makefacts.h"

namespace colibri {
namespace {

Result<std::vector<TokenId>> promptIds(const Model& model, const RunSpec& spec)
{
    if (!spec.promptIds.empty())
        return spec.promptIds;
    const QByteArray text = spec.promptText.toUtf8();
    return model.tokenize({text.constData(), static_cast<std::size_t>(text.size())});
}

} // namespace

bool canGoOn(const RunOutcome& outcome)
{
    return !outcome.error && (outcome.reason == StopReason::Paused || outcome.reason == StopReason::Cancelled);
}

void EngineWorker::open(const OpenCommand& command)
{
    if (m_closing.load())
        return;
    const auto inspection = inspectModel(command.path, command.options, command.progress.get(), command.stop);
    if (!inspection)
        emit openFailed(command.id, inspection.error());
    else
        emit opened(command.id, {inspection->model, makeFacts(*inspection)});
}

void EngineWorker::run(const RunCommand& command)
{
    if (m_closing.load())
        return;
    if (command.spec) {
        const auto begun = beginRun(command);
        m_outcome = begun ? RunOutcome{} : RunOutcome{StopReason::Paused, begun.error()};
    }
    if (canGoOn(m_outcome)) {
        const auto reason = advance(*command.control, command.tokens);
        m_outcome = reason ? RunOutcome{*reason, {}} : RunOutcome{StopReason::Paused, reason.error()};
    }
    emit runEnded(command.id, m_outcome);
}

void EngineWorker::release(const OpenedModel& opened)
{
    if (m_session && m_session->model() == opened.model)
        m_session.reset();
}

Result<void> EngineWorker::beginRun(const RunCommand& command)
{
    const Model& model = *command.opened.model;
    if (auto mapped = model.checkMappings(); !mapped)
        return mapped.error();
    auto prompt = promptIds(model, *command.spec);
    if (!prompt)
        return prompt.error();
    if (auto prepared = prepareSession(command); !prepared)
        return prepared.error();
    const auto record = m_session->makeRecord();
    const auto timings = std::make_shared<TimingRing>(timingRingCapacity);
    auto begun = m_session->begin(
        {std::move(*prompt), command.spec->maxTokens, command.spec->sampling, command.spec->ignoreEndOfText}, record,
        timings);
    if (!begun)
        return begun.error();
    emit runBegun(command.id,
        {command.opened.facts, record, timings, m_session->info(), m_session->memory().arenaBytes,
            m_session->memory().kvBytes, *command.spec, m_session->counterNote()});
    return {};
}

Result<void> EngineWorker::prepareSession(const RunCommand& command)
{
    if (m_session && m_session->model() == command.opened.model && m_sessionOptions == command.spec->engine)
        return {};
    m_session.reset();
    auto session = Session::create(command.opened.model, command.spec->engine);
    if (!session)
        return session.error();
    m_session = std::move(*session);
    m_sessionOptions = command.spec->engine;
    return {};
}

Result<StopReason> EngineWorker::advance(RunControl& control, std::uint32_t tokens)
{
    const std::size_t goal = m_session->generated().size() + tokens;
    for (;;) {
        const RunControl::Stretch stretch = control.beginStretch();
        const auto started = RunControl::Clock::now();
        const auto left = static_cast<std::uint32_t>(goal - m_session->generated().size());
        const auto reason = m_session->advance(stretch.pace > 0 ? 1 : left, stretch.stop);
        if (!reason || !canGoOn({*reason, {}}))
            return reason;
        if (control.stopped())
            return StopReason::Cancelled;
        if (m_session->generated().size() >= goal)
            return StopReason::Paused;
        control.waitFrom(started);
    }
}

} // namespace colibri
