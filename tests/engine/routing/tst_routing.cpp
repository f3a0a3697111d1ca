// SPDX-License-Identifier: Apache-2.0
#include "routing/routing.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using namespace colibri;

/// The rules of selection and weights, against a plain double computation.
class TestRouting : public QObject {
    Q_OBJECT

private slots:
    void againstDoubles_data();
    void againstDoubles();
    void twoWeightSets();
    void tiesGoToTheLowerId();
    void nothingSelectsOutOfRange();
    void allExperts();
    void floorAndScale();
    void groupsAndCorrection();
    void maskedGroupIsNeverChosen();
    void sigmoidOfNothing();
    void tableRow();
    void tableWithoutRouter();
};

namespace {

constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

struct Choice {
    std::vector<std::uint16_t> experts;
    std::vector<float> weights;
    float margin = 0.f;
};

Choice route(
    const RoutingRules& rules, const std::vector<float>& logits, std::size_t k, const std::vector<float>& bias = {})
{
    Choice choice{std::vector<std::uint16_t>(k, 0xFFFF), std::vector<float>(k), 0.f};
    RoutingDecision decision{choice.experts, choice.weights};
    routeByLogits(rules, {logits, bias}, decision);
    choice.margin = decision.margin;
    return choice;
}

/// Softmax over everything in double, the k best by a full sort, then the rules.
Choice oracle(const RoutingRules& rules, const std::vector<float>& logits, std::size_t k)
{
    std::vector<std::uint16_t> order(logits.size());
    std::iota(order.begin(), order.end(), std::uint16_t{0});
    std::ranges::stable_sort(order, [&](auto a, auto b) { return logits[a] > logits[b]; });
    const bool overAll = rules.order == ScoreOrder::ScoreThenSelect;
    double total = 0;
    for (std::size_t i = 0; i < (overAll ? logits.size() : k); ++i)
        total += std::exp(double(logits[order[i]]));
    std::vector<double> weights;
    for (std::size_t i = 0; i < k; ++i)
        weights.push_back(std::exp(double(logits[order[i]])) / total);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    Choice choice;
    for (std::size_t i = 0; i < k; ++i) {
        choice.experts.push_back(order[i]);
        choice.weights.push_back(
            float(weights[i] / (rules.normalize ? std::max(sum, double(rules.weightSumFloor)) : 1.0) * rules.scale));
    }
    choice.margin = logits[order[k - 1]] - logits[order[k]];
    return choice;
}

} // namespace

void TestRouting::againstDoubles_data()
{
    QTest::addColumn<bool>("normalize");
    QTest::addColumn<bool>("selectFirst");
    QTest::newRow("softmax, select") << false << false;
    QTest::newRow("softmax, select, normalize") << true << false;
    QTest::newRow("select, softmax") << false << true;
    QTest::newRow("select, softmax, normalize") << true << true;
}

void TestRouting::againstDoubles()
{
    QFETCH(bool, normalize);
    QFETCH(bool, selectFirst);
    RoutingRules rules;
    rules.normalize = normalize;
    rules.order = selectFirst ? ScoreOrder::SelectThenScore : ScoreOrder::ScoreThenSelect;
    std::mt19937 random(5);
    std::normal_distribution<float> normal(0.f, 3.f);
    for (const auto& [experts, k] : {std::pair{2, 1}, {8, 2}, {16, 2}, {17, 5}, {64, 6}, {128, 8}, {896, 10}})
        for (int repeat = 0; repeat < 50; ++repeat) {
            std::vector<float> logits(experts);
            for (float& logit : logits)
                logit = normal(random);
            const Choice got = route(rules, logits, k);
            const Choice expected = oracle(rules, logits, k);
            QCOMPARE(got.experts, expected.experts);
            QCOMPARE(got.margin, expected.margin);
            for (int i = 0; i < k; ++i)
                QVERIFY(std::abs(got.weights[i] - expected.weights[i]) < 1e-6f);
        }
}

/// Of the four combinations only softmax over all without renormalization gives other weights.
void TestRouting::twoWeightSets()
{
    const std::vector<float> logits{0.3f, -1.f, 2.f, 0.9f, 1.4f, -0.2f, 0.f, 0.7f};
    std::vector<std::vector<float>> sets;
    for (const bool normalize : {false, true})
        for (const ScoreOrder order : {ScoreOrder::ScoreThenSelect, ScoreOrder::SelectThenScore}) {
            RoutingRules rules;
            rules.normalize = normalize;
            rules.order = order;
            sets.push_back(route(rules, logits, 2).weights);
        }
    for (int i = 1; i < 4; ++i)
        QVERIFY(std::abs(sets[i][0] - sets[1][0]) < 1e-6f);
    QVERIFY(std::abs(sets[1][0] + sets[1][1] - 1.f) < 1e-6f);
    QVERIFY(sets[0][0] + sets[0][1] < 0.7f);
}

void TestRouting::tiesGoToTheLowerId()
{
    const Choice zeros = route({}, std::vector<float>(8), 3);
    QCOMPARE(zeros.experts, (std::vector<std::uint16_t>{0, 1, 2}));
    QCOMPARE(zeros.margin, 0.f);
    const Choice boundary = route({}, {1.f, 3.f, 2.f, 2.f, 2.f}, 2);
    QCOMPARE(boundary.experts, (std::vector<std::uint16_t>{1, 2}));
    QCOMPARE(boundary.margin, 0.f);
    // Logits that differ while their probabilities round to the same value still decide by the logit.
    const Choice close = route({}, {0.f, std::nextafter(0.f, 1.f)}, 1);
    QCOMPARE(close.experts, (std::vector<std::uint16_t>{1}));
}

void TestRouting::nothingSelectsOutOfRange()
{
    const std::vector<std::vector<float>> cases{{notANumber, notANumber, notANumber, notANumber},
        {infinity, 1.f, infinity, notANumber}, {-infinity, -infinity, -infinity, -infinity},
        {notANumber, 2.f, -infinity, 1.f}, {3e38f, -3e38f, 3e38f, 0.f}};
    for (const auto& logits : cases)
        for (const bool normalize : {false, true})
            for (const ScoreOrder order : {ScoreOrder::ScoreThenSelect, ScoreOrder::SelectThenScore}) {
                RoutingRules rules;
                rules.normalize = normalize;
                rules.order = order;
                const Choice choice = route(rules, logits, 2);
                QVERIFY(choice.experts[0] < 4 && choice.experts[1] < 4 && choice.experts[0] != choice.experts[1]);
                for (const float weight : choice.weights)
                    QVERIFY(std::isfinite(weight) && weight >= 0.f && weight <= 1.f);
            }
    QCOMPARE(route({}, cases[3], 2).experts, (std::vector<std::uint16_t>{1, 3}));
    QCOMPARE(route({}, cases[1], 2).experts, (std::vector<std::uint16_t>{0, 2}));
}

void TestRouting::allExperts()
{
    RoutingRules rules;
    const Choice choice = route(rules, {1.f, 2.f, 3.f}, 3);
    QCOMPARE(choice.experts, (std::vector<std::uint16_t>{2, 1, 0}));
    QVERIFY(std::isnan(choice.margin));
    QVERIFY(std::abs(choice.weights[0] + choice.weights[1] + choice.weights[2] - 1.f) < 1e-6f);
}

void TestRouting::floorAndScale()
{
    RoutingRules rules;
    rules.normalize = true;
    rules.scale = 2.5f;
    const std::vector<float> logits{10.f, 0.f, 0.f, -20.f};
    QVERIFY(std::abs(route(rules, logits, 1).weights[0] - 2.5f) < 1e-6f);
    rules.weightSumFloor = 4.f; // above any sum of probabilities
    QVERIFY(std::abs(route(rules, logits, 1).weights[0] - 2.5f / 4.f) < 1e-3f);
}

/// Correction selects and never weighs; a group counts by its best score or by its two best.
void TestRouting::groupsAndCorrection()
{
    RoutingRules rules;
    rules.scoring = Scoring::Sigmoid;
    rules.correctionBias = true;
    const std::vector<float> logits{0.f, 1.f, 2.f, -1.f};
    const auto sigmoid = [](double x) { return float(1 / (1 + std::exp(-x))); };
    const Choice corrected = route(rules, logits, 2, {0.f, 0.f, -0.5f, 1.f});
    QCOMPARE(corrected.experts, (std::vector<std::uint16_t>{3, 1}));
    QVERIFY(
        std::abs(corrected.weights[0] - sigmoid(-1)) < 1e-6f && std::abs(corrected.weights[1] - sigmoid(1)) < 1e-6f);
    QVERIFY(std::abs(corrected.margin - (sigmoid(1) - sigmoid(0))) < 1e-6f);

    rules.correctionBias = false;
    rules.groups = 2;
    rules.groupsKept = 1;
    const std::vector<float> grouped{3.f, -9.f, 1.f, 1.5f};
    rules.groupScore = GroupScore::Best;
    QCOMPARE(route(rules, grouped, 2).experts, (std::vector<std::uint16_t>{0, 1}));
    rules.groupScore = GroupScore::TwoBest;
    QCOMPARE(route(rules, grouped, 2).experts, (std::vector<std::uint16_t>{3, 2}));
    rules.scoring = Scoring::Softmax;
    QCOMPARE(route(rules, grouped, 1).experts, (std::vector<std::uint16_t>{0}));
}

void TestRouting::maskedGroupIsNeverChosen()
{
    RoutingRules rules;
    rules.scoring = Scoring::Sigmoid;
    rules.correctionBias = true;
    rules.groups = 2;
    rules.groupsKept = 1;
    // Corrected scores below zero: a masked expert counted as 0 would win.
    const Choice choice = route(rules, {0.f, 0.f, 0.f, 0.f}, 2, {-2.f, -3.f, -4.f, -5.f});
    QCOMPARE(choice.experts, (std::vector<std::uint16_t>{0, 1}));
    const Choice silent = route(rules, {notANumber, -infinity, notANumber, -infinity}, 2, {0.f, notANumber, 0.f, 1.f});
    QCOMPARE(silent.experts, (std::vector<std::uint16_t>{3, 2}));
}

void TestRouting::sigmoidOfNothing()
{
    RoutingRules rules;
    rules.scoring = Scoring::Sigmoid;
    rules.normalize = true;
    for (const float floor : {0.f, 0x1p-14f}) {
        rules.weightSumFloor = floor;
        const Choice choice = route(rules, {-infinity, -200.f, notANumber, -300.f}, 2);
        QCOMPARE(choice.experts, (std::vector<std::uint16_t>{0, 1}));
        QCOMPARE(choice.weights, (std::vector<float>{0.f, 0.f}));
    }
}

void TestRouting::tableRow()
{
    const std::vector<float> logits{1.f, 5.f, 2.f, 0.f};
    const std::uint16_t row[]{3, 0};
    RoutingRules rules;
    rules.normalize = true;
    Choice choice{std::vector<std::uint16_t>(2), std::vector<float>(2), 0.f};
    RoutingDecision decision{choice.experts, choice.weights};
    routeByTable(rules, row, logits, decision);
    QCOMPARE(choice.experts, (std::vector<std::uint16_t>{3, 0}));
    QVERIFY(std::isnan(decision.margin));
    const double a = std::exp(0.0);
    const double b = std::exp(1.0);
    QVERIFY(std::abs(choice.weights[0] - a / (a + b)) < 1e-6);
    QVERIFY(std::abs(choice.weights[1] - b / (a + b)) < 1e-6);
}

void TestRouting::tableWithoutRouter()
{
    const std::uint16_t row[]{7, 1, 2, 0};
    Choice choice{std::vector<std::uint16_t>(4), std::vector<float>(4), 0.f};
    RoutingDecision decision{choice.experts, choice.weights};
    routeByTable({}, row, {}, decision);
    QCOMPARE(choice.experts, (std::vector<std::uint16_t>{7, 1, 2, 0}));
    QCOMPARE(choice.weights, std::vector<float>(4, 0.25f));
}

QTEST_GUILESS_MAIN(TestRouting)
#include "tst_routing.moc"
