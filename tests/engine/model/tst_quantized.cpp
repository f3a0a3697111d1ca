// SPDX-License-Identifier: Apache-2.0
#include "goldenmodel.h"

#include <QTest>

#include <cmath>

using namespace colibri;
using namespace colibri::test;

namespace {

/// A case and how far, as NMSE, rounded activations may take it from llama.cpp's logits: the README of the cases.
struct Case {
    const char* name;
    double nmse;
};
constexpr Case cases[]{{"qwen3moe-f16", 1e-5}, {"qwen3moe-bf16", 2e-4}, {"qwen3moe-q8_0", 3e-3},
    {"qwen3moe-q4_0", 3e-3}, {"qwen3moe-q4_0-split", 3e-3}, {"qwen3moe-q4_1", 3e-3}, {"qwen3moe-q5_0", 3e-3},
    {"qwen3moe-q5_1", 3e-3}, {"qwen3moe-iq4_nl", 3e-3}, {"qwen3moe-mxfp4", 3e-3}, {"qwen3moe-q2_k", 4e-3},
    {"qwen3moe-q3_k", 4e-3}, {"qwen3moe-q4_k", 4e-3}, {"qwen3moe-q4_k_m", 4e-3}, {"qwen3moe-q6_k", 4e-3},
    {"qwen3moe-iq4_xs", 4e-3}, {"deepseek2-v3-q8_0", 4e-3}, {"gpt-oss-mxfp4", 3e-3}};

struct Distance {
    double largest = 0;
    double nmse = 0;
};

Distance distance(std::span<const std::uint32_t> bits, std::span<const float> reference)
{
    if (bits.size() != reference.size() || reference.empty())
        return {INFINITY, INFINITY};
    Distance d;
    double squares = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) {
        const double error = double(std::bit_cast<float>(bits[i])) - double(reference[i]);
        d.largest = std::isnan(error) ? INFINITY : std::max(d.largest, std::abs(error));
        d.nmse += error * error;
        squares += double(reference[i]) * double(reference[i]);
    }
    d.nmse /= squares;
    return d;
}

/// The chosen experts, those of each token and layer in ascending order: ranks may differ by the rounding.
template <class T>
std::vector<int> chosenSets(const std::vector<T>& experts, std::size_t k)
{
    std::vector<int> sets(experts.begin(), experts.end());
    for (std::size_t i = 0; i + k <= sets.size(); i += k)
        std::sort(sets.begin() + std::ptrdiff_t(i), sets.begin() + std::ptrdiff_t(i + k));
    return sets;
}

} // namespace

/// Models of blocks against what llama.cpp and a float64 forward in numpy compute.
class TestQuantized : public QObject {
    Q_OBJECT

private slots:
    void exactActivations_data() { rows(); }
    void exactActivations();
    void roundedActivations_data() { rows(); }
    void roundedActivations();
    void longPrompt();
    void sameBits_data() { rows(); }
    void sameBits();

private:
    static void rows()
    {
        QTest::addColumn<double>("nmse");
        for (const Case& one : cases)
            QTest::newRow(one.name) << one.nmse;
    }
};

void TestQuantized::exactActivations()
{
    const GoldenCase golden(QTest::currentDataTag());
    REQUIRE_CASE(golden);
    const ModelPtr model = opened(golden);
    QVERIFY(model);
    const Evaluation result = evaluate(model, with(Activations::F32), ids(golden.golden()["tokens"]));
    QCOMPARE(QString::fromStdString(result.error), QString());
    const Distance logits = distance(result.logits, golden.floats("numpy_logits"));
    qInfo("logits %.2g, NMSE %.2g", logits.largest, logits.nmse);
    QVERIFY(logits.largest <= 2e-3);
    QCOMPARE(chosenSets(result.experts, golden.number("n_expert_used")),
        chosenSets(golden.ints("topk"), golden.number("n_expert_used")));
}

void TestQuantized::roundedActivations()
{
    const GoldenCase golden(QTest::currentDataTag());
    REQUIRE_CASE(golden);
    QFETCH(double, nmse);
    const ModelPtr model = opened(golden);
    QVERIFY(model);
    const Evaluation result = evaluate(model, with(Activations::Q8), ids(golden.golden()["tokens"]));
    QCOMPARE(QString::fromStdString(result.error), QString());
    const Distance logits = distance(result.logits, golden.floats("logits"));
    const Distance simulated = distance(result.logits, golden.floats("numpy_actq_logits"));
    qInfo("logits %.2g, NMSE %.2g; from the same rounding in numpy %.2g, NMSE %.2g", logits.largest, logits.nmse,
        simulated.largest, simulated.nmse);
    QVERIFY(logits.nmse <= nmse);
    QVERIFY(logits.largest <= 0.8);
}

/// A prompt whose margins nobody chose: choices may flip, and take logits with them.
void TestQuantized::longPrompt()
{
    const GoldenCase golden("qwen3moe-q4_k_m");
    REQUIRE_CASE(golden);
    const ModelPtr model = opened(golden);
    QVERIFY(model);
    const auto tokens = ids(golden.longGolden()["tokens"]);
    QCOMPARE(tokens.size(), std::size_t{120});
    const Distance logits =
        distance(evaluate(model, with(Activations::Q8), tokens).logits, golden.floats("long_logits"));
    qInfo("logits %.2g, NMSE %.2g", logits.largest, logits.nmse);
    QVERIFY(logits.nmse <= 4e-3);
}

/// Whatever the instruction set, the threads and the split into batches.
void TestQuantized::sameBits()
{
    const GoldenCase golden(QTest::currentDataTag());
    REQUIRE_CASE(golden);
    const ModelPtr model = opened(golden);
    QVERIFY(model);
    const auto tokens = ids(golden.golden()["tokens"]);
    for (const Activations activations : {Activations::Q8, Activations::F32}) {
        EngineOptions options = with(activations);
        options.threads = 1;
        const Evaluation whole = evaluate(model, options, tokens);
        QVERIFY(whole.error.empty() && !whole.logits.empty());
        options.batch = 1;
        QVERIFY(evaluate(model, options, tokens) == whole);
        options.threads = 3;
        options.batch = 7;
        QVERIFY(evaluate(model, options, tokens) == whole);
        options.isa = Isa::Scalar;
        options.batch = 20;
        QVERIFY(evaluate(model, options, tokens) == whole);
    }
}

QTEST_GUILESS_MAIN(TestQuantized)
#include "tst_quantized.moc"
