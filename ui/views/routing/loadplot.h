// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/plot/countticker.h"
#include "views/plot/plot.h"

#include <vector>

namespace colibri {

/// A measure of the experts of one layer as bars, with the line of their mean; experts without load have a cross. What
/// is compared with lies over the bars as short lines.
class LoadPlot : public Plot {
    Q_OBJECT

public:
    struct Data {
        std::vector<double> values; ///< [experts]
        std::vector<double> other; ///< [experts] compared with; empty: nothing
        std::vector<bool> dead; ///< [experts]
        int expert = -1; ///< the one that stands out; -1: none
        QString axis; ///< what the values are
        bool whole = false; ///< they are counts
        QString name; ///< of values and of other, in the legend
        QString otherName;
        std::function<QString(double)> text; ///< of a value
    };

    explicit LoadPlot(QWidget* parent = nullptr);

    /// `top`: end of the axis.
    void setLoads(Data loads, double top);

signals:
    void expertChosen(int expert);

protected:
    void fitAxes() override; ///< no frame around a bar that would be all frame

private:
    void frameChosen();
    void color(ColorScheme scheme);
    QString readout(double x) const;
    ValueTable table() const;

    Data m_data;
    QSharedPointer<CountTicker> m_ticker = QSharedPointer<CountTicker>::create();
    QCPBars* m_bars;
    QCPBars* m_chosen;
    QCPGraph* m_mean;
    QCPGraph* m_other;
    QCPGraph* m_dead;
};

} // namespace colibri
