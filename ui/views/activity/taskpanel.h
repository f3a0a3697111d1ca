// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/tasktable.h"

#include <QWidget>

class QLayout;
class QPushButton;
class QStackedWidget;

namespace colibri {

class TableView;

/// The list of tasks: progress, rate, time left; cancel by button or Delete, show what came of one by button or Enter.
class TaskPanel : public QWidget {
    Q_OBJECT

public:
    /// The store lives longer than the panel.
    explicit TaskPanel(TaskStore& store, QWidget* parent = nullptr);

private:
    QLayout* makeButtons();
    void addCancelKey();
    void cancelChosen();
    void showChosen();
    void updateButtons();

    TaskStore& m_store;
    TaskTable m_model;
    QStackedWidget* m_pages;
    TableView* m_table;
    QPushButton* m_cancel;
    QPushButton* m_show;
    QPushButton* m_clear;
};

} // namespace colibri
