// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/selectionstore.h"
#include "views/run/currentitem.h"
#include "views/run/tokenreport.h"

#include <QAbstractScrollArea>

#include <optional>

namespace colibri {

/// Where values lie along a bar; the zero line is always inside.
struct BarScale {
    double low = 0;
    double high = 1;

    /// 0 to 1; values that are not finite count as the nearest end.
    double share(double value) const;
};
BarScale barScale(const std::vector<float>& values);

/// Router logits of one decision as bars: a row for each expert with its id, value and bits. Chosen experts have a
/// filled mark with their rank, the first rejected one an empty mark; the band between the two is the margin.
class RouterBars : public QAbstractScrollArea, public CurrentItem {
    Q_OBJECT

public:
    explicit RouterBars(SelectionStore& selection, QWidget* parent = nullptr);

    void setReport(std::optional<TokenReport> report, std::uint32_t experts);
    void setOrder(BarOrder order);
    const std::vector<int>& rows() const { return m_rows; } ///< expert of each row
    QRect rowRect(int row) const; ///< in coordinates of the viewport

    QSize sizeHint() const override;
    QAccessible::Role itemsRole() const override { return QAccessible::List; }
    QString currentText() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    struct Columns;
    Columns columns() const;
    void arrange();
    void choose(int row);
    int currentRow() const; ///< -1: none
    QString describe(int expert) const;
    void paintMargin(QPainter& painter, const Columns& columns) const;
    void paintRow(QPainter& painter, const QRect& row, int expert, const Columns& columns) const;

    SelectionStore& m_selection;
    std::optional<TokenReport> m_report;
    std::uint32_t m_experts = 0;
    BarOrder m_order = BarOrder::ByValue;
    std::vector<int> m_rows;
    BarScale m_scale;
};

} // namespace colibri
