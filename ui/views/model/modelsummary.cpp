// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model/modelsummary.h"

#include "models/modelreport.h"
#include "models/parttext.h"
#include "views/model/fittedtable.h"
#include "views/theme/theme.h"

#include <QEvent>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace colibri {
namespace {

constexpr int twoColumnsFrom = 100 * grid::unit; ///< width

QString joined(const std::vector<std::string>& names)
{
    QStringList texts;
    for (const std::string& name : names)
        texts << displayName(name);
    return texts.join(QStringLiteral(", "));
}

/// All notes, a paragraph each; the first ones when there are very many.
QString noteText(const ModelFacts& model)
{
    constexpr std::size_t most = 12;
    QStringList lines;
    if (!model.understood)
        lines << ModelSummary::tr("The configuration could not be understood, so that dimensions and rules are not "
                                  "known. What the files say about the model stands under Metadata.");
    if (const std::uint32_t dense = model.config.denseLayers)
        lines << ModelSummary::tr(
            "Layers before layer %1 have no experts. Layers of runs, of routing and of expert maps are those with "
            "experts, counted from 0: their layer 0 is layer %1 of the model.")
                     .arg(dense);
    if (const auto& keys = model.config.unusedKeys; !keys.empty())
        lines << QStringLiteral("\u26a0 ") + ModelSummary::tr("No rule reads these keys: %1").arg(joined(keys));
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
    m_layout = new QGridLayout(content);
    m_layout->setContentsMargins(grid::unit, grid::unit, grid::unit, grid::unit);
    m_layout->setSpacing(grid::wide);
    m_notes->setWordWrap(true);
    m_notes->setTextFormat(Qt::PlainText);
    m_notes->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_notes->setAccessibleName(tr("Notes on the model"));
    m_notes->setToolTip(tr("What looked suspicious when the model was opened"));
    using Form = CellTable::Form;
    const QStringList sums{tr("Tensors"), tr("Parameters"), tr("Size"), tr("Share")};
    m_overview = addTable(tr("Model"), {tr("Property"), tr("Value")}, Form::Properties, 1);
    m_dimensions = addTable(tr("Dimensions"), {tr("Dimension"), tr("Value"), tr("From")}, Form::Table, 2);
    m_kinds = addTable(tr("Bytes by part"), QStringList{tr("Part")} + sums, Form::Table, 4);
    m_types = addTable(tr("Bytes by type"), QStringList{tr("Type")} + sums, Form::Table, 4);
    m_overview.view->horizontalHeader()->hide();
    setWidget(content);
    tintNotes();
    arrange();
    setModel(nullptr);
}

ModelSummary::Table ModelSummary::addTable(
    const QString& title, const QStringList& headers, CellTable::Form form, int stretchColumn)
{
    auto* const block = new QWidget;
    auto* const heading = new QLabel(title, block);
    QFont font = heading->font();
    font.setBold(true);
    heading->setFont(font);
    auto* const view = new FittedTable(title, block);
    auto* const rows = new CellTable(headers, form, view);
    view->setModel(rows);
    view->setStretchColumn(stretchColumn);
    view->setShowsAllRows();
    auto* const column = new QVBoxLayout(block);
    column->setContentsMargins({});
    column->setSpacing(grid::half);
    column->addWidget(heading);
    column->addWidget(view);
    column->addStretch();
    return {rows, view, block};
}

void ModelSummary::arrange()
{
    const int columns = width() < twoColumnsFrom ? 1 : 2;
    if (columns == m_columns)
        return;
    m_columns = columns;
    while (m_layout->count() > 0)
        delete m_layout->takeAt(0); // the place, not the widget
    m_layout->addWidget(m_notes, 0, 0, 1, columns);
    int place = 0;
    for (const Table* table : {&m_overview, &m_dimensions, &m_kinds, &m_types}) {
        m_layout->addWidget(table->block, 1 + place / columns, place % columns);
        ++place;
    }
    m_layout->setColumnStretch(0, 1);
    m_layout->setColumnStretch(1, columns - 1);
    for (int row = 0; row < 5; ++row)
        m_layout->setRowStretch(row, 0);
    m_layout->setRowStretch(5, 1);
}

void ModelSummary::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    arrange();
}

void ModelSummary::setModel(const ModelFactsPtr& model)
{
    const auto fill = [&](const Table& table, CellRows (*rows)(const ModelFacts&)) {
        table.rows->setRows(model ? rows(*model) : CellRows{});
        table.view->fitColumns();
    };
    m_dimensions.block->setVisible(!model || model->understood);
    m_notes->setText(model ? noteText(*model) : QString());
    m_notes->setVisible(!m_notes->text().isEmpty());
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
