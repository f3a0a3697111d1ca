// SPDX-License-Identifier: Apache-2.0
#include "routing/routing.h"
#include "support/golden.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace colibri;
using namespace colibri::test;

/// From the router logits that llama.cpp wrote down to its choices and weights, for the rules of each family.
class TestRoutingGolden : public QObject {
    Q_OBJECT

private slots:
    void choices_data();
    void choices();
    void wrongRules_data();
    void wrongRules();
};

namespace {

constexpr float floorOfSums = 0x1p-14f;

struct Family {
    const char* golden;
    RoutingRules rules;
};

RoutingRules softmax(bool normalize, ScoreOrder order = ScoreOrder::ScoreThenSelect)
{
    RoutingRules rules;
    rules.normalize = normalize;
    rules.order = order;
    return rules;
}

RoutingRules deepSeekV3()
{
    return {Scoring::Sigmoid, ScoreOrder::ScoreThenSelect, true, floorOfSums, 2.5f, 4, 2, GroupScore::TwoBest, true};
}

const Family families[]{
    {"mixtral-f32", softmax(true)},
    {"qwen2moe-f32", softmax(false)},
    {"qwen3moe-f32", softmax(true)},
    {"olmoe-f32", softmax(false)},
    {"deepseek2-lite-f32", softmax(false)},
    {"deepseek2-lite-kvb-f32", softmax(false)},
    {"deepseek2-v3-f32", deepSeekV3()},
    {"deepseek2-v3-q8_0", deepSeekV3()},
    {"gpt-oss-f32", softmax(false, ScoreOrder::SelectThenScore)},
    {"gpt-oss-mxfp4", softmax(false, ScoreOrder::SelectThenScore)},
};

struct Agreement {
    int choices = 0;
    int other = 0; ///< choices that differ
    float weight = 0; ///< largest difference of a weight
};

/// Routes every row of the case by `rules`.
Agreement compare(const GoldenCase& golden, const RoutingRules& rules)
{
    const auto logits = golden.floats("router_logits");
    const auto experts = golden.ints("topk");
    const auto weights = golden.floats("topk_weights");
    const std::size_t count = golden.number("n_expert");
    const std::size_t k = golden.number("n_expert_used");
    const std::size_t tokens = golden.number("n_tokens");
    Agreement agreement;
    std::vector<std::uint16_t> ids(k);
    std::vector<float> mixed(k);
    for (std::size_t row = 0; row < logits.size() / count; ++row) {
        const auto bias = golden.bias(static_cast<std::uint32_t>(row / tokens));
        RoutingDecision decision{ids, mixed};
        routeByLogits(rules, {std::span(logits).subspan(row * count, count), bias}, decision);
        for (std::size_t i = 0; i < k; ++i) {
            ++agreement.choices;
            agreement.other += ids[i] != experts[row * k + i];
            agreement.weight = std::max(agreement.weight, std::abs(mixed[i] - weights[row * k + i]));
        }
    }
    return agreement;
}

} // namespace

void TestRoutingGolden::choices_data()
{
    QTest::addColumn<int>("family");
    for (int i = 0; i < int(std::size(families)); ++i)
        QTest::newRow(families[i].golden) << i;
}

void TestRoutingGolden::choices()
{
    QFETCH(int, family);
    const GoldenCase golden(families[family].golden);
    if (!golden.exists())
        QSKIP("COLIBRI_SHARED names no folder with golden data");
    const Agreement agreement = compare(golden, families[family].rules);
    QVERIFY(agreement.choices >= 20 * int(golden.number("n_expert_used")));
    QCOMPARE(agreement.other, 0);
    QVERIFY2(agreement.weight < 2e-6f, qPrintable(QString::number(agreement.weight)));
}

void TestRoutingGolden::wrongRules_data()
{
    QTest::addColumn<QString>("golden");
    QTest::addColumn<int>("mistake");
    for (const char* golden : {"qwen2moe-f32", "qwen3moe-f32", "gpt-oss-f32"})
        QTest::addRow("%s, renormalization", golden) << golden << 0;
    for (int mistake = 1; mistake <= 5; ++mistake)
        QTest::addRow("deepseek2-v3-f32, %d", mistake) << "deepseek2-v3-f32" << mistake;
}

/// Each rule matters: the data tells a wrong one from the right one.
void TestRoutingGolden::wrongRules()
{
    QFETCH(QString, golden);
    QFETCH(int, mistake);
    const GoldenCase data(golden);
    if (!data.exists())
        QSKIP("COLIBRI_SHARED names no folder with golden data");
    RoutingRules rules = std::ranges::find(families, golden, [](const Family& f) { return QString(f.golden); })->rules;
    if (mistake == 0 && golden == "gpt-oss-f32")
        rules.order = ScoreOrder::ScoreThenSelect;
    else if (mistake == 0 || mistake == 1)
        rules.normalize = !rules.normalize;
    else if (mistake == 2)
        rules.scale = 1.f;
    else if (mistake == 3)
        rules.groups = rules.groupsKept = 1;
    else if (mistake == 4)
        rules.groupScore = GroupScore::Best;
    else
        rules.correctionBias = false;
    const Agreement agreement = compare(data, rules);
    QVERIFY(agreement.other > 0 || agreement.weight > 1e-3f);
}

QTEST_GUILESS_MAIN(TestRoutingGolden)
#include "tst_routing_golden.moc"
