// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/table/tableview.h"

#include "models/csv.h"
#include "views/saving/savefile.h"
#include "views/theme/theme.h"
#include "views/theme/tips.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeyEvent>

#include <algorithm>

namespace colibri {

TableView::TableView(const QString& name, QWidget* parent)
    : QTableView(parent)
{
    setAccessibleName(name);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setHorizontalScrollMode(ScrollPerPixel);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + grid::half);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    m_actions = {add("copyRows", tr("&Copy the chosen rows"), QKeySequence::Copy),
        add("copyTable", tr("Copy the &table as CSV"), {}), add("saveTable", tr("&Save the table as CSV..."), {})};
    connect(m_actions[0], &QAction::triggered, this, [this] { QApplication::clipboard()->setText(chosenText()); });
    connect(m_actions[1], &QAction::triggered, this, [this] {
        if (model())
            QApplication::clipboard()->setText(QString::fromUtf8(csv(*model())));
    });
    connect(m_actions[2], &QAction::triggered, this, [this] {
        if (model())
            saveBytesAs(this, accessibleName() + QStringLiteral(".csv"), csv(*model()));
    });
}

void TableView::makeSortable()
{
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    horizontalHeader()->setSortIndicatorClearable(true);
    setSortingEnabled(true);
    setToolTip(tr("A click on a header sorts, a third one brings back the first order"));
    QAction* const sort = add("sortColumn", tr("S&ort by this column"), int(Qt::CTRL) | int(Qt::SHIFT) | Qt::Key_T);
    sort->setToolTip(tr("Sorts by the column of the current cell: rising, falling, then as at first"));
    connect(sort, &QAction::triggered, this, &TableView::sortByCurrent);
}

void TableView::sortByCurrent()
{
    const QHeaderView& header = *horizontalHeader();
    const int column = currentIndex().column();
    const bool sorted = header.sortIndicatorSection() == column;
    const bool falling = sorted && header.sortIndicatorOrder() == Qt::DescendingOrder;
    if (column >= 0)
        sortByColumn(falling ? -1 : column, sorted && !falling ? Qt::DescendingOrder : Qt::AscendingOrder);
}

QAction* TableView::add(const char* name, const QString& text, const QKeySequence& key)
{
    auto* const action = new QAction(text, this);
    action->setObjectName(QLatin1String(name));
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);
    addAction(action);
    return action;
}

void TableView::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy))
        m_actions.front()->trigger();
    else
        QTableView::keyPressEvent(event);
}

bool TableView::viewportEvent(QEvent* event)
{
    const bool shown = event->type() == QEvent::ToolTip && showItemTip(*static_cast<QHelpEvent*>(event), *this);
    return shown || QTableView::viewportEvent(event);
}

QString TableView::chosenText() const
{
    if (!selectionModel())
        return {};
    QModelIndexList rows = selectionModel()->selectedRows();
    if (rows.isEmpty() && currentIndex().isValid())
        rows << currentIndex();
    std::ranges::sort(rows, {}, &QModelIndex::row);
    QStringList lines;
    for (const QModelIndex& row : rows) {
        QStringList cells;
        for (int column = 0; column < model()->columnCount(); ++column) {
            if (!isColumnHidden(column))
                cells << row.siblingAtColumn(column).data().toString();
        }
        lines << cells.join(u'\t');
    }
    return lines.join(u'\n');
}

} // namespace colibri
