// SPDX-License-Identifier: GPL-3.0-or-later
#include "statusbuttons.h"

#include <QStatusBar>
#include <QToolButton>

namespace colibri {
namespace {

QToolButton* addButton(QStatusBar* bar, const QString& name, const QString& toolTip)
{
    auto* const button = new QToolButton(bar);
    button->setObjectName(name);
    button->setToolTip(toolTip);
    button->setAutoRaise(true);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    bar->addPermanentWidget(button);
    return button;
}

/// Room for the widest of the usual texts, so that nothing beside the button moves.
void reserve(QToolButton* button, const QString& widest)
{
    const QString text = button->text();
    button->setText(widest);
    button->setMinimumWidth(button->sizeHint().width());
    button->setText(text);
}

} // namespace

StatusButtons::StatusButtons(const TaskStore& tasks, const LogStore& log, QStatusBar* bar)
    : QObject(bar)
    , m_tasks(tasks)
    , m_log(log)
    , m_logButton(addButton(bar, QStringLiteral("statusLog"), tr("What has happened; opens the log")))
    , m_taskButton(addButton(bar, QStringLiteral("statusTasks"), tr("What is under way; opens the list of tasks")))
{
    connect(&tasks, &TaskStore::appended, this, &StatusButtons::showTasks);
    connect(&tasks, &TaskStore::removed, this, &StatusButtons::showTasks);
    connect(&tasks, &TaskStore::changed, this, &StatusButtons::showTasks);
    connect(&log, &LogStore::appended, this, [this] {
        m_warnings += m_log.entries().back().level == LogLevel::Warning;
        m_errors += m_log.entries().back().level == LogLevel::Error;
        showLog();
    });
    connect(&log, &LogStore::cleared, this, &StatusButtons::markLogSeen);
    connect(m_taskButton, &QToolButton::clicked, this, &StatusButtons::tasksRequested);
    connect(m_logButton, &QToolButton::clicked, this, &StatusButtons::logRequested);
    reserve(m_taskButton, tr("Tasks: %1").arg(QStringLiteral("00")));
    reserve(m_logButton, tr("Log, %1").arg(tr("warnings: %1").arg(QStringLiteral("00"))));
    showTasks();
    showLog();
}

void StatusButtons::markLogSeen()
{
    m_warnings = m_errors = 0;
    showLog();
}

void StatusButtons::showTasks()
{
    const int running = m_tasks.underWay();
    m_taskButton->setText(running > 0 ? tr("Tasks: %1").arg(running) : tr("Tasks"));
}

void StatusButtons::showLog()
{
    QStringList parts;
    if (m_errors > 0)
        parts << tr("errors: %1").arg(m_errors);
    if (m_warnings > 0)
        parts << tr("warnings: %1").arg(m_warnings);
    m_logButton->setText(parts.isEmpty() ? tr("Log") : tr("Log, %1").arg(parts.join(QStringLiteral(", "))));
}

} // namespace colibri
