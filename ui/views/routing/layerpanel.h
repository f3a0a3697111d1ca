// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/routingcounts.h"
#include "views/routing/routingmaps.h"

#include <QWidget>

#include <optional>

class QCheckBox;
class QLabel;
class QSpinBox;
class QSplitter;

namespace colibri {

class HeatMap;
class LoadPlot;
class MarginPlot;

/// One layer: its experts as bars, which of them are chosen together, and its margins.
class LayerPanel : public QWidget {
    Q_OBJECT

public:
    /// What is shown; the counts have to live during setView() only.
    struct View {
        RoutingSum counts;
        std::optional<RoutingSum> other; ///< compared with; of the same shape
        RoutingMeasure measure = RoutingMeasure::Load;
        int layer = 0;
        int expert = -1;
        QString name; ///< of counts and of other, while they are compared
        QString otherName;
        bool grows = false; ///< a run goes on
    };

    explicit LayerPanel(QWidget* parent = nullptr);

    void setView(const View& view);
    void setMarginUnit(const QString& unit); ///< "logits" or "score", see RunRecord::margin
    void forgetRanges(); ///< something else is shown from now on: axes and scales start anew

    LoadPlot& loads() { return *m_loads; }
    HeatMap& together() { return *m_together; }
    MarginPlot& margins() { return *m_margins; }
    QSplitter& parts() { return *m_parts; }

signals:
    void layerChosen(int layer);
    void expertChosen(int expert);

private:
    QWidget* makeHeader();
    QWidget* makeMargins();
    void showLoads(const View& view);
    void showTogether(const View& view);
    void showMargins(const View& view);

    QSpinBox* m_layer;
    LoadPlot* m_loads;
    HeatMap* m_together;
    MarginPlot* m_margins;
    QCheckBox* m_logarithmic;
    QLabel* m_summary;
    QSplitter* m_parts;
    double m_loadTop = 0;
    double m_togetherTop = 0;
    int m_shownLayer = -1;
};

} // namespace colibri
