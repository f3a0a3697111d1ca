// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/pump.h"

#include "stores/openstore.h"
#include "stores/runstore.h"

namespace colibri {

Pump::Pump(OpenStore& open, RunStore& run, QObject* parent)
    : QObject(parent)
    , m_open(open)
    , m_run(run)
{
    m_timer.setInterval(intervalMs);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &Pump::tick);
}

void Pump::start()
{
    if (!m_timer.isActive())
        m_timer.start();
}

void Pump::tick()
{
    const auto deadline = RunStore::Clock::now() + std::chrono::milliseconds(budgetMs);
    m_open.catchUp();
    emit ticked(m_run.catchUp(deadline));
}

} // namespace colibri
