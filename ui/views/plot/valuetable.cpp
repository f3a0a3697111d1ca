// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/valuetable.h"

#include "models/csv.h"
#include "views/saving/savefile.h"
#include "views/table/tableview.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QVBoxLayout>

#include <cmath>

namespace colibri {

ValueTableModel::ValueTableModel(ValueTable table, QObject* parent)
    : QAbstractTableModel(parent)
    , m_table(std::move(table))
{
}

int ValueTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
}

int ValueTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.headers.size());
}

QVariant ValueTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::EditRole)
        return {};
    const double value = m_table.rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
    if (std::isnan(value))
        return {};
    return role == Qt::EditRole ? QVariant(value) : QVariant(QString::number(value, 'g', 6));
}

QVariant ValueTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole)
        return {};
    if (orientation == Qt::Vertical)
        return section + 1;
    return section >= 0 && section < m_table.headers.size() ? QVariant(m_table.headers[section]) : QVariant();
}

void showValueTable(const ValueTable& table, const QString& title, QWidget* parent)
{
    auto* const dialog = new QDialog(parent);
    dialog->setObjectName(QStringLiteral("valueTable"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->resize(70 * grid::unit, 60 * grid::unit);
    auto* const model = new ValueTableModel(table, dialog);
    auto* const sorted = new QSortFilterProxyModel(dialog);
    sorted->setSourceModel(model);
    sorted->setSortRole(Qt::EditRole);
    auto* const view = new TableView(title, dialog);
    view->setModel(sorted);
    view->makeSortable();
    view->setFont(monospaceFont());
    view->verticalHeader()->setDefaultSectionSize(view->fontMetrics().height() + grid::half);
    view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    QPushButton* const copy = buttons->addButton(QDialog::tr("&Copy as CSV"), QDialogButtonBox::ActionRole);
    QPushButton* const save = buttons->addButton(QDialog::tr("&Save as CSV..."), QDialogButtonBox::ActionRole);
    QObject::connect(copy, &QPushButton::clicked, dialog,
        [sorted] { QApplication::clipboard()->setText(QString::fromUtf8(csv(*sorted))); });
    QObject::connect(save, &QPushButton::clicked, dialog,
        [sorted, dialog, title] { saveBytesAs(dialog, title + QStringLiteral(".csv"), csv(*sorted)); });
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    auto* const column = new QVBoxLayout(dialog);
    column->addWidget(view);
    column->addWidget(buttons);
    dialog->show();
}

} // namespace colibri
