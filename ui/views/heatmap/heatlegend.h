// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/heatmap/heatmatrix.h"

#include <QWidget>

namespace colibri {

class HeatView;

/// The strip below a heat map: its colours between their numbers, what the numbers are, what a cross means, and, where
/// there is room, the current cell in words. Where one line has no room for all but that, it has two; neither changes
/// with the numbers.
class HeatLegend : public QWidget {
    Q_OBJECT

public:
    explicit HeatLegend(const HeatView& view, QWidget* parent = nullptr);

    void setUnit(const QString& unit); ///< what the numbers are, such as "decisions"
    void setMarkMeaning(const QString& meaning); ///< of a cross; shown while there is one
    QString text() const; ///< everything it says, for assistive programs and tests
    int lines() const { return m_lines; }
    /// What a line has to have to be whole, of the lines that there are. The current cell in words counts for nothing.
    int neededWidth(int line) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void measure(); ///< how many lines there are
    int widthOf(const QString& text) const;
    int numberWidth() const;
    int bottomWidth() const;
    int scaleWidth() const; ///< of the colours between their numbers
    int meaningWidth() const; ///< of what numbers and crosses are
    QString markText() const;
    void paintBar(QPainter& painter, const QRect& bar) const;

    const HeatView& m_view;
    QString m_unit;
    QString m_markMeaning;
    int m_lines = 1;
};

} // namespace colibri
