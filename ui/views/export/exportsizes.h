// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/celltable.h"
#include "stores/exportfacts.h"

#include <QWidget>

namespace colibri {

class FittedTable;

/// What an export comes to for each way to store its matrices. The chosen row is how it will be.
class ExportSizes : public QWidget {
    Q_OBJECT

public:
    explicit ExportSizes(QWidget* parent = nullptr);

    void setPlan(const ExportPlanPtr& plan); ///< null: the names only
    void setWithTable(bool withTable);
    const ExportPlanPtr& plan() const { return m_plan; }
    std::optional<DType> dtype() const;
    /// Of the chosen row; null while there is no plan.
    const ExportSizeFacts* chosen() const;
    FittedTable& table() const { return *m_table; }

signals:
    void changed(); ///< another row, or other figures

private:
    void showRows();
    std::size_t choice() const;

    ExportPlanPtr m_plan;
    bool m_withTable = false;
    CellTable m_rows;
    FittedTable* m_table;
};

} // namespace colibri
