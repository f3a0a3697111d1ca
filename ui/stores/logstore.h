// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>

#include <deque>

namespace colibri {

enum class LogLevel { Info, Warning, Error };

struct LogEntry {
    QDateTime time;
    LogLevel level = LogLevel::Info;
    QString source; ///< "open", "run", ...
    QString text; ///< one sentence; for an error what, where and why
};

/// What has happened, oldest first; the oldest go when there are too many. GUI thread.
class LogStore : public QObject {
    Q_OBJECT

public:
    static constexpr int limit = 2000;

    using QObject::QObject;

    const std::deque<LogEntry>& entries() const { return m_entries; }
    void add(LogLevel level, const QString& source, const QString& text);
    void clear();

signals:
    void aboutToAppend();
    void appended();
    void aboutToDropOldest();
    void droppedOldest();
    void aboutToClear();
    void cleared();

private:
    std::deque<LogEntry> m_entries;
};

} // namespace colibri
