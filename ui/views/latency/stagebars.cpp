// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/stagebars.h"

#include <algorithm>
#include <cmath>

namespace colibri {
namespace {

constexpr double gapFrom = 6; ///< pixels of a bar from which on there is a gap of one to the next

} // namespace

StageBars::StageBars(QCPAxis* keys, QCPAxis* values, const std::vector<StageBar>& bars, Stage stage)
    : QCPAbstractPlottable(keys, values)
    , m_bars(bars)
    , m_stage(std::size_t(stage))
{
    setAntialiased(false);
    setAntialiasedFill(false);
    setSelectable(QCP::stNone);
    setPen(Qt::NoPen);
}

double StageBars::selectTest(const QPointF&, bool, QVariant*) const
{
    return -1; // the plot finds the bar of a click by its position
}

QCPRange StageBars::getKeyRange(bool& found, QCP::SignDomain) const
{
    found = !m_bars.empty();
    return found ? QCPRange(m_bars.front().from, m_bars.back().to) : QCPRange();
}

QCPRange StageBars::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const
{
    found = !m_bars.empty();
    float top = 0;
    for (const StageBar& bar : m_bars)
        top = std::max(top, bar.edges.back());
    return {0, top};
}

void StageBars::draw(QCPPainter* painter)
{
    applyFillAntialiasingHint(painter);
    for (const StageBar& bar : m_bars) {
        if (bar.edges[m_stage + 1] <= bar.edges[m_stage])
            continue;
        const double left = std::round(mKeyAxis->coordToPixel(bar.from));
        double right = std::max(left + 1, std::round(mKeyAxis->coordToPixel(bar.to)));
        right -= right - left >= gapFrom ? 1 : 0;
        const double top = std::round(mValueAxis->coordToPixel(double(bar.edges[m_stage + 1])));
        const double bottom = std::round(mValueAxis->coordToPixel(double(bar.edges[m_stage])));
        painter->fillRect(QRectF(left, top, right - left, bottom - top), brush());
    }
}

void StageBars::drawLegendIcon(QCPPainter* painter, const QRectF& rect) const
{
    painter->fillRect(rect.adjusted(4, 2, -4, -2), brush());
}

} // namespace colibri
