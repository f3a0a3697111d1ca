// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/runstore.h"

#include <algorithm>
#include <span>

namespace colibri {
namespace {

constexpr int clockGrain = 32; ///< steps between two looks at the clock

} // namespace

RunStore::RunStore(QObject* parent)
    : QObject(parent)
{
    m_fileCheck.setInterval(fileCheckMs);
    connect(&m_fileCheck, &QTimer::timeout, this, &RunStore::checkFile);
    connect(this, &RunStore::reset, this, [this] {
        if (file().isEmpty())
            m_fileCheck.stop();
        else
            m_fileCheck.start();
    });
}

void RunStore::checkFile()
{
    if (!m_start.record->lost())
        return;
    m_fileCheck.stop();
    fail({Errc::Lost, tr("show a saved run").toStdString(), file().toStdString(), {},
        tr("the file shrank or its disk failed; numbers read from it may be zeros").toStdString()});
}

bool RunStore::busy() const
{
    return m_state == State::Starting || m_state == State::Running || m_state == State::Waiting
        || m_state == State::Stopping;
}

QString RunStore::text() const
{
    return m_text ? m_text->text() : QString();
}

QString RunStore::text(int from, int to) const
{
    std::vector<TokenId> ids;
    for (int position = std::max(0, from); position < std::min(to, tokens()); ++position)
        ids.push_back(id(position));
    return m_text ? decodeTokens(m_start.model, ids) : QString();
}

const TimingEvent* RunStore::timing(int position) const
{
    const auto at = static_cast<std::size_t>(position);
    if (position < 0 || at >= m_eventOfPosition.size() || m_eventOfPosition[at] < 0)
        return nullptr;
    return &m_events[static_cast<std::size_t>(m_eventOfPosition[at])];
}

void RunStore::show(RunStart start)
{
    m_restored = !start.file.isEmpty();
    m_start = std::move(start);
    m_text.emplace(m_start.model);
    m_promptTokens = m_routed = 0;
    m_events.clear();
    m_eventOfPosition.clear();
    m_pauses.clear();
    m_prefill = m_decode = {};
}

void RunStore::begin(RunStart start)
{
    show(std::move(start));
    emit reset();
}

void RunStore::restore(RunStart start, StopReason reason, std::optional<Error> error)
{
    show(std::move(start));
    m_state = error ? State::Failed : State::Finished;
    m_finishReason = reason;
    m_error = std::move(error);
    emit reset();
    emit stateChanged();
}

void RunStore::keep(const RunStore& other)
{
    m_start = other.m_start;
    m_start.timings.reset();
    m_start.droppedTimings = other.droppedTimings();
    m_text = other.m_text;
    m_promptTokens = other.m_promptTokens;
    m_routed = other.m_routed;
    m_events = other.m_events;
    m_eventOfPosition = other.m_eventOfPosition;
    m_pauses = other.m_pauses;
    m_prefill = other.m_prefill;
    m_decode = other.m_decode;
    m_state = other.busy() ? State::Paused : other.m_state;
    m_finishReason = other.m_finishReason;
    m_error = other.m_error;
    m_restored = other.m_restored;
    emit reset();
    emit stateChanged();
}

bool RunStore::catchUp(Clock::time_point deadline)
{
    if (!m_start.record)
        return true;
    const bool timings = takeTimings(deadline);
    const bool tokens = takeTokens(deadline);
    // Decisions of positions whose token is not shown yet wait for the next tick.
    const int routed = std::min(static_cast<int>(m_start.record->routed()), this->tokens());
    if (routed > m_routed) {
        const int from = std::exchange(m_routed, routed);
        emit routedAdvanced(from, routed);
    }
    return timings && tokens;
}

bool RunStore::takeTokens(Clock::time_point deadline)
{
    const RunRecord& record = *m_start.record;
    const int available = static_cast<int>(record.tokens());
    const int before = tokens();
    if (available == before)
        return true;
    m_promptTokens = static_cast<int>(record.promptTokens());
    int firstChanged = before;
    while (tokens() < available && (tokens() % clockGrain != 0 || Clock::now() < deadline))
        firstChanged = std::min(firstChanged, m_text->append(record.token(static_cast<std::uint32_t>(tokens()))));
    if (tokens() > before)
        emit tokensAppended(firstChanged, tokens());
    return tokens() == available;
}

bool RunStore::takeTimings(Clock::time_point deadline)
{
    if (!m_start.timings)
        return true;
    const std::size_t before = m_events.size();
    bool emptied = false;
    while (!emptied && (m_events.size() % clockGrain != 0 || Clock::now() < deadline)) {
        TimingEvent event;
        emptied = !m_start.timings->tryPop(event);
        if (!emptied)
            addTiming(event);
    }
    if (emptied && !file().isEmpty()) { // none will come
        m_start.droppedTimings = droppedTimings();
        m_start.timings.reset();
    }
    if (m_events.size() > before)
        emit timingsAdvanced();
    return emptied;
}

void RunStore::addTiming(const TimingEvent& event)
{
    Rate& rate = event.prefill ? m_prefill : m_decode;
    rate.tokens += event.tokens;
    rate.ns += event.totalNs;
    const std::size_t end =
        std::min<std::size_t>(std::size_t{event.position} + event.tokens, m_start.record->shape().positions);
    if (m_eventOfPosition.size() < end)
        m_eventOfPosition.resize(end, -1);
    for (std::size_t position = event.position; position < end; ++position)
        m_eventOfPosition[position] = static_cast<int>(m_events.size());
    m_events.push_back(event);
}

void RunStore::setState(State state)
{
    if (state == m_state)
        return;
    m_state = state;
    m_restored = false;
    m_error.reset();
    if (state == State::Paused && m_start.record) {
        const std::uint32_t next = m_start.record->routed();
        if (m_pauses.empty() || m_pauses.back() < next)
            m_pauses.push_back(next);
    }
    emit stateChanged();
}

void RunStore::finish(StopReason reason)
{
    m_finishReason = reason;
    setState(State::Finished);
}

void RunStore::fail(Error error)
{
    m_error = std::move(error);
    m_restored = false;
    m_state = State::Failed;
    emit stateChanged();
}

void RunStore::clear()
{
    m_start = {};
    m_text.reset();
    m_promptTokens = m_routed = 0;
    m_events.clear();
    m_eventOfPosition.clear();
    m_pauses.clear();
    m_prefill = m_decode = {};
    setState(State::Idle);
    emit reset();
}

} // namespace colibri
