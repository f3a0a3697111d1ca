// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/routing/loadplot.h"

#include "views/routing/legendrow.h"
#include "views/theme/theme.h"

#include <algorithm>
#include <cmath>

namespace colibri {
namespace {

constexpr double barWidth = 0.8; ///< of the room of an expert
constexpr double barTint = 0.6;
constexpr int leastFramed = 8; ///< pixels of an expert, for the frame of the chosen bar

} // namespace

LoadPlot::LoadPlot(QWidget* parent)
    : Plot(tr("Experts of the layer"), parent)
    , m_bars(new QCPBars(xAxis, yAxis))
    , m_chosen(new QCPBars(xAxis, yAxis))
    , m_mean(addGraph())
    , m_other(addGraph())
    , m_dead(addGraph())
{
    for (QCPBars* const bars : {m_bars, m_chosen})
        bars->setWidth(barWidth);
    m_chosen->removeFromLegend();
    m_dead->removeFromLegend();
    m_mean->setName(tr("mean"));
    m_other->setLineStyle(QCPGraph::lsNone);
    m_dead->setLineStyle(QCPGraph::lsNone);
    setZoomable(Qt::Horizontal);
    auto ticker = QSharedPointer<QCPAxisTickerFixed>::create();
    ticker->setTickStep(1);
    ticker->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    xAxis->setTicker(ticker);
    yAxis->setTicker(m_ticker);
    setReadout([this](double x, double) { return readout(x); });
    setValues([this] { return table(); });
    setToolTip(tr("Click a bar to choose its expert"));
    connect(this, &Plot::schemeChanged, this, &LoadPlot::color);
    connect(this, &Plot::picked, this, [this](double x, double) {
        const auto expert = static_cast<int>(std::lround(x));
        if (expert >= 0 && expert < static_cast<int>(m_data.values.size()))
            emit expertChosen(expert);
    });
    color(schemeOf(palette()));
}

void LoadPlot::setLoads(Data loads, double top)
{
    m_data = std::move(loads);
    m_ticker->setWhole(m_data.whole);
    const std::size_t experts = m_data.values.size();
    QVector<double> at, values, dead, deadHeight;
    double sum = 0;
    for (std::size_t expert = 0; expert < experts; ++expert) {
        at << static_cast<double>(expert);
        values << m_data.values[expert];
        sum += m_data.values[expert];
        if (m_data.dead[expert]) {
            dead << static_cast<double>(expert);
            deadHeight << top / 24;
        }
    }
    m_bars->setData(at, values, true);
    m_dead->setData(dead, deadHeight, true);
    m_other->setData(
        m_data.other.empty() ? QVector<double>() : at, QVector<double>(m_data.other.begin(), m_data.other.end()), true);
    const double mean = experts > 0 ? sum / static_cast<double>(experts) : 0;
    const double last = static_cast<double>(experts) - 0.5;
    m_mean->setData({-0.5, last}, {mean, mean}, true);
    const bool chosen = m_data.expert >= 0 && m_data.expert < static_cast<int>(experts);
    m_chosen->setData(chosen ? QVector<double>{double(m_data.expert)} : QVector<double>(),
        chosen ? QVector<double>{m_data.values[static_cast<std::size_t>(m_data.expert)]} : QVector<double>(), true);
    frameChosen();
    m_bars->setName(m_data.name);
    m_other->setName(m_data.otherName);
    showLegendRow(*this, !m_data.other.empty());
    setAxisTitles(tr("expert"), m_data.axis);
    setWhole({-0.5, std::max(0.5, last)}, {0, top * 1.02});
    redraw();
}

void LoadPlot::color(ColorScheme scheme)
{
    const ThemeColors& theme = themeColors(scheme);
    const QColor text = palette().color(QPalette::Text);
    m_bars->setPen(Qt::NoPen);
    m_bars->setBrush(QColor::fromRgb(mixed(palette().color(QPalette::Base).rgb(), theme.accent, barTint)));
    frameChosen();
    m_chosen->setBrush(QColor::fromRgb(theme.accent));
    m_mean->setPen(QPen(QColor::fromRgb(theme.mutedText), 1, Qt::DashLine));
    m_other->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(text, 1), QBrush(palette().color(QPalette::Base)), 6));
    m_dead->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCross, QPen(QColor::fromRgb(theme.warningText), 1.5), Qt::NoBrush, 6));
}

void LoadPlot::frameChosen()
{
    const bool wide = axisRect()->width() >= leastFramed * int(m_data.values.size());
    m_chosen->setPen(wide ? QPen(palette().color(QPalette::Text), 1.5) : QPen(Qt::NoPen));
}

void LoadPlot::fitAxes()
{
    Plot::fitAxes();
    frameChosen();
}

QString LoadPlot::readout(double x) const
{
    const auto expert = static_cast<int>(std::lround(x));
    if (expert < 0 || expert >= static_cast<int>(m_data.values.size()))
        return {};
    const auto at = static_cast<std::size_t>(expert);
    QString text = tr("expert %1: %2").arg(expert).arg(m_data.text(m_data.values[at]));
    if (!m_data.other.empty())
        text = tr("expert %1: %2 %3, %4 %5")
                   .arg(expert)
                   .arg(m_data.name, m_data.text(m_data.values[at]), m_data.otherName, m_data.text(m_data.other[at]));
    return m_data.dead[at] ? tr("%1, served no token").arg(text) : text;
}

ValueTable LoadPlot::table() const
{
    ValueTable table{{tr("expert"), m_data.name.isEmpty() ? m_data.axis : m_data.name}, {}};
    if (!m_data.other.empty())
        table.headers << m_data.otherName;
    for (std::size_t expert = 0; expert < m_data.values.size(); ++expert) {
        table.rows.push_back({static_cast<double>(expert), m_data.values[expert]});
        if (!m_data.other.empty())
            table.rows.back().push_back(m_data.other[expert]);
    }
    return table;
}

} // namespace colibri
