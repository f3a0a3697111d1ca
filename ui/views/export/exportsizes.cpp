// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/exportsizes.h"

#include "models/exportreport.h"
#include "views/model/fittedtable.h"

#include <QVBoxLayout>

#include <algorithm>

namespace colibri {
namespace {

enum Column { NameColumn, DenseColumn, ExpertsColumn, FilesColumn, TotalColumn, TimesColumn, ColumnCount };

std::vector<std::vector<Cell>> rowsWithoutPlan()
{
    std::vector<std::vector<Cell>> rows;
    for (const std::optional<DType> dtype : exportChoices) {
        Cell later;
        later.amount = true; // headers stand as they will
        rows.emplace_back(ColumnCount, later);
        rows.back()[NameColumn] = {exportChoiceText(dtype)};
    }
    return rows;
}

} // namespace

ExportSizes::ExportSizes(QWidget* parent)
    : QWidget(parent)
    , m_rows({tr("Stored as"), tr("Dense"), tr("Experts"), tr("Files"), tr("Total"), tr("Of the source")})
    , m_table(new FittedTable(tr("Types of matrices and sizes"), this))
{
    m_table->setObjectName(QStringLiteral("exportSizes"));
    m_table->setToolTip(tr("The chosen row says how embedding, projections and experts are stored"));
    m_table->setModel(&m_rows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setStretchColumn(NameColumn);
    m_table->setShowsAllRows();
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->addWidget(m_table);
    showRows();
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &ExportSizes::changed);
}

void ExportSizes::setPlan(const ExportPlanPtr& plan)
{
    m_plan = plan;
    showRows();
}

void ExportSizes::setWithTable(bool withTable)
{
    if (withTable == m_withTable)
        return;
    m_withTable = withTable;
    showRows();
}

void ExportSizes::showRows()
{
    const int row = static_cast<int>(choice());
    m_rows.setRows(m_plan ? exportSizeRows(*m_plan, m_withTable) : rowsWithoutPlan());
    m_table->fitColumns({{}, QStringLiteral("1023.9 MiB"), QStringLiteral("1023.9 MiB"), QStringLiteral("10,000"),
        QStringLiteral("1023.9 MiB"), {}});
    m_table->setCurrentIndex(m_rows.index(row, 0));
    emit changed();
}

std::size_t ExportSizes::choice() const
{
    const int row = m_table->currentIndex().row();
    return std::clamp<std::size_t>(row < 0 ? 0 : std::size_t(row), 0, exportChoices.size() - 1);
}

std::optional<DType> ExportSizes::dtype() const
{
    return exportChoices[choice()];
}

const ExportSizeFacts* ExportSizes::chosen() const
{
    if (!m_plan)
        return nullptr;
    const ExportPlanFacts::Row& row = m_plan->rows[choice()];
    return m_withTable ? &row.withTable : &row.plain;
}

} // namespace colibri
