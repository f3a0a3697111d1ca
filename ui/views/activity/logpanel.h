// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/logtable.h"

#include <QWidget>

class QComboBox;
class QLineEdit;

namespace colibri {

class TableView;

/// The log with a filter by level and text; follows its end until the user scrolls up.
class LogPanel : public QWidget {
    Q_OBJECT

public:
    /// The store lives longer than the panel.
    explicit LogPanel(LogStore& store, QWidget* parent = nullptr);

private:
    QWidget* makeBar(LogStore& store);
    void filter();

    LogTable m_model;
    TableView* m_table;
    QComboBox* m_level;
    QLineEdit* m_text;
    bool m_atEnd = true;
};

} // namespace colibri
