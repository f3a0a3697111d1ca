// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/exportstore.h"
#include "stores/taskstore.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace colibri {

class NoteLabel;

/// How the export that is under way goes. The list of tasks says the same.
class ExportProgress : public QWidget {
    Q_OBJECT

public:
    /// The stores outlive it.
    ExportProgress(const ExportStore& store, TaskStore& tasks, QWidget* parent = nullptr);

signals:
    void closeRequested();

private:
    QWidget* makeSteps();
    QWidget* makeButtons();
    void showState();
    void showTask(int row);

    const ExportStore& m_store;
    TaskStore& m_tasks;
    QLabel* m_title;
    QLabel* m_path;
    QLabel* m_write = nullptr;
    QLabel* m_compare = nullptr;
    QProgressBar* m_bar;
    QLabel* m_numbers;
    QPushButton* m_cancel = nullptr;
};

} // namespace colibri
