// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/histogramplot.h"

#include "stores/steps.h"
#include "views/latency/latencytext.h"
#include "views/plot/plotlegend.h"
#include "views/theme/theme.h"

#include <algorithm>
#include <cmath>

namespace colibri {
namespace {

constexpr double nameShare = 0.12; ///< of the height, from the name of one line to that of the next
constexpr double mostBeyondShare = 0.7; ///< of the height, that the texts at the edge may take
constexpr double labelShare = 0.2; ///< of the width: nearer to its end, the name of a line goes to the left

double edgeMs(const Histogram& histogram, std::size_t bin)
{
    return double(histogram.beginNs + bin * histogram.widthNs) * 1e-6;
}

QString percentileName(unsigned perMille)
{
    return QStringLiteral("P%1").arg(perMille / 10., 0, 'g', 4);
}

} // namespace

HistogramPlot::HistogramPlot(QWidget* parent)
    : Plot(tr("Distribution of the time"), parent)
    , m_bars(new QCPBars(xAxis, yAxis))
    , m_outline(addGraph())
    , m_beyond(new QCPItemText(this))
{
    setObjectName(QStringLiteral("histogram"));
    setToolTip(tr("Share of the steps by the time they took. Lines are percentiles; a percentile shows when there are "
                  "enough steps for it. The outline is the kept run."));
    setAxisTitles(tr("Time a token (ms)"), tr("Steps (%)"));
    m_bars->setAntialiased(false);
    m_bars->setSelectable(QCP::stNone);
    m_outline->setLineStyle(QCPGraph::lsStepLeft);
    m_outline->setAntialiased(false);
    m_outline->setSelectable(QCP::stNone);
    m_beyond->position->setType(QCPItemPosition::ptAxisRectRatio);
    m_beyond->position->setCoords(1, 0);
    m_beyond->setPositionAlignment(Qt::AlignRight | Qt::AlignTop);
    m_beyond->setTextAlignment(Qt::AlignRight | Qt::AlignTop);
    m_beyond->setPadding({grid::half, grid::half, grid::half, grid::half});
    makeLegend();
    makeLines();
    setReadout([this](double x, double) { return readoutAt(x); });
    setValues([this] { return valueTable(); });
    connect(this, &Plot::schemeChanged, this, &HistogramPlot::paintScheme);
    paintScheme(schemeOf(palette()));
}

void HistogramPlot::makeLegend()
{
    m_bars->setName(tr("this run"));
    m_outline->setName(tr("kept run"));
    m_outline->removeFromLegend();
    placeLegendAbove(*this);
}

void HistogramPlot::makeLines()
{
    for (std::size_t i = 0; i < lineCount; ++i) {
        Line& made = m_lines[i];
        made = {new QCPItemLine(this), new QCPItemText(this)};
        made.line->setLayer(QStringLiteral("overlay"));
        made.text->setLayer(QStringLiteral("overlay"));
        for (QCPItemPosition* const end : {made.line->start, made.line->end, made.text->position}) {
            end->setTypeX(QCPItemPosition::ptPlotCoords);
            end->setTypeY(QCPItemPosition::ptAxisRectRatio);
        }
        made.text->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
        made.text->setPadding({grid::half / 2, 0, grid::half / 2, 0});
        showLine(i, std::nullopt, {});
    }
}

void HistogramPlot::showLine(std::size_t index, std::optional<double> ms, const QString& name)
{
    const Line& line = m_lines[index];
    line.line->setVisible(ms.has_value());
    line.text->setVisible(ms.has_value());
    if (!ms)
        return;
    line.line->start->setCoords(*ms, 1);
    line.line->end->setCoords(*ms, line.line->end->coords().y());
    line.text->position->setCoords(*ms, line.text->position->coords().y());
    const double end = edgeMs(m_histogram, m_histogram.percent.size());
    const bool atTheEnd = *ms > end - labelShare * (end - edgeMs(m_histogram, 0));
    line.text->setPositionAlignment((atTheEnd ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignTop);
    line.text->setText(name);
}

int HistogramPlot::percentileLines() const
{
    return static_cast<int>(std::count_if(m_lines.begin(), m_lines.begin() + std::size(shownPercentiles),
        [](const Line& line) { return line.line->visible(); }));
}

void HistogramPlot::show(const Distribution& steps, const Distribution& kept, std::optional<double> targetMs)
{
    m_histogram = histogramOf(steps, &kept);
    m_keptHistogram = withBinsOf(m_histogram, kept);
    showBeyond(steps, kept);
    for (std::size_t i = 0; i < std::size(shownPercentiles); ++i) {
        const auto ns = steps.percentile(shownPercentiles[i]);
        showLine(i, ns ? std::optional(double(*ns) * 1e-6) : std::nullopt, percentileName(shownPercentiles[i]));
    }
    showLine(lineCount - 1, targetMs, tr("target"));
    fill(m_keptHistogram);
    arrange();
    redraw();
}

void HistogramPlot::showBeyond(const Distribution& steps, const Distribution& kept)
{
    m_beyondTexts.clear();
    for (const unsigned perMille : shownPercentiles) {
        if (const auto ns = steps.percentile(perMille); ns && *ns >= m_histogram.endNs())
            m_beyondTexts << tr("%1 %2 \u2192").arg(percentileName(perMille), milliseconds(double(*ns) * 1e-6));
    }
    if (m_histogram.beyond > 0)
        m_beyondTexts << tr("%n slower, up to %1 \u2192", nullptr, int(m_histogram.beyond))
                             .arg(milliseconds(double(steps.largest()) * 1e-6));
    if (m_keptHistogram.beyond > 0)
        m_beyondTexts << tr("kept run: %n slower, up to %1 \u2192", nullptr, int(m_keptHistogram.beyond))
                             .arg(milliseconds(double(kept.largest()) * 1e-6));
    m_beyond->setVisible(!m_beyondTexts.isEmpty());
}

void HistogramPlot::breakBeyond()
{
    const int room = axisRect()->width() - grid::unit;
    QStringList lines;
    for (const QString& text : m_beyondTexts) {
        const bool fits = QFontMetrics(font()).horizontalAdvance(text) <= room;
        lines << (fits ? QStringList{text} : text.split(QStringLiteral(", ")));
    }
    m_beyond->setText(lines.join(u'\n'));
}

void HistogramPlot::arrange()
{
    breakBeyond();
    const double row = QFontMetrics(font()).height();
    const double height = std::max(1, axisRect()->height());
    const auto rows = double(m_beyond->text().isEmpty() ? 0 : m_beyond->text().count(u'\n') + 1);
    const double beyond = rows > 0 ? std::min(mostBeyondShare, (rows * row + 2 * grid::half) / height) : 0;
    // Each name has a height of its own, so that lines that are close stay readable.
    const double first = std::max(0.1, beyond);
    const double step = std::min(std::max(nameShare, row / height), (1 - first) / lineCount);
    for (std::size_t i = 0; i < lineCount; ++i) {
        m_lines[i].line->end->setCoords(m_lines[i].line->end->coords().x(), beyond);
        m_lines[i].text->position->setCoords(m_lines[i].text->position->coords().x(), first + step * double(i));
    }
    const bool none = m_histogram.percent.empty();
    const double begin = none ? 0 : edgeMs(m_histogram, 0);
    const double end = none ? 1 : edgeMs(m_histogram, m_histogram.percent.size());
    setWhole({begin, end}, {0, std::min(100., stepUp(1.02 * m_top / (1 - beyond)))});
}

void HistogramPlot::fitAxes()
{
    Plot::fitAxes();
    arrange();
}

void HistogramPlot::fill(const Histogram& kept)
{
    const double width = double(m_histogram.widthNs) * 1e-6;
    QVector<double> middles;
    QVector<double> percent;
    QVector<double> edges;
    QVector<double> outline;
    m_top = 0;
    const bool hasKept = std::any_of(kept.percent.begin(), kept.percent.end(), [](double p) { return p > 0; });
    for (std::size_t bin = 0; bin < m_histogram.percent.size(); ++bin) {
        middles << edgeMs(m_histogram, bin) + width / 2;
        percent << m_histogram.percent[bin];
        edges << edgeMs(m_histogram, bin);
        outline << kept.percent[bin];
        m_top = std::max({m_top, percent.last(), outline.last()});
    }
    if (!edges.isEmpty()) {
        edges << edgeMs(m_histogram, m_histogram.percent.size());
        outline << 0;
    }
    m_bars->setWidth(width);
    m_bars->setData(middles, percent, true);
    m_outline->setData(edges, outline, true);
    m_outline->setVisible(hasKept);
    if (hasKept)
        m_outline->addToLegend();
    else
        m_outline->removeFromLegend();
}

void HistogramPlot::paintScheme(ColorScheme scheme)
{
    const ThemeColors& colors = themeColors(scheme);
    const QColor ground = palette().color(QPalette::Base);
    const QColor text = palette().color(QPalette::Text);
    m_bars->setPen(QPen(ground, 0));
    m_bars->setBrush(QColor::fromRgb(mixed(ground.rgb(), colors.accent, 0.6)));
    m_outline->setPen(QPen(text, 1));
    m_beyond->setColor(QColor::fromRgb(colors.mutedText));
    m_beyond->setFont(font());
    QColor paper = ground; // readable over bars and lines
    paper.setAlphaF(0.8F);
    m_beyond->setBrush(paper);
    legend->setBorderPen(Qt::NoPen);
    for (std::size_t i = 0; i < lineCount; ++i) {
        const bool target = i + 1 == lineCount;
        const QColor color = target ? QColor::fromRgb(colors.warningText) : text;
        m_lines[i].line->setPen(QPen(color, 1, target ? Qt::DashLine : Qt::DotLine));
        m_lines[i].text->setColor(color);
        m_lines[i].text->setFont(font());
        m_lines[i].text->setBrush(paper);
    }
    redraw();
}

QString HistogramPlot::readoutAt(double ms) const
{
    const double bin = std::floor((ms * 1e6 - double(m_histogram.beginNs)) / double(m_histogram.widthNs));
    if (bin < 0 || bin >= double(m_histogram.percent.size()))
        return {};
    const auto index = static_cast<std::size_t>(bin);
    const QString range = tr("%1 to %2 ms: %3 %")
                              .arg(edgeMs(m_histogram, index), 0, 'g', 6)
                              .arg(edgeMs(m_histogram, index + 1), 0, 'g', 6)
                              .arg(threeDigits(m_histogram.percent[index]));
    if (!m_outline->visible())
        return range;
    return range + u'\n' + tr("kept run: %1 %").arg(threeDigits(m_keptHistogram.percent[index]));
}

ValueTable HistogramPlot::valueTable() const
{
    ValueTable table{{tr("From (ms)"), tr("To (ms)"), tr("Steps (%)"), tr("Kept run (%)")}, {}};
    for (std::size_t bin = 0; bin < m_histogram.percent.size(); ++bin)
        table.rows.push_back({edgeMs(m_histogram, bin), edgeMs(m_histogram, bin + 1), m_histogram.percent[bin],
            m_outline->visible() ? m_keptHistogram.percent[bin] : std::nan("")});
    return table;
}

} // namespace colibri
