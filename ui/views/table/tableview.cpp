// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/table/tableview.h"

#include "models/csv.h"
#include "views/plot/plotexport.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
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
    connect(add("copyRows", tr("&Copy the chosen rows"), QKeySequence::Copy), &QAction::triggered, this,
        [this] { QApplication::clipboard()->setText(chosenText()); });
    connect(add("copyTable", tr("Copy the &table as CSV"), {}), &QAction::triggered, this, [this] {
        if (model())
            QApplication::clipboard()->setText(QString::fromUtf8(csv(*model())));
    });
    connect(add("saveTable", tr("&Save the table as CSV..."), {}), &QAction::triggered, this, [this] {
        if (model())
            saveBytesAs(this, accessibleName() + QStringLiteral(".csv"), csv(*model()));
    });
}

QAction* TableView::add(const char* name, const QString& text, const QKeySequence& key)
{
    auto* const action = new QAction(text, this);
    action->setObjectName(QLatin1String(name));
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);
    addAction(action);
    m_actions << action;
    return action;
}

void TableView::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy))
        m_actions.front()->trigger();
    else
        QTableView::keyPressEvent(event);
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
