// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model/modeltree.h"

#include "views/model/controls.h"
#include "views/theme/theme.h"
#include "views/theme/tips.h"

#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>

namespace colibri {
namespace {

enum Page { HintPage, TreePage };
/// Rows with a little air, sizes in figures of one width, tool tips as they are.
class RowDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index).grownBy({0, grid::half / 2, 0, grid::half / 2});
    }
    bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
        const QModelIndex& index) override
    {
        return (event->type() == QEvent::ToolTip && showItemTip(*event, *view))
            || QStyledItemDelegate::helpEvent(event, view, option, index);
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.column() == PartTree::Size)
            option->font = monospaceFont();
    }
};

constexpr int expandLimit = 2000; ///< nodes that a filter opens at once; more would hide the overview

} // namespace

ModelTree::ModelTree(const OpenStore& open, SelectionStore& selection, QWidget* parent)
    : QWidget(parent)
    , m_open(open)
    , m_selection(selection)
    , m_filter(filterLine(tr("Filter parts"),
          tr("Shows parts whose tensors have all of these words in their name, kind, type or file, such as "
             "\"layers.3. router\" (Ctrl+F; Escape clears)"),
          this))
    , m_pages(new QStackedWidget(this))
    , m_tree(new QTreeView(m_pages))
    , m_hint(new QLabel(m_pages))
{
    makeTree();
    m_hint->setWordWrap(true);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setMargin(grid::wide);
    m_pages->addWidget(m_hint);
    m_pages->addWidget(m_tree);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(grid::half, grid::half, grid::half, grid::half);
    column->setSpacing(grid::half);
    column->addWidget(m_filter);
    column->addWidget(m_pages, 1);
    setMinimumWidth(18 * grid::unit);
    setAccessibleName(tr("Parts of the model"));
    connect(m_filter, &QLineEdit::returnPressed, m_tree, qOverload<>(&QWidget::setFocus));
    connect(m_filter, &QLineEdit::textChanged, this, &ModelTree::applyFilter);
    connect(&open, &OpenStore::modelChanged, this, &ModelTree::refresh);
    connect(&selection, &SelectionStore::changed, this, &ModelTree::followSelection);
    showState();
}

void ModelTree::makeTree()
{
    m_tree->setModel(&m_parts);
    m_tree->setUniformRowHeights(true);
    m_tree->setRootIsDecorated(false); // the model itself stays open
    m_tree->setIndentation(grid::unit);
    m_tree->setItemDelegate(new RowDelegate(m_tree));
    m_tree->setAlternatingRowColors(true);
    m_tree->setTextElideMode(Qt::ElideMiddle);
    m_tree->setAccessibleName(tr("Tree of the model's parts"));
    m_tree->setToolTip(tr("Choosing a part selects it in all views; the arrow keys walk, open and close"));
    QHeaderView& header = *m_tree->header();
    header.setStretchLastSection(false);
    header.setSectionResizeMode(PartTree::Part, QHeaderView::Stretch);
    header.setSectionResizeMode(PartTree::Size, QHeaderView::Fixed);
    header.setSectionsMovable(false);
    header.resizeSection(
        PartTree::Size, QFontMetrics(monospaceFont()).horizontalAdvance(QStringLiteral("1023.9 MiB")) + grid::half);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, &ModelTree::choose);
}

void ModelTree::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void ModelTree::refresh()
{
    if (m_shown != m_open.model() && (isVisible() || !m_open.model())) {
        m_shown = m_open.model();
        m_expanded.clear();
        m_parts.setModel(m_shown);
        if (m_filtered)
            applyFilter(m_filter->text());
        else
            m_tree->expand(m_parts.index(0, 0));
    }
    showState();
    followSelection();
}

void ModelTree::applyFilter(const QString& text)
{
    const bool filtered = !text.trimmed().isEmpty();
    if (filtered && !m_filtered) {
        m_expanded.clear();
        rememberExpanded(m_parts.index(0, 0));
    }
    m_filtered = filtered;
    m_parts.setFilter(text);
    if (!filtered) {
        expandRemembered(m_parts.index(0, 0));
        m_tree->expand(m_parts.index(0, 0));
    } else if (m_parts.nodes() <= expandLimit) {
        m_tree->expandAll();
    } else {
        m_tree->expandToDepth(0);
    }
    showState();
    followSelection();
}

void ModelTree::showState()
{
    m_filter->setEnabled(m_open.model() != nullptr);
    m_pages->setCurrentIndex(m_parts.nodes() > 0 ? TreePage : HintPage);
    if (!m_open.model())
        m_hint->setText(tr("The parts of a model are listed here once one is open."));
    else if (m_filtered)
        m_hint->setText(tr("No tensor has all of these words."));
    else
        m_hint->setText(tr("This model has no tensors."));
}

void ModelTree::rememberExpanded(const QModelIndex& index)
{
    if (!m_tree->isExpanded(index))
        return;
    m_expanded.insert(index.data(PartTree::IdRole).toULongLong());
    for (int row = 0; row < m_parts.rowCount(index); ++row)
        rememberExpanded(m_parts.index(row, 0, index));
}

void ModelTree::expandRemembered(const QModelIndex& index)
{
    if (!index.isValid() || !m_expanded.contains(index.data(PartTree::IdRole).toULongLong()))
        return;
    m_tree->expand(index);
    for (int row = 0; row < m_parts.rowCount(index); ++row)
        expandRemembered(m_parts.index(row, 0, index));
}

void ModelTree::choose(const QModelIndex& current)
{
    if (!m_following && current.isValid())
        m_selection.select(m_parts.selectionOf(current));
}

void ModelTree::followSelection()
{
    if (!isVisible())
        return;
    const Selection& selection = m_selection.selection();
    const QModelIndex current = m_tree->currentIndex();
    if (current.isValid() && m_parts.selectionOf(current) == selection)
        return; // a part of a layer is current: it stays
    const QScopedValueRollback following(m_following, true);
    const QModelIndex found = m_parts.find(selection);
    if (!found.isValid()) {
        m_tree->selectionModel()->clear();
        return;
    }
    m_tree->setCurrentIndex(found);
    m_tree->scrollTo(found);
}

} // namespace colibri
