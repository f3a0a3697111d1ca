// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/routing/tables.h"

#include "models/csv.h"
#include "views/plot/plotexport.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QHeaderView>
#include <QTableView>

#include <algorithm>

namespace colibri {
namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("RoutingTables", text);
}

std::vector<int> chosenRows(const QTableView& view)
{
    std::vector<int> rows;
    for (const QModelIndex& index : view.selectionModel()->selectedRows())
        rows.push_back(index.row());
    std::sort(rows.begin(), rows.end());
    return rows;
}

void copy(const QByteArray& text)
{
    QApplication::clipboard()->setText(QString::fromUtf8(text));
}

void addActions(QTableView& view, const QString& title)
{
    const auto add = [&view](const char* name, const QString& text, auto act) {
        auto* const action = new QAction(text, &view);
        action->setObjectName(QLatin1String(name));
        QObject::connect(action, &QAction::triggered, &view, act);
        view.addAction(action);
        return action;
    };
    QTableView* const table = &view;
    QAction* const rows = add("copyRows", translated("&Copy the chosen rows as CSV"),
        [table] { copy(csv(*table->model(), chosenRows(*table))); });
    rows->setShortcut(QKeySequence::Copy);
    rows->setShortcutContext(Qt::WidgetShortcut);
    add("copyTable", translated("Copy &all as CSV"), [table] { copy(csv(*table->model())); });
    add("saveTable", translated("&Save all as CSV..."),
        [table, title] { saveBytesAs(table, title + QStringLiteral(".csv"), csv(*table->model())); });
    view.setContextMenuPolicy(Qt::ActionsContextMenu);
}

} // namespace

void setUpTable(QTableView& view, const QString& title, const QStringList& samples)
{
    view.setAccessibleName(title);
    view.setFont(monospaceFont());
    view.setSelectionBehavior(QAbstractItemView::SelectRows);
    view.setEditTriggers(QAbstractItemView::NoEditTriggers);
    view.setTabKeyNavigation(false);
    view.setWordWrap(false);
    view.setShowGrid(false);
    view.setAlternatingRowColors(true);
    view.setMinimumSize(18 * grid::unit, 10 * grid::unit);
    view.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view.verticalHeader()->hide();
    view.verticalHeader()->setDefaultSectionSize(view.fontMetrics().height() + grid::half);
    view.horizontalHeader()->setHighlightSections(false);
    for (int column = 0; column < samples.size(); ++column) {
        const QString header = view.model()->headerData(column, Qt::Horizontal).toString();
        const int sort = view.isSortingEnabled() ? grid::unit : 0;
        const int wide = std::max(view.horizontalHeader()->fontMetrics().horizontalAdvance(header) + sort,
            view.fontMetrics().horizontalAdvance(samples[column]));
        view.setColumnWidth(column, wide + grid::unit);
    }
    addActions(view, title);
}

} // namespace colibri
