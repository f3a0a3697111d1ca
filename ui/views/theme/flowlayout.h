// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLayout>

#include <memory>
#include <vector>

namespace colibri {

/// Widgets in lines, from left to right: what has no room in a line begins the next one. Those that expand, or take any
/// width from their minimum on, share what their line has left. The layout is no narrower than its widest item has to
/// be.
class FlowLayout : public QLayout {
    Q_OBJECT

public:
    using QLayout::QLayout;

    void addItem(QLayoutItem* item) override { m_items.emplace_back(item); }
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return Qt::Horizontal; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return arrange({0, 0, width, 0}, false); }
    QSize sizeHint() const override; ///< of one line
    QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    int arrange(const QRect& rect, bool place) const; ///< returns the height

    std::vector<std::unique_ptr<QLayoutItem>> m_items;
};

} // namespace colibri
