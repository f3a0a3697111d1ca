// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model/modelsummary.h"

#include "models/modelreport.h"
#include "models/parttext.h"
#include "views/model/copytable.h"
#include "views/theme/theme.h"

#include <QEvent>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>

namespace colibri {
namespace {

/// All notes, a paragraph each; the first ones when there are very many.
QString noteText(const ModelFacts& model)
{
    constexpr std::size_t most = 12;
    QStringList lines;
    for (std::size_t i = 0; i < std::min(model.notes.size(), most); ++i)
        lines << QStringLiteral("\u26a0 ") + displayName(model.notes[i]);
    if (model.notes.size() > most)
        lines << ModelSummary::tr("and %1 more").arg(model.notes.size() - most);
    return lines.join(u'\n');
}

} // namespace

ModelSummary::ModelSummary(QWidget* parent)
    : QScrollArea(parent)
    , m_notes(new QLabel)
{
    setAccessibleName(tr("Summary of the model"));
    setFrameShape(NoFrame);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    auto* const content = new QWidget;
    auto* const layout = new QGridLayout(content);
    layout->setContentsMargins(grid::unit, grid::unit, grid::unit, grid::unit);
    layout->setHorizontalSpacing(grid::wide);
    layout->setVerticalSpacing(grid::half);
    m_notes->setWordWrap(true);
    m_notes->setTextFormat(Qt::PlainText);
    m_notes->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_notes->setAccessibleName(tr("Notes on the model"));
    m_notes->setToolTip(tr("What looked suspicious when the model was opened"));
    layout->addWidget(m_notes, 0, 0, 1, 2);
    const QStringList sums{tr("Tensors"), tr("Parameters"), tr("Size"), tr("Share")};
    m_overview = addTable(layout, 1, 0, tr("Model"), {tr("Property"), tr("Value")});
    m_dimensions = addTable(layout, 1, 1, tr("Dimensions"), {tr("Dimension"), tr("Value"), tr("From")});
    m_kinds = addTable(layout, 3, 0, tr("Bytes by part"), QStringList{tr("Part")} + sums);
    m_types = addTable(layout, 3, 1, tr("Bytes by type"), QStringList{tr("Type")} + sums);
    m_overview.view->horizontalHeader()->hide();
    m_overview.view->setStretchColumn(1);
    m_dimensions.view->setStretchColumn(2);
    m_kinds.view->setStretchColumn(4);
    m_types.view->setStretchColumn(4);
    layout->setColumnStretch(0, 1);
    layout->setColumnStretch(1, 1);
    layout->setRowStretch(5, 1);
    setWidget(content);
    tintNotes();
    setModel(nullptr);
}

ModelSummary::Table ModelSummary::addTable(
    QGridLayout* layout, int row, int column, const QString& title, const QStringList& headers)
{
    auto* const heading = new QLabel(title);
    QFont font = heading->font();
    font.setBold(true);
    heading->setFont(font);
    auto* const view = new CopyTable(title);
    auto* const rows = new CellTable(headers, view);
    view->setModel(rows);
    view->setShowsAllRows();
    layout->addWidget(heading, row, column);
    layout->addWidget(view, row + 1, column, Qt::AlignTop);
    return {rows, view};
}

void ModelSummary::setModel(const ModelFactsPtr& model)
{
    const auto fill = [&](const Table& table, CellRows (*rows)(const ModelFacts&)) {
        table.rows->setRows(model ? rows(*model) : CellRows{});
        table.view->fitColumns();
    };
    m_notes->setText(model ? noteText(*model) : QString());
    m_notes->setVisible(model && !model->notes.empty());
    fill(m_overview, overviewRows);
    fill(m_dimensions, dimensionRows);
    fill(m_kinds, kindRows);
    fill(m_types, typeRows);
}

void ModelSummary::changeEvent(QEvent* event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        tintNotes();
}

void ModelSummary::tintNotes()
{
    QPalette tinted = palette();
    tinted.setColor(QPalette::WindowText, QColor::fromRgb(themeColors(schemeOf(tinted)).warningText));
    m_notes->setPalette(tinted);
}

} // namespace colibri
