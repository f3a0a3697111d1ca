// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/prompthistory.h"

namespace colibri {

void PromptHistory::setPrompts(const QStringList& prompts)
{
    m_prompts = prompts.mid(0, limit);
    m_at = -1;
}

void PromptHistory::add(const QString& prompt)
{
    m_at = -1;
    if (prompt.isEmpty())
        return;
    m_prompts.removeAll(prompt);
    m_prompts.prepend(prompt);
    if (m_prompts.size() > limit)
        m_prompts.removeLast();
}

QString PromptHistory::older(const QString& written)
{
    if (m_at + 1 >= m_prompts.size())
        return {};
    if (m_at < 0)
        m_written = written.isNull() ? QStringLiteral("") : written;
    // What stands there already is no step back.
    if (m_at < 0 && m_prompts.front() == written && m_prompts.size() > 1)
        ++m_at;
    return m_prompts[++m_at];
}

QString PromptHistory::newer()
{
    if (m_at < 0)
        return {};
    --m_at;
    return m_at < 0 ? m_written : m_prompts[m_at];
}

} // namespace colibri
