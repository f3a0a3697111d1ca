// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/exportfacts.h"

#include <QObject>

namespace colibri {

/// The export of the open model as the GUI thread sees it: what it would come to, the one under way, the last one's
/// end. GUI thread.
class ExportStore : public QObject {
    Q_OBJECT

public:
    /// Writing and Comparing are under way; the last three are ends.
    enum class State { Idle, Writing, Comparing, Done, Failed, Cancelled };
    Q_ENUM(State)

    using QObject::QObject;

    const ExportPlanPtr& plan() const { return m_plan; } ///< null: no model is open, or it is being looked at
    const std::optional<Error>& planError() const { return m_planError; }
    State state() const { return m_state; }
    bool busy() const { return m_state == State::Writing || m_state == State::Comparing; }
    const ExportSpec& spec() const { return m_spec; } ///< of the newest export
    const QString& source() const { return m_source; } ///< path of the model it is of
    int task() const { return m_task; } ///< id of the task under way
    const std::optional<Error>& error() const { return m_error; } ///< present in State::Failed only
    const ExportReportPtr& report() const { return m_report; } ///< present in State::Done only

    // ---- the owner of the work ----
    void setPlan(ExportPlanPtr plan); ///< null: not known (any more)
    void failPlan(Error error);
    void write(const ExportSpec& spec, const QString& source, int task);
    void compare(int task);
    void succeed(ExportReportPtr report);
    void fail(Error error);
    void cancel();
    void forget(); ///< what has ended; State::Idle. Nothing while one is under way

signals:
    void planChanged();
    void stateChanged();

private:
    void setState(State state);

    ExportPlanPtr m_plan;
    std::optional<Error> m_planError;
    State m_state = State::Idle;
    ExportSpec m_spec;
    QString m_source;
    int m_task = 0;
    std::optional<Error> m_error;
    ExportReportPtr m_report;
};

} // namespace colibri
