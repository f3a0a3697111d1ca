// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model/tensorpanel.h"

#include "models/parttext.h"
#include "views/model/controls.h"
#include "views/model/fittedtable.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace colibri {
namespace {

constexpr qsizetype mostRanges = 1000; ///< stretches of selected rows that are brought back: painting asks all of them

/// Texts of the columns whose first rows do not tell how wide they get: names, parts and offsets.
QStringList widestTexts(const TensorTable& tensors)
{
    QStringList texts(TensorTable::ColumnCount);
    const ModelFacts& model = *tensors.model();
    if (model.tensors.empty())
        return texts;
    const auto size = [](const TensorInfo& tensor) { return tensor.name.size(); };
    texts[TensorTable::Name] = displayName(std::ranges::max_element(model.tensors, {}, size)->name);
    texts[TensorTable::Part] = partText({PartKind::Expert, std::ranges::max(model.parts, {}, &TensorPart::layer).layer,
        std::ranges::max(model.parts, {}, &TensorPart::expert).expert, 0});
    texts[TensorTable::Offset] =
        tensors.offsetText(std::ranges::max_element(model.tensors, {}, &TensorInfo::offset)->offset);
    return texts;
}

} // namespace

TensorPanel::TensorPanel(SelectionStore& selection, QWidget* parent)
    : QWidget(parent)
    , m_selection(selection)
    , m_table(new FittedTable(tr("Tensors"), this))
    , m_filter(filterLine(tr("Filter tensors"),
          tr("Shows tensors that have all of these words in their name, kind, type or file, such as "
             "\"expert down_proj\" (Ctrl+F; Escape clears)"),
          this))
    , m_count(new QLabel(this))
{
    makeTable();
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(grid::unit, grid::unit, grid::unit, grid::unit);
    column->setSpacing(grid::unit);
    column->addWidget(makeBar());
    column->addWidget(m_table, 1);
    connect(&selection, &SelectionStore::changed, this, &TensorPanel::followSelection);
    showCount();
}

QWidget* TensorPanel::makeBar()
{
    auto* const bar = new QWidget(this);
    auto* const row = new QHBoxLayout(bar);
    row->setContentsMargins({});
    row->setSpacing(grid::unit);
    m_count->setFont(monospaceFont());
    m_count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_count->setAccessibleName(tr("Number of tensors"));
    m_count->setToolTip(tr("Tensors that are shown, of all"));
    row->addWidget(m_filter, 1);
    row->addWidget(m_count);
    QWidget* last = m_filter;
    for (QAction* const action : m_table->wholeActions()) {
        QToolButton* const button = toolButton(action, bar);
        row->addWidget(button);
        setTabOrder(std::exchange(last, button), button);
    }
    setTabOrder(last, m_table);
    connect(m_filter, &QLineEdit::returnPressed, m_table, qOverload<>(&QWidget::setFocus));
    connect(m_filter, &QLineEdit::textChanged, &m_tensors, &TensorTable::setFilter);
    return bar;
}

void TensorPanel::makeTable()
{
    m_table->setModel(&m_tensors);
    m_table->makeSortable();
    m_table->setToolTip(tr("A click on a header sorts, a third one brings back the order of the files"));
    // Connected behind the view's own connections: its selection is gone when restoreSelected() is called.
    connect(&m_tensors, &QAbstractItemModel::modelAboutToBeReset, this, [this] { m_kept = selected(); });
    connect(&m_tensors, &QAbstractItemModel::modelReset, this, &TensorPanel::restoreSelected);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &TensorPanel::choose);
}

void TensorPanel::setModel(const ModelFactsPtr& model)
{
    m_table->clearSelection();
    m_tensors.setModel(model);
    m_table->setColumnHidden(TensorTable::File, model && model->files.size() == 1);
    m_table->fitColumns(model ? widestTexts(m_tensors) : QStringList());
    showCount();
}

std::vector<int> TensorPanel::selected() const
{
    std::vector<int> rows;
    for (const QItemSelectionRange& range : m_table->selectionModel()->selection()) {
        for (int row = range.top(); row <= range.bottom(); ++row)
            rows.push_back(row);
    }
    std::ranges::sort(rows);
    std::ranges::transform(rows, rows.begin(), [this](int row) { return m_tensors.tensorAt(row); });
    return rows;
}

void TensorPanel::restoreSelected()
{
    showCount();
    std::vector<bool> wanted(std::size_t(m_tensors.total()));
    for (const int tensor : m_kept)
        wanted[std::size_t(tensor)] = true;
    m_kept.clear();
    QItemSelection selection;
    const int rows = m_tensors.rowCount();
    const auto isWanted = [&](int row) { return wanted[std::size_t(m_tensors.tensorAt(row))]; };
    for (int row = 0; row < rows && selection.size() <= mostRanges; ++row) {
        if (!isWanted(row))
            continue;
        const int top = row;
        while (row + 1 < rows && isWanted(row + 1))
            ++row;
        selection.append({m_tensors.index(top, 0), m_tensors.index(row, m_tensors.columnCount() - 1)});
    }
    if (selection.size() <= mostRanges)
        m_table->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    followSelection();
}

void TensorPanel::showCount()
{
    const QString total = groupedText(std::uint64_t(m_tensors.total()));
    m_count->setText(tr("%1 of %2").arg(groupedText(std::uint64_t(m_tensors.rowCount())), total));
    m_count->setMinimumWidth(m_count->fontMetrics().horizontalAdvance(tr("%1 of %2").arg(total, total)));
}

void TensorPanel::choose(const QModelIndex& current)
{
    if (m_following || !current.isValid())
        return;
    m_column = current.column();
    const int tensor = m_tensors.tensorAt(current.row());
    const TensorPart& part = m_tensors.model()->parts[std::size_t(tensor)];
    m_selection.select({-1, moeIndexOf(*m_tensors.model(), part.layer), -1, part.expert, tensor});
}

void TensorPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    followSelection();
}

void TensorPanel::followSelection()
{
    if (!isVisible())
        return;
    const QScopedValueRollback following(m_following, true);
    const int tensor = m_selection.selection().tensor;
    if (tensor < 0 && m_table->currentIndex().isValid())
        m_table->selectionModel()->clear(); // something else is selected
    const int row = m_tensors.rowOf(tensor);
    if (row < 0 || row == m_table->currentIndex().row())
        return;
    const QModelIndex index = m_tensors.index(row, m_column);
    const bool selected = m_table->selectionModel()->isRowSelected(row);
    m_table->selectionModel()->setCurrentIndex(index,
        selected ? QItemSelectionModel::NoUpdate : QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_table->scrollTo(index);
}

} // namespace colibri
