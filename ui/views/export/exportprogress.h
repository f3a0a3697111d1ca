// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/celltable.h"
#include "stores/exportstore.h"
#include "stores/taskstore.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace colibri {

class FittedTable;

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
    void showFacts();
    void showTask(int row);

    const ExportStore& m_store;
    TaskStore& m_tasks;
    QLabel* m_title;
    CellTable* m_facts;
    FittedTable* m_factsView;
    struct Step {
        QLabel* sign = nullptr;
        QLabel* text = nullptr;
    };
    Step m_write;
    Step m_compare;
    QProgressBar* m_bar;
    QLabel* m_numbers;
    QPushButton* m_cancel = nullptr;
};

} // namespace colibri
