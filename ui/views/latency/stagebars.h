// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/latencystats.h"

#include <qcustomplot.h>

#include <array>
#include <vector>

namespace colibri {

/// A bar of stacked stages over the positions [from, to).
struct StageBar {
    double from = 0;
    double to = 0;
    std::array<float, stageCount + 1> edges{}; ///< where each stage begins, in milliseconds a token; the last: the top
};

/// One stage of all bars, as a plottable with its own entry in the legend. Bars are drawn on whole pixels, without
/// smoothing, with a gap between them where there is room.
class StageBars : public QCPAbstractPlottable {
public:
    /// The bars belong to the plot and outlive this.
    StageBars(QCPAxis* keys, QCPAxis* values, const std::vector<StageBar>& bars, Stage stage);

    double selectTest(const QPointF& at, bool onlySelectable, QVariant* details) const override;
    QCPRange getKeyRange(bool& found, QCP::SignDomain domain) const override;
    QCPRange getValueRange(bool& found, QCP::SignDomain domain, const QCPRange& keys) const override;

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter* painter, const QRectF& rect) const override;

private:
    const std::vector<StageBar>& m_bars;
    std::size_t m_stage;
};

} // namespace colibri
