// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/layerfiguresmodel.h"
#include "stores/routingstore.h"
#include "stores/selectionstore.h"
#include "views/routing/routingbar.h"

#include <QByteArray>
#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <optional>

class QSortFilterProxyModel;
class QSplitter;
class QStackedWidget;

namespace colibri {

class ExpertPanel;
class HeatMap;
class LayerPanel;
class TableView;

/// Which experts a run uses: of all layers as a map with figures, of one layer in detail, and what one expert served;
/// or as differences to a kept run, or between answer and prompt. Counts only while it is shown, and shows what is new
/// at most ten times a second.
class RoutingPage : public QWidget {
    Q_OBJECT

public:
    static constexpr int refreshMs = 100;

    /// The stores outlive the page. `kept` is the run to compare with; without a record: none.
    RoutingPage(const RunStore& run, const RunStore& kept, SelectionStore& selection, QWidget* parent = nullptr);

    RoutingStore& routing() { return m_routing; }
    RoutingStore& keptRouting() { return m_keptRouting; }
    RoutingBar& bar() { return *m_bar; }
    HeatMap& map() { return *m_map; }
    TableView& figures() { return *m_figures; }
    LayerPanel& layerPanel() { return *m_layerPanel; }
    ExpertPanel& expertPanel() { return *m_expertPanel; }
    bool isRefreshing() const { return m_refresh.isActive(); } ///< something new will be shown soon

    QByteArray saveLayout() const; ///< sizes of the parts
    bool restoreLayout(const QByteArray& layout);

signals:
    void runPageRequested(); ///< there is nothing to show yet

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    /// What is subtracted from what is shown.
    struct Compared {
        std::optional<RoutingSum> counts; ///< empty: nothing is compared, or `obstacle` says why it cannot be
        QString name; ///< of what is shown
        QString otherName;
        QString obstacle;
    };
    QWidget* makeEmpty();
    QWidget* makeLeft();
    void setUpFigures();
    /// Puts the figures below the map, or, where the rows of both have no room there, beside it, as wide as their
    /// columns, if that leaves the map enough.
    /// Sizes that the user has chosen stay, but for the width of columns that come and go.
    void arrangeLayers();
    int figuresWidth() const; ///< with all columns that are shown
    void connectParts();
    void restart();
    void applyChoice();
    void followSelection();
    void choose(int layer, int expert);
    void refreshSoon();
    void refresh();
    void showMap(const RoutingSum& counts, const Compared& compared);
    void showFigures(const RoutingSum& counts, const Compared& compared);
    void markLayer();
    void showNote();
    Compared compared() const;

    const RunStore& m_run;
    SelectionStore& m_selection;
    RoutingStore m_routing;
    RoutingStore m_keptRouting;
    LayerFiguresModel m_figuresModel;
    bool m_shown = false;
    int m_layer = 0;
    int m_expert = -1;
    double m_mapTop = 0;
    int m_arrangedFor = 0; ///< width of the figures' columns when they were arranged
    bool m_sized = false; ///< map and figures, by the user
    QTimer m_refresh;
    QElapsedTimer m_sinceRefresh;
    RoutingBar* m_bar;
    HeatMap* m_map;
    QSortFilterProxyModel* m_sorted;
    TableView* m_figures;
    LayerPanel* m_layerPanel;
    ExpertPanel* m_expertPanel;
    QSplitter* m_layers; ///< map, figures
    QSplitter* m_left; ///< the layers, the expert
    QSplitter* m_parts; ///< left, layer
    QStackedWidget* m_pages;
};

} // namespace colibri
