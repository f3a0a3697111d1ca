// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/figurestable.h"

#include "models/csv.h"
#include "views/plot/plotexport.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>

#include <algorithm>

namespace colibri {

FiguresTable::FiguresTable(QAbstractItemModel& model, const QString& title, QWidget* parent)
    : QTableView(parent)
{
    setModel(&model);
    setAccessibleName(title);
    setFont(monospaceFont());
    setAlternatingRowColors(true);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false); // Tab goes on to the next widget, the arrows walk the cells
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + grid::half);
    horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    horizontalHeader()->setHighlightSections(false);
    makeActions(title);
}

void FiguresTable::makeActions(const QString& title)
{
    setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* const copy = new QAction(tr("&Copy as CSV"), this);
    copy->setObjectName(QStringLiteral("copyFigures"));
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this,
        [this] { QApplication::clipboard()->setText(QString::fromUtf8(selectedCsv())); });
    auto* const save = new QAction(tr("&Save as CSV..."), this);
    save->setObjectName(QStringLiteral("saveFigures"));
    connect(save, &QAction::triggered, this,
        [this, title] { saveBytesAs(this, title + QStringLiteral(".csv"), csv(*model())); });
    addActions({copy, save});
}

void FiguresTable::setWidths(const QList<int>& characters)
{
    const int digit = QFontMetrics(monospaceFont()).horizontalAdvance(u'0');
    for (int column = 0; column < characters.size(); ++column)
        setColumnWidth(column, characters[column] * digit + grid::unit);
}

QByteArray FiguresTable::selectedCsv() const
{
    QModelIndexList cells = selectionModel()->selectedIndexes();
    if (cells.isEmpty())
        return csv(*model());
    std::sort(cells.begin(), cells.end(), [](const QModelIndex& a, const QModelIndex& b) {
        return std::pair(a.row(), a.column()) < std::pair(b.row(), b.column());
    });
    QByteArray out;
    QStringList fields;
    for (int i = 0; i < cells.size(); ++i) {
        const QVariant exact = cells[i].data(Qt::EditRole);
        fields << (exact.isValid() ? QString::number(exact.toDouble(), 'g', 17) : cells[i].data().toString());
        if (i + 1 == cells.size() || cells[i + 1].row() != cells[i].row())
            out += csvLine(std::exchange(fields, {})).toUtf8();
    }
    return out;
}

} // namespace colibri
