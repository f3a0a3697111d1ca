// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/celltable.h"
#include "stores/modelfacts.h"

#include <QScrollArea>

class QGridLayout;
class QLabel;

namespace colibri {

class FittedTable;

/// A model in figures: what it is, its dimensions with where each is from, bytes by kind and by type, notes.
class ModelSummary : public QScrollArea {
    Q_OBJECT

public:
    explicit ModelSummary(QWidget* parent = nullptr);

    void setModel(const ModelFactsPtr& model); ///< null: empty tables

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Table {
        CellTable* rows;
        FittedTable* view;
        QWidget* block; ///< heading and view
    };
    Table addTable(const QString& title, const QStringList& headers, CellTable::Form form, int stretchColumn);
    void arrange(); ///< in one column or in two, as there is room
    void tintNotes();

    QLabel* m_notes;
    QGridLayout* m_layout;
    int m_columns = 0;
    Table m_overview{};
    Table m_dimensions{};
    Table m_kinds{};
    Table m_types{};
};

} // namespace colibri
