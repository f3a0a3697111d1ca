// SPDX-License-Identifier: GPL-3.0-or-later
// What the page shows against counts made here by plain scans of the record.
#include "shownpage.h"

#include "views/routing/layerpanel.h"
#include "views/routing/loadplot.h"
#include "views/routing/marginplot.h"
#include "views/routing/routingmaps.h"
#include "views/table/tableview.h"

#include <QCheckBox>

#include <cmath>

using namespace colibri;
using namespace colibri::test;

namespace {

constexpr double k = 2;

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

} // namespace

class TestCounts : public QObject {
    Q_OBJECT

private slots:
    void sharesAsText()
    {
        QCOMPARE(percentText(0.0044, 0.02, true), QString("+0.4%"));
        QCOMPARE(percentText(-0.0044, 0.005, true), QString("-0.44%"));
        QCOMPARE(percentText(-0.0003, 0.02, true), QString("0.0%"));
        QCOMPARE(percentText(0.0003, 0.02, true), QString("0.0%"));
        QCOMPARE(percentText(0.25, 0.5, false), QString("25.0%"));
        QCOMPARE(percentText(std::nan(""), 0.5, true), QString(QChar(0x2013)));
    }

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
};

QTEST_MAIN(TestCounts)
#include "tst_counts.moc"
