// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/routing/marginplot.h"

#include "views/heatmap/heatmatrix.h"
#include "views/routing/legendrow.h"
#include "views/routing/routingmaps.h"
#include "views/theme/theme.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace colibri {
namespace {

constexpr int allBins = MarginCounts::bins + 1; ///< with the one for larger margins
constexpr double barTint = 0.6;

std::uint32_t countIn(const MarginCounts& margins, int bin)
{
    return bin == MarginCounts::bins ? margins.overflow : margins.counts[static_cast<std::size_t>(bin)];
}

double withMargin(const MarginCounts& margins)
{
    return std::accumulate(margins.counts.begin(), margins.counts.end(), static_cast<double>(margins.overflow));
}

double middleOf(int bin)
{
    return (bin + 0.5) * MarginCounts::binWidth;
}

/// [allBins] counts, or percent of all of them.
QVector<double> heights(const MarginCounts& margins, bool percent)
{
    const double all = withMargin(margins);
    QVector<double> values;
    for (int bin = 0; bin < allBins; ++bin) {
        const double count = countIn(margins, bin);
        values << (!percent ? count : all > 0 ? 100 * count / all : 0);
    }
    return values;
}

int lastFilled(const QVector<double>& values)
{
    const auto last = std::find_if(values.rbegin(), values.rend(), [](double value) { return value > 0; });
    return static_cast<int>(values.rend() - last) - 1;
}

/// The end of the axis that shows bins up to `bin`: half a logit, 1, 2 or everything.
double rightEnd(int bin)
{
    for (const double end : {0.5, 1., 2.}) {
        if ((bin + 1) * MarginCounts::binWidth <= end)
            return end;
    }
    return allBins * MarginCounts::binWidth;
}

} // namespace

MarginPlot::MarginPlot(QWidget* parent)
    : Plot(tr("Margins of the layer"), parent)
    , m_bars(new QCPBars(xAxis, yAxis))
    , m_overflow(new QCPBars(xAxis, yAxis))
    , m_other(addGraph())
{
    for (QCPBars* const bars : {m_bars, m_overflow})
        bars->setWidth(MarginCounts::binWidth * 0.9);
    m_overflow->removeFromLegend();
    m_other->setLineStyle(QCPGraph::lsStepCenter);
    setZoomable(Qt::Horizontal);
    yAxis->setTicker(m_ticker);
    setReadout([this](double x, double) { return readout(x); });
    setValues([this] { return table(); });
    setToolTip(tr("How far the last chosen expert was ahead of the first rejected one"));
    connect(this, &Plot::schemeChanged, this, &MarginPlot::color);
    color(schemeOf(palette()));
    showCounts();
}

void MarginPlot::setMargins(const MarginCounts& margins, const std::optional<MarginCounts>& other, const QString& name,
    const QString& otherName, bool grows)
{
    if (m_otherMargins.has_value() != other.has_value())
        forgetRange();
    m_margins = margins;
    m_otherMargins = other;
    m_grows = grows;
    m_bars->setName(name);
    m_other->setName(otherName);
    showCounts();
}

void MarginPlot::setUnit(const QString& unit)
{
    m_unit = unit;
    showCounts();
}

void MarginPlot::setLogarithmic(bool logarithmic)
{
    m_logarithmic = logarithmic;
    QSharedPointer<QCPAxisTicker> ticker;
    if (logarithmic)
        ticker = QSharedPointer<QCPAxisTickerLog>::create();
    else
        ticker = m_ticker;
    ticker->setTickCount(5);
    yAxis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    yAxis->setTicker(ticker);
    showCounts();
}

void MarginPlot::showCounts()
{
    const bool percent = m_otherMargins.has_value();
    m_ticker->setWhole(!percent);
    const QVector<double> values = heights(m_margins, percent);
    const QVector<double> others = percent ? heights(*m_otherMargins, true) : QVector<double>();
    QVector<double> middles(allBins);
    for (int bin = 0; bin < allBins; ++bin)
        middles[bin] = middleOf(bin);
    double largest = *std::max_element(values.begin(), values.end());
    if (percent)
        largest = std::max(largest, *std::max_element(others.begin(), others.end()));
    m_top = steadyTop(m_top, largest, m_grows);
    m_right = std::max(m_right, rightEnd(std::max(lastFilled(values), percent ? lastFilled(others) : -1)));
    const double bottom = m_logarithmic ? (percent ? 0.01 : 0.5) : 0;
    m_bars->setBaseValue(bottom);
    m_overflow->setBaseValue(bottom);
    m_bars->setData(middles.mid(0, MarginCounts::bins), values.mid(0, MarginCounts::bins), true);
    m_overflow->setData(middles.mid(MarginCounts::bins), values.mid(MarginCounts::bins), true);
    m_other->setData(percent ? middles : QVector<double>(), others, true);
    showLegendRow(*this, percent);
    setAxisTitles(tr("margin (%1)").arg(m_unit), percent ? tr("tokens (%)") : tr("tokens"));
    setWhole({0, m_right}, {bottom, m_top * (m_logarithmic ? 1.5 : 1.02)});
    redraw();
}

void MarginPlot::color(ColorScheme scheme)
{
    const ThemeColors& theme = themeColors(scheme);
    const QColor ground = QColor::fromRgb(mixed(palette().color(QPalette::Base).rgb(), theme.accent, barTint));
    m_bars->setPen(Qt::NoPen);
    m_bars->setBrush(ground);
    m_overflow->setPen(QPen(ground));
    m_overflow->setBrush(QBrush(ground, Qt::BDiagPattern));
    m_other->setPen(QPen(palette().color(QPalette::Text), 1.2));
}

QString MarginPlot::readout(double x) const
{
    const auto bin = static_cast<int>(std::floor(x / MarginCounts::binWidth));
    if (bin < 0 || bin >= allBins)
        return {};
    const double from = bin * MarginCounts::binWidth;
    const QString range = bin == MarginCounts::bins
        ? tr("%1 or more").arg(from, 0, 'f', 0)
        : tr("%1 to %2").arg(from, 0, 'f', 4).arg(from + MarginCounts::binWidth, 0, 'f', 4);
    if (!m_otherMargins)
        return tr("%1: %2").arg(range, countText(countIn(m_margins, bin)));
    return tr("%1: %2 %3%, %4 %5%")
        .arg(range, m_bars->name(), QString::number(heights(m_margins, true)[bin], 'f', 2), m_other->name(),
            QString::number(heights(*m_otherMargins, true)[bin], 'f', 2));
}

ValueTable MarginPlot::table() const
{
    const bool compared = m_otherMargins.has_value();
    ValueTable table{{tr("margin from (%1)").arg(m_unit), compared ? m_bars->name() : tr("tokens")}, {}};
    if (compared)
        table.headers << m_other->name();
    for (int bin = 0; bin < allBins; ++bin) {
        table.rows.push_back({bin * MarginCounts::binWidth, static_cast<double>(countIn(m_margins, bin))});
        if (compared)
            table.rows.back().push_back(countIn(*m_otherMargins, bin));
    }
    return table;
}

QString marginSummary(const MarginCounts& margins)
{
    const double with = withMargin(margins);
    if (with == 0 && margins.none > 0)
        return MarginPlot::tr("No decision has a margin: experts came from a table, or none was rejected.");
    QStringList parts{MarginPlot::tr("%1 tokens").arg(countText(with + margins.none))};
    if (margins.zero > 0)
        parts << MarginPlot::tr("%1 with a margin of 0").arg(countText(margins.zero));
    if (margins.none > 0)
        parts << MarginPlot::tr("%1 without one").arg(countText(margins.none));
    return parts.join(QStringLiteral(", "));
}

} // namespace colibri
