// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/timingsaver.h"

#include <QDir>
#include <QElapsedTimer>

namespace colibri {
namespace {

constexpr int sliceMs = 4;
constexpr std::size_t clockGrain = 256; ///< rows between two looks at the clock

} // namespace

TimingSaver::TimingSaver(const QString& path, TimingFile file, Events events, QObject* parent)
    : QObject(parent)
    , m_file(path)
    , m_pieces(std::move(file))
    , m_events(std::move(events))
    , m_pending(m_pieces.head)
{
    connect(&m_timer, &QTimer::timeout, this, &TimingSaver::writeOn);
}

void TimingSaver::start()
{
    if (m_file.open(QIODevice::WriteOnly))
        m_timer.start(0);
    else
        end(false);
}

bool TimingSaver::flush()
{
    const bool written = m_file.write(m_pending) == m_pending.size();
    m_pending.clear();
    return written;
}

void TimingSaver::writeOn()
{
    QElapsedTimer clock;
    clock.start();
    while (m_next < m_events->size() && (m_next % clockGrain != 0 || clock.elapsed() < sliceMs))
        m_pieces.appendRow(m_pending, *m_events, m_next++);
    const bool last = m_next == m_events->size();
    if (last)
        m_pending += m_pieces.tail;
    if (!flush())
        return end(false);
    if (last)
        return end(m_file.commit());
    emit progressed(int(100 * m_next / m_events->size()));
}

void TimingSaver::end(bool written)
{
    m_timer.stop();
    emit finished(written ? QString()
                          : tr("write %1: %2").arg(QDir::toNativeSeparators(m_file.fileName()), m_file.errorString()));
    deleteLater();
}

} // namespace colibri
