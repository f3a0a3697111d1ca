// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model/fittedtable.h"

#include "models/celltable.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QApplication>
#include <QEvent>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace colibri {
namespace {

constexpr int rowSpace = grid::half + 2; ///< room for a bar under the text
constexpr int measuredRows = 200; ///< that the width of a column looks at
constexpr int widestColumn = 60 * grid::unit; ///< unless the user or free room makes it wider

/// Keeps numbers, which stand right, apart from the column behind them, and draws the bar of a share.
class CellDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyleOptionViewItem cell = option;
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, option.palette.highlight());
        if (index.data(Qt::TextAlignmentRole).value<Qt::Alignment>() & Qt::AlignRight)
            cell.rect.adjust(0, 0, -grid::half, 0);
        QStyledItemDelegate::paint(painter, cell, index);
        const QVariant share = index.data(CellTable::ShareRole);
        if (!share.isValid())
            return;
        QRect bar = option.rect.adjusted(grid::half, option.rect.height() - grid::half, -grid::half, -1);
        painter->fillRect(bar, QColor::fromRgb(themeColors(schemeOf(option.palette)).pending));
        bar.setWidth(static_cast<int>(share.toDouble() * bar.width() + 0.5));
        const bool selected = option.state & QStyle::State_Selected;
        painter->fillRect(bar, selected ? option.palette.highlightedText() : option.palette.highlight());
    }
};

} // namespace

FittedTable::FittedTable(const QString& name, QWidget* parent)
    : TableView(name, parent)
{
    setToolTip(tr("Ctrl+C copies the chosen rows, the context menu has more"));
    setEditTriggers(NoEditTriggers);
    setTextElideMode(Qt::ElideMiddle);
    setItemDelegate(new CellDelegate(this));
    const QList<QAction*> whole = wholeActions();
    whole[0]->setIconText(tr("Copy all"));
    whole[0]->setToolTip(tr("Copies all rows that are shown as CSV, with headers and exact numbers"));
    whole[1]->setIconText(tr("Save as CSV"));
    whole[1]->setToolTip(tr("Saves all rows that are shown in a file, with headers and exact numbers"));
    measure();
}

void FittedTable::measure()
{
    setFont(monospaceFont());
    horizontalHeader()->setFont(QApplication::font());
    verticalHeader()->setMinimumSectionSize(fontMetrics().height() + rowSpace);
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + rowSpace);
}

void FittedTable::setShowsAllRows()
{
    m_allRows = true;
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

int FittedTable::wholeHeight() const
{
    const int rows = model() ? model()->rowCount() : 0;
    const int header = horizontalHeader()->isHidden() ? 0 : horizontalHeader()->sizeHint().height();
    return rows * verticalHeader()->defaultSectionSize() + header + 2 * frameWidth();
}

QSize FittedTable::sizeHint() const
{
    return m_allRows ? QSize(TableView::sizeHint().width(), wholeHeight()) : TableView::sizeHint();
}

QSize FittedTable::minimumSizeHint() const
{
    return m_allRows ? QSize(TableView::minimumSizeHint().width(), wholeHeight()) : TableView::minimumSizeHint();
}

void FittedTable::fitColumns(const QStringList& texts)
{
    QHeaderView& header = *horizontalHeader();
    header.setResizeContentsPrecision(measuredRows);
    for (int column = 0; column < header.count(); ++column) {
        const int text = fontMetrics().horizontalAdvance(texts.value(column)) + grid::unit;
        const int needs = std::max({sizeHintForColumn(column), header.sectionSizeHint(column), text}) + grid::unit;
        const int width = std::min(needs, widestColumn);
        header.resizeSection(column, width);
        if (column == m_yielding)
            m_yieldingNeeds = width;
        if (column == m_stretch)
            m_stretchNeeds = m_allRows ? header.minimumSectionSize()
                : m_stretchLeast > 0   ? std::min(width, m_stretchLeast)
                                       : width;
    }
    stretch();
    if (m_allRows)
        updateGeometry();
}

void FittedTable::stretch()
{
    QHeaderView& header = *horizontalHeader();
    if (m_stretch < 0 || m_stretch >= header.count())
        return;
    int others = header.length() - header.sectionSize(m_stretch);
    if (m_yielding >= 0 && m_yielding < header.count() && m_yieldingNeeds > 0) {
        others -= header.sectionSize(m_yielding);
        const int room = viewport()->width() - others - m_stretchNeeds;
        header.resizeSection(m_yielding, std::clamp(room, std::min(m_yieldingLeast, m_yieldingNeeds), m_yieldingNeeds));
        others += header.sectionSize(m_yielding);
    }
    header.resizeSection(m_stretch, std::max(m_stretchNeeds, viewport()->width() - others));
}

void FittedTable::resizeEvent(QResizeEvent* event)
{
    TableView::resizeEvent(event);
    stretch();
}

void FittedTable::changeEvent(QEvent* event)
{
    TableView::changeEvent(event);
    if (event->type() == QEvent::ApplicationFontChange)
        measure();
}

} // namespace colibri
