// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/latency/stepfolds.h"
#include "views/plot/plot.h"

#include <array>
#include <optional>

namespace colibri {

/// How often steps take how long, with the percentiles that their number supports and the target as lines, and the run
/// kept beside as an outline.
class HistogramPlot : public Plot {
    Q_OBJECT

public:
    explicit HistogramPlot(QWidget* parent = nullptr);

    /// `kept` may have no values. The target in milliseconds a token.
    void show(const Distribution& steps, const Distribution& kept, std::optional<double> targetMs);

    const Histogram& histogram() const { return m_histogram; }
    int percentileLines() const; ///< how many are drawn

protected:
    void fitAxes() override; ///< breaks texts that are wider than the axes, and keeps their height free

private:
    static constexpr std::size_t lineCount = std::size(shownPercentiles) + 1; ///< the last one is the target
    struct Line {
        QCPItemLine* line = nullptr;
        QCPItemText* text = nullptr;
    };
    void makeLegend();
    void makeLines();
    void showLine(std::size_t index, std::optional<double> ms, const QString& name);
    void showBeyond(const Distribution& steps, const Distribution& kept);
    void breakBeyond(); ///< where its texts are wider than the axes
    void arrange(); ///< texts, lines and the range in the size of the axes
    void fill(const Histogram& kept);
    void paintScheme(ColorScheme scheme);
    QString readoutAt(double ms) const;
    ValueTable valueTable() const;

    Histogram m_histogram;
    Histogram m_keptHistogram;
    QStringList m_beyondTexts;
    double m_top = 0; ///< percent of the highest bin
    QCPBars* m_bars;
    QCPGraph* m_outline;
    QCPItemText* m_beyond; ///< names the steps that are slower than the last bin, and percentiles there
    std::array<Line, lineCount> m_lines;
};

} // namespace colibri
