// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/activity/logpanel.h"

#include "views/table/tableview.h"
#include "views/theme/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <array>

namespace colibri {
namespace {

/// Widths in characters, by LogTable::Column; the last takes what is left.
constexpr std::array<int, LogTable::ColumnCount> widths{15, 10, 14, 0};

/// Colours the level; its name is the sign, the colour only helps.
class LevelCell : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        const ThemeColors& colors = themeColors(schemeOf(option->palette));
        const auto level = LogLevel(index.data(LogTable::levelRole).toInt());
        if (level != LogLevel::Info)
            option->palette.setColor(
                QPalette::Text, QColor::fromRgb(level == LogLevel::Error ? colors.errorText : colors.warningText));
    }
};

} // namespace

LogPanel::LogPanel(LogStore& store, QWidget* parent)
    : QWidget(parent)
    , m_model(store)
    , m_table(new TableView(tr("Log"), this))
    , m_level(new QComboBox(this))
    , m_text(new QLineEdit(this))
{
    m_table->setModel(&m_model);
    m_table->setItemDelegateForColumn(LogTable::LevelColumn, new LevelCell(m_table));
    for (int column = 0; column < LogTable::ColumnCount; ++column)
        m_table->setColumnWidth(column, widths[std::size_t(column)] * m_table->fontMetrics().averageCharWidth());
    m_table->horizontalHeader()->setStretchLastSection(true);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(grid::half, grid::half, grid::half, grid::half);
    column->addWidget(makeBar(store));
    column->addWidget(m_table, 1);
    connect(m_table->verticalScrollBar(), &QScrollBar::valueChanged, this,
        [this](int value) { m_atEnd = value >= m_table->verticalScrollBar()->maximum(); });
    connect(m_table->verticalScrollBar(), &QScrollBar::rangeChanged, this, [this](int, int end) {
        if (m_atEnd)
            m_table->verticalScrollBar()->setValue(end);
    });
}

QWidget* LogPanel::makeBar(LogStore& store)
{
    auto* const bar = new QWidget(this);
    auto* const row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    m_level->setAccessibleName(tr("Level"));
    m_level->setToolTip(tr("The least level that is shown"));
    m_level->addItems({tr("Everything"), tr("Warnings and errors"), tr("Errors")});
    m_text->setAccessibleName(tr("Filter the log"));
    m_text->setPlaceholderText(tr("Filter"));
    m_text->setToolTip(tr("Show lines that contain this text"));
    m_text->setClearButtonEnabled(true);
    auto* const clear = new QPushButton(tr("&Clear"), bar);
    clear->setToolTip(tr("Take everything out of the log"));
    row->addWidget(m_level);
    row->addWidget(m_text, 1);
    row->addWidget(clear);
    connect(m_level, &QComboBox::currentIndexChanged, this, &LogPanel::filter);
    connect(m_text, &QLineEdit::textChanged, this, &LogPanel::filter);
    connect(clear, &QPushButton::clicked, &store, &LogStore::clear);
    return bar;
}

void LogPanel::filter()
{
    m_model.setFilter(LogLevel(m_level->currentIndex()), m_text->text());
    m_table->scrollToBottom();
}

} // namespace colibri
