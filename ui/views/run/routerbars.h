// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/selectionstore.h"
#include "views/cells/currentitem.h"
#include "views/run/tokenreport.h"

#include <QAbstractScrollArea>

#include <optional>

namespace colibri {

/// Where values lie along a bar: from the least to the largest of them, so that the larger one has the longer bar.
struct BarScale {
    double low = 0;
    double high = 1;

    /// 0 to 1; infinite values count as the nearest end, NaN has no bar.
    double share(double value) const;
};
/// Of the finite ones; without any, or with all alike, one unit long.
BarScale barScale(const std::vector<float>& values);

/// Router logits of one decision as bars: a row for each expert with its id, value and bits. Chosen experts have a
/// filled mark, the first rejected one an empty mark; dashed lines stand at the logits of the last chosen and of the
/// first rejected one. An axis above the rows names the ends of the bars.
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
    int rowAt(int y) const; ///< of the viewport; -1: none there
    int axisHeight() const; ///< of what stands above the rows and does not scroll
    QString describe(int expert) const;
    QString describeAxis() const;
    void paintAxis(QPainter& painter, const Columns& columns) const;
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
