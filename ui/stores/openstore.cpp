// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/openstore.h"

namespace colibri {
namespace {

std::vector<ExpertState> statesOf(const OpenProgress& progress)
{
    std::vector<ExpertState> states;
    const std::uint32_t layers = progress.layers();
    const std::uint32_t experts = layers > 0 ? progress.experts() : 0;
    states.reserve(std::size_t{layers} * experts);
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
        for (std::uint32_t expert = 0; expert < experts; ++expert)
            states.push_back(progress.state(layer, expert));
    }
    return states;
}

} // namespace

void OpenStore::begin(const QString& path, std::shared_ptr<const OpenProgress> progress)
{
    m_path = path;
    m_error.reset();
    m_progress = std::move(progress);
    m_clock.start();
    m_bytesDone = m_bytesTotal = 0;
    m_layers = m_experts = 0;
    m_expertStates.clear();
    m_elapsedSeconds = 0;
    m_state = State::Opening;
    emit stateChanged();
    emit progressed();
}

void OpenStore::catchUp()
{
    if (!m_progress)
        return;
    m_elapsedSeconds = double(m_clock.nsecsElapsed()) * 1e-9;
    m_bytesDone = m_progress->bytesDone();
    m_bytesTotal = m_progress->bytesTotal();
    m_layers = static_cast<int>(m_progress->layers());
    m_experts = m_layers > 0 ? static_cast<int>(m_progress->experts()) : 0;
    m_expertStates = statesOf(*m_progress);
    emit progressed();
}

void OpenStore::succeed(ModelFactsPtr model)
{
    m_model = std::move(model);
    emit modelChanged();
    end(State::Opened);
}

void OpenStore::fail(Error error)
{
    m_error = std::move(error);
    end(State::Failed);
}

void OpenStore::cancel()
{
    end(State::Cancelled);
}

void OpenStore::close()
{
    m_model.reset();
    m_path.clear();
    m_error.reset();
    emit modelChanged();
    end(State::Idle);
}

void OpenStore::end(State state)
{
    catchUp();
    m_progress.reset();
    m_state = state;
    emit stateChanged();
}

} // namespace colibri
