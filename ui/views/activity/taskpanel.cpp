// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/activity/taskpanel.h"

#include "views/activity/progresscell.h"
#include "views/table/tableview.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>

#include <array>

namespace colibri {
namespace {

/// Widths in characters, by TaskTable::Column; the last takes what is left.
constexpr std::array<int, TaskTable::ColumnCount> widths{36, 11, 28, 18, 11, 11, 0};

} // namespace

TaskPanel::TaskPanel(TaskStore& store, QWidget* parent)
    : QWidget(parent)
    , m_store(store)
    , m_model(store)
    , m_pages(new QStackedWidget(this))
    , m_table(new TableView(tr("Tasks"), this))
    , m_cancel(new QPushButton(tr("Ca&ncel"), this))
    , m_show(new QPushButton(tr("Sh&ow"), this))
    , m_clear(new QPushButton(tr("Cl&ear"), this))
{
    m_table->setModel(&m_model);
    m_table->setItemDelegateForColumn(TaskTable::ProgressColumn, new ProgressCell(m_table));
    for (int column = 0; column < TaskTable::ColumnCount; ++column)
        m_table->setColumnWidth(column, widths[std::size_t(column)] * m_table->fontMetrics().averageCharWidth());
    m_table->horizontalHeader()->setStretchLastSection(true);
    auto* const hint = new QLabel(tr("Openings, runs and exports are listed here while they are under way."), this);
    hint->setAlignment(Qt::AlignCenter);
    hint->setWordWrap(true);
    m_pages->addWidget(hint);
    m_pages->addWidget(m_table);
    auto* const row = new QHBoxLayout(this);
    row->setContentsMargins(grid::half, grid::half, grid::half, grid::half);
    row->addWidget(m_pages, 1);
    row->addLayout(makeButtons());
    addCancelKey();
    connect(m_table, &QAbstractItemView::activated, this,
        [this](const QModelIndex& index) { m_store.show(m_model.task(index.row()).id); });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &TaskPanel::updateButtons);
    for (const auto signal : {&TaskStore::appended, &TaskStore::removed})
        connect(&store, signal, this, &TaskPanel::updateButtons);
    connect(&store, &TaskStore::changed, this, &TaskPanel::updateButtons);
    updateButtons();
}

QLayout* TaskPanel::makeButtons()
{
    m_cancel->setToolTip(tr("Cancel the chosen task (Delete)"));
    m_show->setObjectName(QStringLiteral("showTask"));
    m_show->setToolTip(tr("Show what came of the chosen task: the report of an export (Enter)"));
    m_clear->setToolTip(tr("Take the tasks that have ended out of the list"));
    auto* const buttons = new QVBoxLayout;
    for (QPushButton* const button : {m_cancel, m_show, m_clear})
        buttons->addWidget(button);
    buttons->addStretch();
    connect(m_cancel, &QPushButton::clicked, this, &TaskPanel::cancelChosen);
    connect(m_show, &QPushButton::clicked, this, &TaskPanel::showChosen);
    connect(m_clear, &QPushButton::clicked, &m_store, &TaskStore::clearEnded);
    return buttons;
}

void TaskPanel::addCancelKey()
{
    auto* const cancel = new QAction(tr("Ca&ncel the task"), m_table);
    cancel->setObjectName(QStringLiteral("cancelTask"));
    cancel->setShortcut(QKeySequence::Delete);
    cancel->setShortcutContext(Qt::WidgetShortcut);
    m_table->addAction(cancel);
    connect(cancel, &QAction::triggered, this, &TaskPanel::cancelChosen);
}

void TaskPanel::cancelChosen()
{
    QList<int> ids;
    for (const QModelIndex& row : m_table->selectionModel()->selectedRows())
        ids << m_model.task(row.row()).id;
    for (const int id : ids)
        m_store.cancel(id);
}

void TaskPanel::showChosen()
{
    for (const QModelIndex& row : m_table->selectionModel()->selectedRows()) {
        if (m_model.task(row.row()).showable)
            return m_store.show(m_model.task(row.row()).id);
    }
}

void TaskPanel::updateButtons()
{
    bool cancellable = false;
    bool showable = false;
    for (const QModelIndex& row : m_table->selectionModel()->selectedRows()) {
        cancellable |= m_model.task(row.row()).cancellable;
        showable |= m_model.task(row.row()).showable;
    }
    m_cancel->setEnabled(cancellable);
    m_show->setEnabled(showable);
    m_clear->setEnabled(m_store.unfinished() < int(m_store.tasks().size()));
    m_pages->setCurrentIndex(m_store.tasks().empty() ? 0 : 1);
}

} // namespace colibri
