// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/exportstore.h"

namespace colibri {

void ExportStore::setPlan(ExportPlanPtr plan)
{
    m_plan = std::move(plan);
    m_planError.reset();
    emit planChanged();
}

void ExportStore::failPlan(Error error)
{
    m_plan.reset();
    m_planError = std::move(error);
    emit planChanged();
}

void ExportStore::write(const ExportSpec& spec, const QString& source, int task)
{
    m_spec = spec;
    m_source = source;
    m_task = task;
    m_error.reset();
    m_report.reset();
    setState(State::Writing);
}

void ExportStore::compare(int task)
{
    m_task = task;
    setState(State::Comparing);
}

void ExportStore::succeed(ExportReportPtr report)
{
    m_report = std::move(report);
    setState(State::Done);
}

void ExportStore::fail(Error error)
{
    m_error = std::move(error);
    setState(State::Failed);
}

void ExportStore::cancel()
{
    setState(State::Cancelled);
}

void ExportStore::forget()
{
    if (busy())
        return;
    m_error.reset();
    m_report.reset();
    setState(State::Idle);
}

void ExportStore::setState(State state)
{
    m_state = state;
    emit stateChanged();
}

} // namespace colibri
