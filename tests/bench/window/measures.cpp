// SPDX-License-Identifier: GPL-3.0-or-later
#include "measures.h"

#include <QCoreApplication>
#include <QEvent>
#include <QFile>

#include <algorithm>
#include <cmath>
#include <unistd.h>

namespace colibri::bench {
namespace {

struct Posted : QEvent {
    Posted()
        : QEvent(QEvent::User)
    {
    }
    Clock::time_point at = Clock::now();
};

} // namespace

double percentile(std::vector<double> values, double share)
{
    std::ranges::sort(values);
    const auto rank = static_cast<std::size_t>(std::ceil(share * double(values.size())));
    return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

double residentBytes()
{
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    return file.readAll().split(' ').value(1).toDouble() * double(sysconf(_SC_PAGESIZE));
}

double peakResidentBytes()
{
    QFile file(QStringLiteral("/proc/self/status"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray& line : file.readAll().split('\n')) {
        if (line.startsWith("VmHWM:"))
            return line.simplified().split(' ').value(1).toDouble() * 1024;
    }
    return 0;
}

LoopProbe::LoopProbe()
    : m_thread([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (m_free.exchange(false))
                QCoreApplication::postEvent(this, new Posted, Qt::HighEventPriority);
        }
    })
{
}

LoopProbe::~LoopProbe()
{
    m_thread.request_stop();
    m_thread.join();
}

void LoopProbe::customEvent(QEvent* event)
{
    const auto waited = Clock::now() - static_cast<const Posted*>(event)->at;
    m_waits.push_back(std::chrono::duration<double, std::milli>(waited).count());
    m_free = true;
}

PaintCount::PaintCount(QObject* watched)
{
    watched->installEventFilter(this);
}

bool PaintCount::eventFilter(QObject*, QEvent* event)
{
    m_count += event->type() == QEvent::Paint;
    return false;
}

} // namespace colibri::bench
