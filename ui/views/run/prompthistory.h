// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace colibri {

/// Prompts that were run, newest first, and a way through them that does not lose what is being written.
class PromptHistory {
public:
    static constexpr int limit = 100;

    const QStringList& prompts() const { return m_prompts; }
    void setPrompts(const QStringList& prompts); ///< at most `limit` of them
    /// A prompt was run: it becomes the newest; the way begins anew.
    void add(const QString& prompt);

    /// The next older prompt; `written` is what stands in the edit now. Null: there is none.
    QString older(const QString& written);
    /// The next newer prompt, in the end what was written before the way began. Null: there is none.
    QString newer();

private:
    QStringList m_prompts;
    QString m_written;
    qsizetype m_at = -1; ///< -1: not in the history
};

} // namespace colibri
