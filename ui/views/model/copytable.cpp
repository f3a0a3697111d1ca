// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model/copytable.h"

#include "models/celltable.h"
#include "models/csv.h"
#include "views/plot/plotexport.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace colibri {
namespace {

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

CopyTable::CopyTable(const QString& title, QWidget* parent)
    : QTableView(parent)
    , m_title(title)
{
    setAccessibleName(title);
    setToolTip(tr("Ctrl+C copies the selected rows, the context menu all"));
    setAlternatingRowColors(true);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers);
    setWordWrap(false);
    setTextElideMode(Qt::ElideMiddle);
    setShowGrid(false);
    setTabKeyNavigation(false); // Tab goes to the next widget
    setVerticalScrollMode(ScrollPerItem);
    setHorizontalScrollMode(ScrollPerPixel);
    setItemDelegate(new CellDelegate(this));
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setHighlightSections(false);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    const auto add = [this](const QString& name, const QString& text, const QString& toolTip, auto act) {
        auto* const action = new QAction(text, this);
        action->setObjectName(name);
        action->setToolTip(toolTip);
        connect(action, &QAction::triggered, this, act);
        addAction(action);
        return action;
    };
    QAction* const copy = add(QStringLiteral("copyRows"), tr("&Copy the rows"),
        tr("Copies the selected rows as CSV, with headers (Ctrl+C)"), [this] { copyRows(); });
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    add(QStringLiteral("copyAll"), tr("Copy &all rows"), tr("Copies all rows that are shown as CSV, with headers"),
        [this] { QApplication::clipboard()->setText(QString::fromUtf8(csv(*model()))); });
    add(QStringLiteral("saveAll"), tr("&Save as CSV..."), tr("Saves all rows that are shown in a file"),
        [this] { saveBytesAs(this, m_title + QStringLiteral(".csv"), csv(*model())); });
    measure();
}

void CopyTable::measure()
{
    setFont(monospaceFont());
    horizontalHeader()->setFont(QApplication::font());
    const int height = fontMetrics().height() + grid::unit;
    verticalHeader()->setMinimumSectionSize(height);
    verticalHeader()->setDefaultSectionSize(height);
}

void CopyTable::setShowsAllRows()
{
    m_allRows = true;
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

int CopyTable::wholeHeight() const
{
    const int rows = model() ? model()->rowCount() : 0;
    const int header = horizontalHeader()->isHidden() ? 0 : horizontalHeader()->sizeHint().height();
    return rows * verticalHeader()->defaultSectionSize() + header + 2 * frameWidth();
}

QSize CopyTable::sizeHint() const
{
    return m_allRows ? QSize(QTableView::sizeHint().width(), wholeHeight()) : QTableView::sizeHint();
}

QSize CopyTable::minimumSizeHint() const
{
    return m_allRows ? QSize(QTableView::minimumSizeHint().width(), wholeHeight()) : QTableView::minimumSizeHint();
}

void CopyTable::fitColumns(const QStringList& texts)
{
    QHeaderView& header = *horizontalHeader();
    header.setResizeContentsPrecision(measuredRows);
    for (int column = 0; column < header.count(); ++column) {
        const int text = fontMetrics().horizontalAdvance(texts.value(column)) + grid::unit;
        const int needs = std::max({sizeHintForColumn(column), header.sectionSizeHint(column), text}) + grid::unit;
        const int width = std::min(needs, widestColumn);
        header.resizeSection(column, width);
        if (column == m_stretch)
            m_stretchNeeds = m_allRows ? header.minimumSectionSize() : width;
    }
    stretch();
    if (m_allRows)
        updateGeometry();
}

void CopyTable::stretch()
{
    QHeaderView& header = *horizontalHeader();
    if (m_stretch < 0 || m_stretch >= header.count())
        return;
    const int others = header.length() - header.sectionSize(m_stretch);
    header.resizeSection(m_stretch, std::max(m_stretchNeeds, viewport()->width() - others));
}

void CopyTable::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    stretch();
}

void CopyTable::copyRows() const
{
    std::vector<int> rows;
    for (const QItemSelectionRange& range : selectionModel()->selection()) {
        for (int row = range.top(); row <= range.bottom(); ++row)
            rows.push_back(row);
    }
    std::ranges::sort(rows);
    const auto doubled = std::ranges::unique(rows);
    rows.erase(doubled.begin(), doubled.end());
    if (!rows.empty())
        QApplication::clipboard()->setText(QString::fromUtf8(csv(*model(), rows)));
}

void CopyTable::changeEvent(QEvent* event)
{
    QTableView::changeEvent(event);
    if (event->type() == QEvent::ApplicationFontChange)
        measure();
}

} // namespace colibri
