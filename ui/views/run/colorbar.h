// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/run/decisioncolor.h"

#include <QWidget>

class QComboBox;
class QSpinBox;

namespace colibri {

/// Every how many of the experts, in a band of this width, a number of this width has room.
std::uint32_t numberStep(std::uint32_t experts, double width, int numberWidth);

/// What the colours mean, drawn small: chips of the experts, or the scale of margins.
class ColorLegend : public QWidget {
    Q_OBJECT

public:
    explicit ColorLegend(QWidget* parent = nullptr);

    void show(ColorBy by, std::uint32_t experts);
    void setMargins(double middle, const QString& unit); ///< see marginShare()
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Chips {
        double left = 0;
        double width = 0; ///< of one
        std::uint32_t step = 1; ///< every so many have a number: above 1 it stands above its chip
    };
    Chips chips() const;
    void paintExperts(QPainter& painter) const;
    void paintMargins(QPainter& painter) const;

    ColorBy m_by = ColorBy::Expert;
    std::uint32_t m_experts = 0;
    double m_middle = 1;
    QString m_unit;
};

/// By what tokens and cells are coloured: the choice and its legend.
class ColorBar : public QWidget {
    Q_OBJECT

public:
    explicit ColorBar(QWidget* parent = nullptr);

    const Coloring& coloring() const { return m_coloring; }
    void setShape(const RunRecord::Shape& shape); ///< of the run that is shown
    void setLayer(int layer);
    /// The margin in the middle of the colours, and what margins are measured in.
    void setMargins(double middle, const QString& unit);

signals:
    void coloringChanged(const colibri::Coloring& coloring);

private:
    void refresh();

    Coloring m_coloring;
    std::uint32_t m_experts = 0;
    double m_middle = 1;
    QComboBox* m_by;
    QSpinBox* m_layer;
    QSpinBox* m_rank;
    ColorLegend* m_legend;
};

} // namespace colibri
