// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace colibri::bench {

using Clock = std::chrono::steady_clock;

/// The value below which `share` of them lie, by nearest rank. `values` must not be empty.
double percentile(std::vector<double> values, double share);

/// Resident memory of this process in bytes, by /proc/self/statm, and the most it ever was, by VmHWM.
double residentBytes();
double peakResidentBytes();

/// Measures how long the event loop of the thread it was made on keeps an event waiting: another thread posts one every
/// millisecond when the one before has come through.
class LoopProbe : public QObject {
    Q_OBJECT

public:
    LoopProbe();
    ~LoopProbe() override;

    const std::vector<double>& waitsMs() const { return m_waits; }

protected:
    void customEvent(QEvent* event) override;

private:
    std::atomic<bool> m_free{true};
    std::vector<double> m_waits;
    std::jthread m_thread;
};

/// Counts paint events of a widget.
class PaintCount : public QObject {
    Q_OBJECT

public:
    explicit PaintCount(QObject* watched);
    int count() const { return m_count; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int m_count = 0;
};

} // namespace colibri::bench
