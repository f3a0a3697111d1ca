// SPDX-License-Identifier: GPL-3.0-or-later
// The Routing page with real clicks and keys; what it shows against counts made here by plain scans of the record.
#include "ui/support/testrun.h"
#include "views/heatmap/heatmap.h"
#include "views/routing/expertpanel.h"
#include "views/routing/layerpanel.h"
#include "views/routing/loadplot.h"
#include "views/routing/marginplot.h"
#include "views/routing/routingpage.h"
#include "views/table/tableview.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QSplitter>
#include <QTest>

#include <cmath>

using namespace colibri;
using namespace colibri::test;

namespace {

enum Choice { TokensChoice, ShowChoice, CompareChoice };

struct Shown {
    RunStore store;
    RunStore kept;
    SelectionStore selection;
    RoutingPage page{store, kept, selection};

    explicit Shown(QSize size = {1200, 800})
    {
        page.resize(size);
        page.show();
        QCoreApplication::processEvents();
    }
    HeatView& map() { return page.map().view(); }
    bool settled()
    {
        return QTest::qWaitFor([this] {
            return !page.routing().isBehind() && (!page.keptRouting().isActive() || !page.keptRouting().isBehind())
                && !page.isRefreshing();
        });
    }
    /// Chooses by keys, as a user without a mouse does.
    void choose(Choice which, int index)
    {
        QComboBox* const box = page.bar().findChildren<QComboBox*>()[which];
        box->setFocus();
        QTest::keyClick(box, Qt::Key_Home);
        for (int step = 0; step < index; ++step)
            QTest::keyClick(box, Qt::Key_Down);
    }
    void clickCell(int layer, int expert)
    {
        QTest::mouseClick(map().viewport(), Qt::LeftButton, {}, map().geometry().cellRect(layer, expert).center());
    }
};

/// Decisions of a layer for an expert: their number, and the sum of its weights.
struct Tally {
    double load = 0, weight = 0, zeroed = 0;
};
Tally tally(const RunRecord& record, int layer, int expert, int from, int to)
{
    Tally sum;
    for (int position = from; position < to; ++position) {
        const auto at = std::uint32_t(position);
        const auto chosen = record.experts(at, std::uint32_t(layer));
        for (std::size_t rank = 0; rank < chosen.size(); ++rank) {
            if (chosen[rank] != expert)
                continue;
            ++sum.load;
            sum.weight += double(record.weights(at, std::uint32_t(layer))[rank]);
            sum.zeroed += record.zeroed(at, std::uint32_t(layer)) >> rank & 1u;
        }
    }
    return sum;
}

double weightOfLayer(const RunRecord& record, int layer, int from, int to)
{
    double sum = 0;
    for (int position = from; position < to; ++position) {
        for (const float weight : record.weights(std::uint32_t(position), std::uint32_t(layer)))
            sum += double(weight);
    }
    return sum;
}

bool same(double a, double b)
{
    return std::abs(a - b) < 1e-12;
}

constexpr int layers = 6;
constexpr int experts = 16;
constexpr double k = 2;

} // namespace

class TestPage : public QObject {
    Q_OBJECT

private slots:
    void measuresAndStretches()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.fillWithStory();
        const RunRecord& record = run.record();
        const int prompt = shown.store.promptTokens();
        const int routed = shown.store.routed();
        const std::pair<int, int> stretches[]{{0, routed}, {0, prompt}, {prompt, routed}};
        for (int stretch = 0; stretch < 3; ++stretch) {
            const auto [from, to] = stretches[stretch];
            shown.choose(TokensChoice, stretch);
            for (int measure = 0; measure < 3; ++measure) {
                shown.choose(ShowChoice, measure);
                QVERIFY(shown.settled());
                const HeatMatrix& matrix = shown.map().matrix();
                QCOMPARE(QSize(matrix.columns, matrix.rows), QSize(experts, layers));
                for (int layer = 0; layer < layers; ++layer) {
                    for (int expert = 0; expert < experts; ++expert) {
                        const Tally is = tally(record, layer, expert, from, to);
                        const double share = is.weight / weightOfLayer(record, layer, from, to);
                        QVERIFY(same(matrix.at(layer, expert),
                            measure == 0       ? is.load
                                : measure == 1 ? share
                                               : is.zeroed));
                        QCOMPARE(matrix.marked(layer, expert), is.load == 0);
                    }
                }
            }
        }
    }

    void differencesToTheKeptRun()
    {
        Shown shown;
        TestRun first({}, shown.store);
        first.fillWithStory();
        const RunRecord& before = first.record();
        const int beforeRouted = shown.store.routed();
        shown.kept.keep(shown.store);
        TestRun second({}, shown.store);
        second.setPrompt(second.ids("int flight(int x) { return x + 1; }"));
        second.show();
        const RunRecord& now = second.record();
        const int routed = shown.store.routed();
        QVERIFY(routed > 0 && routed != beforeRouted);
        shown.choose(CompareChoice, 1);
        for (int measure = 0; measure < 3; ++measure) {
            shown.choose(ShowChoice, measure);
            QVERIFY(shown.settled());
            const HeatMatrix& matrix = shown.map().matrix();
            QCOMPARE(shown.map().scale().kind, HeatScale::Kind::Diverging);
            QVERIFY(largestMagnitude(matrix) <= shown.map().scale().top);
            for (int layer = 0; layer < layers; ++layer) {
                for (int expert = 0; expert < experts; ++expert) {
                    const Tally one = tally(now, layer, expert, 0, routed);
                    const Tally other = tally(before, layer, expert, 0, beforeRouted);
                    const double difference = measure == 0 ? one.load / (k * routed) - other.load / (k * beforeRouted)
                        : measure == 1                     ? one.weight / weightOfLayer(now, layer, 0, routed)
                            - other.weight / weightOfLayer(before, layer, 0, beforeRouted)
                                       : one.zeroed / (k * routed) - other.zeroed / (k * beforeRouted);
                    QVERIFY(same(matrix.at(layer, expert), difference));
                    QCOMPARE(matrix.marked(layer, expert), one.load == 0 || other.load == 0);
                }
            }
        }
        QVERIFY(!shown.page.figures().isColumnHidden(LayerFiguresModel::Distance));
        const QVariant distance =
            shown.page.figures().model()->index(3, LayerFiguresModel::Distance).data(Qt::EditRole);
        double sum = 0;
        for (int expert = 0; expert < experts; ++expert)
            sum += std::abs(tally(now, 3, expert, 0, routed).load / (k * routed)
                - tally(before, 3, expert, 0, beforeRouted).load / (k * beforeRouted));
        QVERIFY(same(distance.toDouble(), sum / 2));
    }

    void answerMinusPrompt()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.fillWithStory();
        const int prompt = shown.store.promptTokens();
        const int routed = shown.store.routed();
        shown.choose(CompareChoice, 2);
        QVERIFY(shown.settled());
        QVERIFY(!shown.page.bar().findChildren<QComboBox*>()[TokensChoice]->isEnabled());
        for (int expert = 0; expert < experts; ++expert) {
            const double answer = tally(run.record(), 4, expert, prompt, routed).load / (k * (routed - prompt));
            const double before = tally(run.record(), 4, expert, 0, prompt).load / (k * prompt);
            QVERIFY(same(shown.map().matrix().at(4, expert), answer - before));
        }
    }

    void whatCannotBeCompared()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.fillWithStory();
        shown.choose(CompareChoice, 1);
        QVERIFY(shown.settled());
        QVERIFY(shown.map().matrix().isEmpty());
        RunStore other;
        TestRun small({.positions = 100, .layers = 4, .experts = 8, .k = 2}, other);
        small.setPrompt(small.ids("The hummingbird"));
        small.show();
        shown.kept.keep(other);
        QVERIFY(shown.settled());
        QVERIFY(shown.map().matrix().isEmpty());
        QVERIFY(shown.page.figures().isColumnHidden(LayerFiguresModel::Distance));
        QCOMPARE(shown.page.figures().model()->rowCount(), layers); // the run itself is still shown
        shown.choose(CompareChoice, 0);
        QVERIFY(!shown.map().matrix().isEmpty());
    }

    void choosingACell()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.fillWithStory();
        QVERIFY(shown.settled());
        shown.clickCell(2, 5);
        QCOMPARE(shown.selection.selection(), (Selection{-1, 2, -1, 5, -1}));
        QVERIFY(shown.settled());
        QTableView& tokens = shown.page.expertPanel().tokens();
        std::vector<int> served;
        for (int position = 0; position < shown.store.routed(); ++position) {
            if (tally(run.record(), 2, 5, position, position + 1).load > 0)
                served.push_back(position);
        }
        QVERIFY(served.size() > 3);
        QCOMPARE(tokens.model()->rowCount(), int(served.size()));
        for (int row = 0; row < tokens.model()->rowCount(); ++row)
            QCOMPARE(tokens.model()->index(row, ServedTokensModel::Position).data().toInt(), served[std::size_t(row)]);
        const QModelIndex second = tokens.model()->index(1, ServedTokensModel::Position);
        tokens.scrollToTop();
        QTest::mouseClick(tokens.viewport(), Qt::LeftButton, {}, tokens.visualRect(second).center());
        QCOMPARE(shown.selection.selection().token, served[1]);
        QCOMPARE(shown.selection.selection().layer, 2);
        QCOMPARE(shown.selection.selection().expert, 5);
        const int rank = shown.selection.selection().rank;
        QCOMPARE(int(run.record().experts(std::uint32_t(served[1]), 2)[std::size_t(rank)]), 5);
        QTest::keyClick(&shown.map(), Qt::Key_Right);
        QCOMPARE(shown.selection.selection(), (Selection{-1, 2, -1, 6, -1}));
    }

    void servedTokensSort()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.fillWithStory();
        shown.selection.select({-1, 2, -1, 5});
        QVERIFY(shown.settled());
        TableView& tokens = shown.page.expertPanel().tokens();
        const auto column = [&](int which) {
            std::vector<double> values;
            for (int row = 0; row < tokens.model()->rowCount(); ++row)
                values.push_back(tokens.model()->index(row, which).data(ServedTokensModel::SortRole).toDouble());
            return values;
        };
        const std::vector<double> positions = column(ServedTokensModel::Position);
        QVERIFY(positions.size() > 3 && std::ranges::is_sorted(positions));
        QHeaderView& header = *tokens.horizontalHeader();
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {},
            {header.sectionViewportPosition(ServedTokensModel::Margin) + 8, header.height() / 2});
        QVERIFY(std::ranges::is_sorted(column(ServedTokensModel::Margin)));
        QVERIFY(!std::ranges::is_sorted(column(ServedTokensModel::Position)));
        // A chosen row is the token that it shows, and new ones come to lie in order.
        const QModelIndex least = tokens.model()->index(0, ServedTokensModel::Margin);
        QTest::mouseClick(tokens.viewport(), Qt::LeftButton, {}, tokens.visualRect(least).center());
        QCOMPARE(shown.selection.selection().token, least.siblingAtColumn(ServedTokensModel::Position).data().toInt());
        for (int token = 0; token < 100; ++token)
            run.append(260);
        run.show();
        QVERIFY(shown.settled());
        QVERIFY(tokens.model()->rowCount() > int(positions.size()));
        QVERIFY(std::ranges::is_sorted(column(ServedTokensModel::Margin)));
        // By keys: falling by the current column, then as they came.
        tokens.setCurrentIndex(tokens.model()->index(0, ServedTokensModel::Margin));
        QTest::keyClick(&tokens, Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(std::ranges::is_sorted(column(ServedTokensModel::Margin), std::greater<>()));
        QTest::keyClick(&tokens, Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(std::ranges::is_sorted(column(ServedTokensModel::Position)));
    }

    void followingTheSelection()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.fillWithStory();
        shown.selection.select({-1, 4, -1, 7});
        QVERIFY(shown.settled());
        QCOMPARE(QPoint(shown.map().currentRow(), shown.map().currentColumn()), QPoint(4, 7));
        QCOMPARE(shown.page.layerPanel().findChild<QSpinBox*>()->value(), 4);
        QCOMPARE(shown.page.figures().currentIndex().row(), 4);
        QCOMPARE(shown.page.routing().profile().expert(), 7);
        shown.selection.select({10, 1, 0, -1}); // a token elsewhere: its layer, the expert stays
        QCOMPARE(QPoint(shown.map().currentRow(), shown.map().currentColumn()), QPoint(1, 7));
        shown.selection.select({-1, -1, -1, -1, 3}); // a tensor: not of this page
        QCOMPARE(shown.map().currentRow(), 1);
        shown.page.layerPanel().findChild<QSpinBox*>()->setValue(5);
        QCOMPARE(shown.selection.selection(), (Selection{-1, 5, -1, 7, -1}));
    }

    void figuresSortCopyAndChoose()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.fillWithStory();
        QVERIFY(shown.settled());
        QTableView& table = shown.page.figures();
        QHeaderView& header = *table.horizontalHeader();
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {},
            {header.sectionViewportPosition(LayerFiguresModel::Gini) + 8, header.height() / 2});
        double before = -1;
        for (int row = 0; row < layers; ++row) {
            const double gini = table.model()->index(row, LayerFiguresModel::Gini).data(Qt::EditRole).toDouble();
            if (header.sortIndicatorOrder() == Qt::AscendingOrder)
                QVERIFY(gini >= before);
            else if (row > 0)
                QVERIFY(gini <= before);
            before = gini;
        }
        const int layer = table.model()->index(3, LayerFiguresModel::Layer).data().toInt();
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(table.model()->index(3, 0)).center());
        QCOMPARE(shown.selection.selection().layer, layer);
        QTest::keySequence(&table, QKeySequence::Copy);
        const QStringList cells = QApplication::clipboard()->text().split(u'\t');
        QCOMPARE(cells.size(), int(LayerFiguresModel::ColumnCount) - 1); // nothing is compared: no distance
        QCOMPARE(cells[0], QString::number(layer));
        table.findChild<QAction*>("copyTable")->trigger();
        const QStringList lines = QApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), layers + 1);
        QVERIFY(lines[0].startsWith(QLatin1String("Layer,Distance,Entropy (bit)")));
        QVERIFY(lines[4].startsWith(QString::number(layer) + QLatin1String(",,"))); // an empty field
    }

    void barsAndMargins()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.fillWithStory();
        shown.selection.select({-1, 3, -1, -1});
        QVERIFY(shown.settled());
        LoadPlot& loads = shown.page.layerPanel().loads();
        const QPoint bar(static_cast<int>(loads.xAxis->coordToPixel(9)), loads.axisRect()->center().y());
        QTest::mouseClick(&loads, Qt::LeftButton, {}, bar);
        QCOMPARE(shown.selection.selection(), (Selection{-1, 3, -1, 9, -1}));
        const auto* const bars = qobject_cast<QCPBars*>(loads.plottable(0));
        for (int expert = 0; expert < experts; ++expert)
            QCOMPARE(bars->data()->at(expert)->value, tally(run.record(), 3, expert, 0, shown.store.routed()).load);
        MarginPlot& margins = shown.page.layerPanel().margins();
        double counted = 0;
        for (int plottable : {0, 1}) {
            for (const QCPBarsData& bin : *qobject_cast<QCPBars*>(margins.plottable(plottable))->data())
                counted += bin.value;
        }
        QCOMPARE(counted, double(shown.store.routed()));
        auto* const logarithmic = shown.page.layerPanel().findChild<QCheckBox*>();
        QTest::keyClick(logarithmic, Qt::Key_Space);
        QCOMPARE(margins.yAxis->scaleType(), QCPAxis::stLogarithmic);
        QVERIFY(margins.yAxis->range().lower > 0);
        QTest::keyClick(logarithmic, Qt::Key_Space);
        QCOMPARE(margins.yAxis->scaleType(), QCPAxis::stLinear);
        // What margins are measured in follows from the model's rules.
        QCOMPARE(margins.xAxis->label(), QStringLiteral("margin (logits)"));
        auto scored = std::make_shared<ModelFacts>(*run.model());
        scored->config.routing.scoring = Scoring::Sigmoid;
        shown.store.begin({scored, std::make_shared<RunRecord>(run.record().shape()),
            std::make_shared<TimingRing>(timingRingCapacity), {}, 0, 0});
        QTRY_COMPARE(margins.xAxis->label(), QStringLiteral("margin (score)"));
    }

    void chosenTogether()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.fillWithStory();
        QVERIFY(shown.settled());
        const HeatMatrix& matrix = shown.page.layerPanel().together().view().matrix();
        for (int a = 0; a < experts; ++a) {
            for (int b = 0; b < experts; ++b) {
                int both = 0;
                for (int position = 0; position < shown.store.routed(); ++position)
                    both += tally(run.record(), 0, a, position, position + 1).load > 0
                        && tally(run.record(), 0, b, position, position + 1).load > 0;
                if (a == b)
                    QVERIFY(std::isnan(matrix.at(a, b)));
                else
                    QCOMPARE(matrix.at(a, b), double(both));
            }
        }
    }

    void aHiddenPageDoesNothing()
    {
        Shown shown;
        shown.page.hide();
        TestRun run({}, shown.store);
        QSignalSpy painted(&shown.map(), &HeatView::currentChanged);
        run.fillWithStory();
        shown.selection.select({-1, 2, -1, 5});
        QTest::qWait(2 * RoutingPage::refreshMs);
        QCOMPARE(shown.page.routing().counted(), 0);
        QCOMPARE(painted.size(), 0);
        shown.page.show();
        QVERIFY(shown.settled());
        QCOMPARE(shown.page.routing().counted(), shown.store.routed());
        QCOMPARE(QPoint(shown.map().currentRow(), shown.map().currentColumn()), QPoint(2, 5));
        QVERIFY(shown.page.expertPanel().tokens().model()->rowCount() > 0);
    }

    void aRunningPageIsCalm()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.setPrompt(run.ids("The hummingbird is small"));
        run.show();
        QVERIFY(shown.settled());
        QSignalSpy refreshed(shown.page.figures().model(), &QAbstractItemModel::dataChanged);
        QElapsedTimer clock;
        clock.start();
        for (int token = 0; token < 100; ++token) {
            run.append(260);
            run.show();
            QTest::qWait(5);
        }
        const auto most = clock.elapsed() / RoutingPage::refreshMs + 2;
        QVERIFY(refreshed.size() <= most);
        QVERIFY(refreshed.size() > 1);
    }

    void modelsKeepTheirRules()
    {
        using Mode = QAbstractItemModelTester::FailureReportingMode;
        Shown shown;
        auto* const sorted = qobject_cast<QSortFilterProxyModel*>(shown.page.figures().model());
        for (QAbstractItemModel* const model : {shown.page.expertPanel().tokens().model(),
                 shown.page.expertPanel().texts().model(), sorted->sourceModel(), shown.page.figures().model()})
            new QAbstractItemModelTester(model, Mode::Fatal, &shown.page);
        TestRun run({.positions = 9000, .layers = 2, .experts = 4, .k = 2}, shown.store);
        run.setPrompt(run.ids("The hummingbird is small"));
        shown.selection.select({-1, 1, -1, 2});
        for (int token = 0; token < 4000; ++token) {
            run.append(static_cast<TokenId>(token * 7 % 290));
            if (token % 500 == 499) {
                run.show();
                QVERIFY(shown.settled());
            }
        }
        QCOMPARE(shown.page.expertPanel().tokens().model()->rowCount(), int(ExpertProfile::keptTokens));
        QCOMPARE(shown.page.expertPanel().texts().model()->rowCount(), int(TopTextsModel::limit));
        shown.choose(TokensChoice, 1);
        QVERIFY(shown.settled());
        QVERIFY(shown.page.expertPanel().tokens().model()->rowCount() < 100);
        shown.choose(TokensChoice, 0);
        QVERIFY(shown.settled());
        shown.store.clear();
        QCOMPARE(shown.page.expertPanel().tokens().model()->rowCount(), 0);
        QCOMPARE(shown.page.expertPanel().texts().model()->rowCount(), 0);
    }

    void anotherRunOfAnotherShape()
    {
        Shown shown;
        {
            TestRun run({}, shown.store);
            run.fillWithStory();
            shown.selection.select({-1, 5, -1, 15});
            QVERIFY(shown.settled());
        }
        TestRun run({.positions = 50, .layers = 1, .experts = 1, .k = 1}, shown.store);
        run.setPrompt(run.ids("The hummingbird"));
        run.show();
        QVERIFY(shown.settled());
        QCOMPARE(shown.map().matrix().rows, 1);
        QCOMPARE(shown.map().currentRow(), 0);
        QVERIFY(shown.page.layerPanel().together().view().matrix().isEmpty()); // one expert has no other
        QCOMPARE(shown.page.routing().profile().expert(), -1);
        QVERIFY(!shown.page.grab().isNull());
    }

    void theLayoutIsRemembered()
    {
        Shown shown;
        Shown other;
        TestRun run({}, shown.store);
        run.fillWithStory();
        QVERIFY(shown.settled());
        QSplitter& parts = shown.page.layerPanel().parts();
        parts.setSizes({300, 150, 200});
        const QList<int> sizes = parts.sizes();
        QVERIFY(other.page.restoreLayout(shown.page.saveLayout()));
        TestRun again({}, other.store);
        again.fillWithStory();
        QVERIFY(other.settled());
        QCOMPARE(other.page.layerPanel().parts().sizes(), sizes);
        QVERIFY(!other.page.restoreLayout("nonsense"));
    }

    void everythingHasANameAndIsReached()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.fillWithStory();
        QVERIFY(shown.settled());
        for (QWidget* const widget : std::initializer_list<QWidget*>{&shown.map(), &shown.page.figures(),
                 &shown.page.layerPanel().loads(), &shown.page.layerPanel().together().view(),
                 &shown.page.layerPanel().margins(), &shown.page.expertPanel().tokens(),
                 &shown.page.expertPanel().texts(), shown.page.layerPanel().findChild<QSpinBox*>()}) {
            QVERIFY(!widget->accessibleName().isEmpty());
            QVERIFY(widget->focusPolicy() & Qt::TabFocus);
        }
        for (QComboBox* const box : shown.page.bar().findChildren<QComboBox*>())
            QVERIFY(!box->toolTip().isEmpty() && !box->accessibleName().isEmpty());
    }
};

QTEST_MAIN(TestPage)
#include "tst_page.moc"
