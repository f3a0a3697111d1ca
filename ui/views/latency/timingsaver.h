// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/timingexport.h"

#include <QObject>
#include <QSaveFile>
#include <QTimer>

#include <memory>

namespace colibri {

/// Writes timings to a file that appears whole or not at all, a few milliseconds at a time, so that the window goes on.
/// Deletes itself when it has finished; deleted before, it leaves no file.
class TimingSaver : public QObject {
    Q_OBJECT

public:
    using Events = std::shared_ptr<const std::vector<TimingEvent>>;
    TimingSaver(const QString& path, TimingFile file, Events events, QObject* parent = nullptr);

    void start();

signals:
    void progressed(int percent);
    void finished(const QString& wrong); ///< what went wrong; empty: written

private:
    void writeOn();
    bool flush();
    void end(bool written);

    QSaveFile m_file;
    TimingFile m_pieces;
    Events m_events;
    std::size_t m_next = 0;
    QByteArray m_pending; ///< not yet given to the file
    QTimer m_timer;
};

} // namespace colibri
