// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>

namespace colibri {

class OpenStore;
class RunStore;

/// Carries what the engine thread publishes to the stores: 30 times a second and at most 4 ms at a time. GUI thread.
class Pump : public QObject {
    Q_OBJECT

public:
    static constexpr int intervalMs = 33;
    static constexpr int budgetMs = 4;

    /// The stores live longer than the pump.
    Pump(OpenStore& open, RunStore& run, QObject* parent = nullptr);

    void start();
    void stop() { m_timer.stop(); }
    bool running() const { return m_timer.isActive(); }
    void tick();

signals:
    void ticked(bool complete); ///< complete: the stores show everything that was published

private:
    OpenStore& m_open;
    RunStore& m_run;
    QTimer m_timer;
};

} // namespace colibri
