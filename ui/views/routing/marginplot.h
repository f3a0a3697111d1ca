// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/routingcounts.h"
#include "views/plot/countticker.h"
#include "views/plot/plot.h"

#include <optional>

namespace colibri {

/// Histogram of the margins of one layer; the last, hatched bar holds all larger ones. With another one to compare with
/// both are shares of their decisions that have a margin.
class MarginPlot : public Plot {
    Q_OBJECT

public:
    explicit MarginPlot(QWidget* parent = nullptr);

    /// `grows`: more will follow, so that the axis keeps room.
    void setMargins(const MarginCounts& margins, const std::optional<MarginCounts>& other, const QString& name,
        const QString& otherName, bool grows);
    void setLogarithmic(bool logarithmic);
    void setUnit(const QString& unit); ///< of the margins
    /// Something else is shown from now on: the axes start anew.
    void forgetRange() { m_top = m_right = 0; }

private:
    void showCounts();
    void color(ColorScheme scheme);
    QString readout(double x) const;
    ValueTable table() const;

    MarginCounts m_margins;
    std::optional<MarginCounts> m_otherMargins;
    bool m_logarithmic = false;
    bool m_grows = false;
    QString m_unit = tr("logits");
    double m_top = 0;
    double m_right = 0;
    QSharedPointer<CountTicker> m_ticker = QSharedPointer<CountTicker>::create(); ///< of the linear axis
    QCPBars* m_bars;
    QCPBars* m_overflow;
    QCPGraph* m_other;
};

/// In words, for below the plot: how many decisions, how many of them without a margin and exactly 0.
QString marginSummary(const MarginCounts& margins);

} // namespace colibri
