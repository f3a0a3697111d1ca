// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/logstore.h"

namespace colibri {

void LogStore::add(LogLevel level, const QString& source, const QString& text)
{
    if (m_entries.size() >= limit) {
        emit aboutToDropOldest();
        m_entries.pop_front();
        emit droppedOldest();
    }
    emit aboutToAppend();
    m_entries.push_back({QDateTime::currentDateTime(), level, source, text});
    emit appended();
}

void LogStore::clear()
{
    emit aboutToClear();
    m_entries.clear();
    emit cleared();
}

} // namespace colibri
