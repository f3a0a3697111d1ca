// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/routing/routingpage.h"

#include "stores/routingfigures.h"
#include "views/heatmap/heatmap.h"
#include "views/routing/expertpanel.h"
#include "views/routing/layerpanel.h"
#include "views/routing/numbertable.h"
#include "views/table/tableview.h"
#include "views/theme/emptystate.h"
#include "views/theme/scrolled.h"
#include "views/theme/theme.h"

#include <QDataStream>
#include <QHeaderView>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace colibri {
namespace {

enum Page { EmptyPage, PartsPage };
constexpr int leastMapWidth = 30 * grid::unit; ///< beside the figures; where there is less, they are below
constexpr int leastMapRow = 3 * grid::unit; ///< above the figures, for a layer
constexpr int mapFrame = 10 * grid::unit; ///< header and legend of the map

} // namespace

RoutingPage::RoutingPage(const RunStore& run, const RunStore& kept, SelectionStore& selection, QWidget* parent)
    : QWidget(parent)
    , m_run(run)
    , m_selection(selection)
    , m_routing(run)
    , m_keptRouting(kept)
    , m_bar(new RoutingBar(this))
    , m_map(new HeatMap(tr("Experts by layer"), this))
    , m_sorted(new QSortFilterProxyModel(this))
    , m_figures(new TableView(tr("Figures of each layer"), this))
    , m_layerPanel(new LayerPanel(this))
    , m_expertPanel(new ExpertPanel(m_routing, this))
    , m_layers(new QSplitter(Qt::Horizontal, this))
    , m_left(new QSplitter(Qt::Vertical, this))
    , m_parts(new QSplitter(Qt::Horizontal, this))
    , m_pages(new QStackedWidget(this))
{
    setUpFigures();
    m_parts->addWidget(makeLeft());
    m_parts->addWidget(m_layerPanel);
    m_parts->setStretchFactor(0, 2);
    m_parts->setStretchFactor(1, 1);
    m_parts->setChildrenCollapsible(false);
    m_parts->setSizes({84 * grid::unit, 42 * grid::unit});
    m_pages->addWidget(makeEmpty());
    m_pages->addWidget(scrolled(m_parts));
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(m_pages, 1);
    m_refresh.setSingleShot(true);
    connectParts();
    restart();
}

QWidget* RoutingPage::makeEmpty()
{
    auto* const page = new EmptyState(tr("Run a model, and it will be seen here which experts serve its tokens, how "
                                         "evenly, and which of them together, layer by layer."),
        tr("Go to the R&un page"), tr("Runs begin there"), m_pages);
    page->button()->setObjectName(QStringLiteral("goToRun"));
    connect(page->button(), &QPushButton::clicked, this, &RoutingPage::runPageRequested);
    return page;
}

QWidget* RoutingPage::makeLeft()
{
    m_layers->addWidget(m_map);
    m_layers->addWidget(m_figures);
    m_layers->setStretchFactor(0, 1); // the figures need no more than their columns
    m_layers->setChildrenCollapsible(false);
    m_layers->installEventFilter(this);
    connect(m_layers, &QSplitter::splitterMoved, this, [this] { m_sized = true; });
    m_left->addWidget(m_layers);
    m_left->addWidget(m_expertPanel);
    m_left->setStretchFactor(0, 1);
    m_left->setChildrenCollapsible(false);
    m_left->setSizes({52 * grid::unit, 26 * grid::unit});
    return m_left;
}

void RoutingPage::setUpFigures()
{
    m_sorted->setSourceModel(&m_figuresModel);
    m_sorted->setSortRole(LayerFiguresModel::SortRole);
    m_sorted->setDynamicSortFilter(false); // rows keep their places while numbers change
    m_figures->setModel(m_sorted);
    m_figures->setSelectionMode(QAbstractItemView::SingleSelection);
    m_figures->makeSortable();
    setNumberColumns(*m_figures, {"000", "0.000", "0.000", "0.000", "000.00", "0000", "0.000", "00.000"});
    m_figures->setToolTip(tr("Click a header to sort, a row to choose its layer"));
    m_figures->setColumnHidden(LayerFiguresModel::Distance, true);
}

bool RoutingPage::eventFilter(QObject* object, QEvent* event)
{
    const bool sized = event->type() == QEvent::Resize || event->type() == QEvent::Show;
    if (object == m_layers && sized && m_layers->isVisible())
        arrangeLayers();
    return QWidget::eventFilter(object, event);
}

int RoutingPage::figuresWidth() const
{
    return m_figures->horizontalHeader()->length() + 2 * m_figures->frameWidth()
        + style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, m_figures);
}

void RoutingPage::arrangeLayers()
{
    if (m_figuresModel.rowCount() == 0)
        return;
    const int columns = figuresWidth();
    const int rows = m_figures->horizontalHeader()->sizeHint().height() + 2 * m_figures->frameWidth()
        + m_figures->verticalHeader()->length();
    const int both = mapFrame + m_figuresModel.rowCount() * leastMapRow + m_layers->handleWidth() + rows;
    const bool beside = m_layers->height() < both && m_layers->width() >= columns + leastMapWidth;
    const Qt::Orientation orientation = beside ? Qt::Horizontal : Qt::Vertical;
    const bool turned = m_layers->orientation() != orientation;
    const int more = columns - std::exchange(m_arrangedFor, columns);
    if (!turned && m_sized) { // by the user
        const QList<int> sizes = m_layers->sizes();
        if (beside && more != 0)
            m_layers->setSizes({sizes[0] - more, sizes[1] + more});
        return;
    }
    m_sized = false;
    m_layers->setOrientation(orientation);
    const int whole = (beside ? m_layers->width() : m_layers->height()) - m_layers->handleWidth();
    const int figures = beside ? columns : std::min(rows, whole * 2 / 5);
    m_layers->setSizes({whole - figures, figures});
}

void RoutingPage::connectParts()
{
    connect(&m_refresh, &QTimer::timeout, this, &RoutingPage::refresh);
    connect(&m_routing, &RoutingStore::reset, this, &RoutingPage::restart);
    connect(&m_keptRouting, &RoutingStore::reset, this, &RoutingPage::applyChoice);
    for (const RoutingStore* const routing : {&m_routing, &m_keptRouting})
        connect(routing, &RoutingStore::changed, this, &RoutingPage::refreshSoon);
    connect(m_bar, &RoutingBar::choiceChanged, this, &RoutingPage::applyChoice);
    connect(&m_selection, &SelectionStore::changed, this, &RoutingPage::followSelection);
    connect(m_map, &HeatMap::chosen, this, &RoutingPage::choose);
    connect(m_layerPanel, &LayerPanel::layerChosen, this, [this](int layer) { choose(layer, m_expert); });
    connect(m_layerPanel, &LayerPanel::expertChosen, this, [this](int expert) { choose(m_layer, expert); });
    connect(
        m_figures->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
            const QModelIndex row = m_sorted->mapToSource(current);
            if (row.isValid() && row.row() != m_layer)
                choose(row.row(), m_expert);
        });
    connect(m_expertPanel, &ExpertPanel::tokenChosen, this, [this](int position, int rank) {
        m_selection.select({position, m_layer, rank, m_expert, -1});
    });
}

void RoutingPage::restart()
{
    m_expertPanel->clear();
    const ModelFactsPtr& model = m_run.model();
    m_layerPanel->setMarginUnit(!model || selectsByLogits(model->config.routing) ? tr("logits") : tr("score"));
    m_layer = std::clamp(m_layer, 0, std::max(0, m_routing.layers() - 1));
    m_expert = m_expert < m_routing.experts() ? m_expert : -1;
    applyChoice();
}

void RoutingPage::applyChoice()
{
    m_mapTop = 0;
    m_layerPanel->forgetRanges();
    m_keptRouting.setActive(m_shown && m_bar->choice().comparison == Comparison::KeptRun);
    followSelection();
}

void RoutingPage::followSelection()
{
    const Selection& at = m_selection.selection();
    if (at.layer >= 0 && at.layer < m_routing.layers())
        m_layer = at.layer;
    if (at.expert >= 0 && at.expert < m_routing.experts())
        m_expert = at.expert;
    m_routing.setProfile(m_layer, m_expert, m_bar->choice().shownStretch());
    if (m_shown)
        refresh();
}

void RoutingPage::choose(int layer, int expert)
{
    m_selection.select({-1, layer, -1, expert, -1});
}

void RoutingPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_shown = true;
    m_routing.setActive(true);
    applyChoice();
}

void RoutingPage::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_shown = false;
    m_refresh.stop();
    m_routing.setActive(false);
    m_keptRouting.setActive(false);
}

void RoutingPage::refreshSoon()
{
    if (!m_shown || m_refresh.isActive())
        return;
    const int since =
        m_sinceRefresh.isValid() ? static_cast<int>(std::min<qint64>(m_sinceRefresh.elapsed(), refreshMs)) : refreshMs;
    m_refresh.start(refreshMs - since);
}

RoutingPage::Compared RoutingPage::compared() const
{
    const RoutingChoice choice = m_bar->choice();
    Compared compared;
    if (choice.comparison == Comparison::Off)
        return compared;
    if (choice.comparison == Comparison::PromptAndAnswer) {
        compared.name = tr("answer");
        compared.otherName = tr("prompt");
        compared.counts = m_routing.counts(Stretch::Prompt);
        return compared;
    }
    compared.name = tr("this run");
    compared.otherName = tr("kept run");
    if (!m_keptRouting.run().record())
        compared.obstacle = tr("No run is kept to compare with. Keep one, run another, and the map shows where their "
                               "shares differ.");
    else if (m_keptRouting.layers() != m_routing.layers() || m_keptRouting.experts() != m_routing.experts())
        compared.obstacle =
            tr("The kept run has %1 layers of %2 experts, this one %3 layers of %4: they cannot be compared.")
                .arg(m_keptRouting.layers())
                .arg(m_keptRouting.experts())
                .arg(m_routing.layers())
                .arg(m_routing.experts());
    else
        compared.counts = m_keptRouting.counts(choice.stretch);
    return compared;
}

void RoutingPage::refresh()
{
    m_sinceRefresh.start();
    m_refresh.stop();
    showNote();
    const bool empty = m_routing.layers() == 0 || m_routing.run().tokens() == 0;
    m_pages->setCurrentIndex(empty ? EmptyPage : PartsPage);
    if (empty)
        return;
    const RoutingChoice choice = m_bar->choice();
    const RoutingSum counts = m_routing.counts(choice.shownStretch());
    const Compared other = compared();
    showMap(counts, other);
    showFigures(counts, other);
    markLayer();
    const bool named = other.counts.has_value();
    m_layerPanel->setView({counts, other.counts, choice.measure, m_layer, m_expert, named ? other.name : QString(),
        named ? other.otherName : QString(), m_run.busy()});
    m_expertPanel->catchUp();
}

void RoutingPage::showMap(const RoutingSum& counts, const Compared& compared)
{
    const RoutingMeasure measure = m_bar->choice().measure;
    const bool difference = compared.counts.has_value();
    const bool percent = difference || measure == RoutingMeasure::Weight;
    HeatMatrix map;
    if (difference)
        map = differenceMap(counts, *compared.counts, measure);
    else if (compared.obstacle.isEmpty())
        map = measureMap(counts, measure);
    const double least = difference ? leastDifferenceTop(m_routing.experts()) : 0;
    m_mapTop = steadyTop(m_mapTop, std::max(least, largestMagnitude(map)), m_run.busy());
    const double top = m_mapTop;
    m_map->view().setEmptyText(compared.obstacle);
    m_map->view().setNumberText([percent, difference, top](double value) {
        return percent ? percentText(value, top, difference) : countText(value);
    });
    const QString unit = measureUnit(measure, percent);
    HeatView& cells = m_map->view();
    cells.setDescription([&cells, unit, difference](int row, int column) {
        const QString text = tr("layer %1, expert %2: %3 %4")
                                 .arg(row)
                                 .arg(column)
                                 .arg(cells.numberText(cells.matrix().at(row, column)), unit);
        if (!cells.matrix().marked(row, column))
            return text;
        return difference ? tr("%1, no load in one of them").arg(text) : tr("%1, dead").arg(text);
    });
    m_map->legend().setUnit(unit);
    m_map->legend().setMarkMeaning(difference ? tr("no load in one") : tr("dead"));
    m_map->setValues(std::move(map), {difference ? HeatScale::Kind::Diverging : HeatScale::Kind::Amount, top});
    m_map->setCurrent(m_layer, m_expert);
}

void RoutingPage::showFigures(const RoutingSum& counts, const Compared& compared)
{
    std::vector<LayerFiguresModel::Row> rows;
    for (int layer = 0; layer < counts.layers(); ++layer) {
        const std::vector<double> loads = counts.loads(layer);
        const double apart =
            compared.counts ? distance(shares(loads), shares(compared.counts->loads(layer))) : std::nan("");
        rows.push_back({layerFigures(loads), apart});
    }
    const bool hasColumn = !m_figures->isColumnHidden(LayerFiguresModel::Distance);
    const bool grows = m_figuresModel.rowCount() != int(rows.size());
    m_figuresModel.setRows(std::move(rows));
    m_figures->setColumnHidden(LayerFiguresModel::Distance, !compared.counts.has_value());
    if (grows || hasColumn != compared.counts.has_value())
        arrangeLayers();
}

void RoutingPage::markLayer()
{
    const QModelIndex row = m_sorted->mapFromSource(m_figuresModel.index(m_layer, LayerFiguresModel::Layer));
    if (!row.isValid() || m_figures->currentIndex().row() == row.row())
        return;
    m_figures->selectionModel()->setCurrentIndex(row, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void RoutingPage::showNote()
{
    const int routed = m_routing.run().routed();
    const int keptRouted = m_keptRouting.isActive() ? m_keptRouting.run().routed() : 0;
    const int counted = m_routing.counted() + (m_keptRouting.isActive() ? m_keptRouting.counted() : 0);
    const int prompt = std::min(m_run.promptTokens(), routed);
    QString note = m_run.tokens() > routed ? tr("%1 of %2 tokens").arg(countText(routed), countText(m_run.tokens()))
                                           : tr("%1 tokens").arg(countText(routed));
    if (counted < routed + keptRouted)
        note = tr("counting: %1 of %2").arg(countText(counted), countText(routed + keptRouted));
    else if (keptRouted > 0)
        note = tr("%1 tokens, kept run %2").arg(countText(routed), countText(keptRouted));
    else if (m_bar->choice().comparison == Comparison::PromptAndAnswer)
        note = tr("%1 tokens, prompt %2").arg(countText(routed - prompt), countText(prompt));
    m_bar->setNote(note);
}

QByteArray RoutingPage::saveLayout() const
{
    QByteArray layout;
    QDataStream stream(&layout, QIODevice::WriteOnly);
    for (const QSplitter* const splitter : {m_parts, m_left, m_layers, &m_layerPanel->parts(), &m_expertPanel->parts()})
        stream << splitter->saveState();
    stream << m_sized;
    return layout;
}

bool RoutingPage::restoreLayout(const QByteArray& layout)
{
    const std::array splitters{m_parts, m_left, m_layers, &m_layerPanel->parts(), &m_expertPanel->parts()};
    QDataStream stream(layout);
    std::array<QByteArray, splitters.size()> states;
    for (QByteArray& state : states)
        stream >> state;
    bool sized = false;
    stream >> sized;
    if (stream.status() != QDataStream::Ok)
        return false;
    m_arrangedFor = figuresWidth();
    m_sized = sized;
    bool restored = true;
    for (std::size_t at = 0; at < splitters.size(); ++at)
        restored = splitters[at]->restoreState(states[at]) && restored;
    return restored;
}

} // namespace colibri
