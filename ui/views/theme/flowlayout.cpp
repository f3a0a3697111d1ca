// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/flowlayout.h"

#include <QWidget>

#include <algorithm>

namespace colibri {
namespace {

bool expands(QLayoutItem& item)
{
    const bool any = item.widget() && item.widget()->sizePolicy().horizontalPolicy() == QSizePolicy::Ignored;
    return any || item.expandingDirections() & Qt::Horizontal;
}

/// Also of an item that takes any width, which has no hint.
int wantedWidth(const QLayoutItem& item)
{
    return std::max(item.sizeHint().width(), item.minimumSize().width());
}

/// Items [from, to) in a line of this width, from `left` on, in the middle of its height.
void placeLine(const std::vector<std::unique_ptr<QLayoutItem>>& items, std::size_t from, std::size_t to,
    const QRect& line, int spacing)
{
    int free = line.width() - spacing * static_cast<int>(to - from - 1);
    int expanding = 0;
    for (std::size_t at = from; at < to; ++at) {
        free -= wantedWidth(*items[at]);
        expanding += expands(*items[at]);
    }
    int left = line.left();
    for (std::size_t at = from; at < to; ++at) {
        QSize size(wantedWidth(*items[at]), items[at]->sizeHint().height());
        if (free < 0 || expands(*items[at]))
            size.rwidth() += free / std::max(1, expanding);
        size.setWidth(std::max(0, std::min(size.width(), line.right() + 1 - left)));
        items[at]->setGeometry({QPoint(left, line.top() + (line.height() - size.height()) / 2), size});
        left += size.width() + spacing;
    }
}

} // namespace

QLayoutItem* FlowLayout::itemAt(int index) const
{
    return index >= 0 && index < count() ? m_items[static_cast<std::size_t>(index)].get() : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    if (index < 0 || index >= count())
        return nullptr;
    const auto at = m_items.begin() + index;
    QLayoutItem* const item = at->release();
    m_items.erase(at);
    return item;
}

QSize FlowLayout::sizeHint() const
{
    QSize size(0, 0);
    for (const auto& item : m_items)
        size = {size.width() + wantedWidth(*item), std::max(size.height(), item->sizeHint().height())};
    const QMargins around = contentsMargins();
    return size + QSize(spacing() * std::max(0, count() - 1), 0)
        + QSize(around.left() + around.right(), around.top() + around.bottom());
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const auto& item : m_items)
        size = size.expandedTo(item->minimumSize());
    const QMargins around = contentsMargins();
    return size + QSize(around.left() + around.right(), around.top() + around.bottom());
}

void FlowLayout::setGeometry(const QRect& rect)
{
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

int FlowLayout::arrange(const QRect& rect, bool place) const
{
    const QMargins around = contentsMargins();
    const QRect area = rect.marginsRemoved(around);
    int top = area.top();
    for (std::size_t from = 0; from < m_items.size();) {
        std::size_t to = from;
        int width = 0;
        int height = 0;
        for (; to < m_items.size(); ++to) {
            const int wanted = wantedWidth(*m_items[to]);
            if (to > from && width + wanted > area.width())
                break;
            width += wanted + spacing();
            height = std::max(height, m_items[to]->sizeHint().height());
        }
        if (place)
            placeLine(m_items, from, to, {area.left(), top, area.width(), height}, spacing());
        top += height + (to < m_items.size() ? spacing() / 2 : 0);
        from = to;
    }
    return top - area.top() + around.top() + around.bottom();
}

} // namespace colibri
