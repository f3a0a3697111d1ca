// SPDX-License-Identifier: Apache-2.0
#include "goldenmodel.h"

#include "api/export.h"
#include "support/goldenfolder.h"

#include <QTest>

#include <cmath>

using namespace colibri;
using namespace colibri::test;

/// Every family against what llama.cpp computes: from GGUF, from a Hugging Face folder of the same weights, and from an
/// export. A case is a row.
class TestFamilies : public QObject {
    Q_OBJECT

private slots:
    void prompt_data() { rows(); }
    void prompt();
    void continuation_data() { rows(); }
    void continuation();
    void longPrompt_data() { rows(); }
    void longPrompt();
    void sameBits_data() { rows(); }
    void sameBits();
    void folder_data() { rows(); }
    void folder();
    void exported_data() { rows(); }
    void exported();

private:
    static void rows();
};

namespace {

double largest(std::span<const std::uint32_t> bits, std::span<const float> reference)
{
    if (bits.size() != reference.size())
        return INFINITY;
    double difference = 0;
    for (std::size_t i = 0; i < bits.size(); ++i)
        difference = std::max(difference, std::abs(double(std::bit_cast<float>(bits[i])) - double(reference[i])));
    return difference;
}

int otherChoices(std::span<const std::uint16_t> experts, std::span<const std::int32_t> reference)
{
    if (experts.size() != reference.size())
        return -1;
    int other = 0;
    for (std::size_t i = 0; i < experts.size(); ++i)
        other += experts[i] != reference[i];
    return other;
}

/// What differs more than the reference's README allows; empty: nothing.
QString differences(const Evaluation& result, const GoldenCase& golden)
{
    if (!result.error.empty())
        return QString::fromStdString(result.error);
    const double logits = largest(result.logits, golden.floats("logits"));
    const double router = largest(result.routerLogits, golden.floats("router_logits"));
    const double weights = largest(result.weights, golden.floats("topk_weights"));
    const int other = otherChoices(result.experts, golden.ints("topk"));
    qInfo("logits %.2g, router logits %.2g, weights %.2g, other choices %d", logits, router, weights, other);
    return logits <= 1e-3 && router <= 1e-3 && weights <= 1e-4 && other == 0
        ? QString()
        : QString("logits %1, router logits %2, weights %3, choices %4")
              .arg(logits)
              .arg(router)
              .arg(weights)
              .arg(other);
}

/// The same of the case's prompt; that there is a model, and that it has no notes, is expected too.
QString promptDifferences(const ModelPtr& model, const GoldenCase& golden)
{
    if (!model)
        return "it does not open";
    if (!model->notes().empty())
        return "it has a note: " + QString::fromStdString(model->notes().front());
    return differences(evaluate(model, {}, ids(golden.golden()["tokens"])), golden);
}

} // namespace

void TestFamilies::rows()
{
    QTest::addColumn<int>("row");
    for (int i = 0; i < int(std::size(plainCases)); ++i)
        QTest::newRow(plainCases[i]) << i;
}

void TestFamilies::prompt()
{
    const GoldenCase golden(QTest::currentDataTag());
    REQUIRE_CASE(golden);
    QCOMPARE(promptDifferences(opened(golden), golden), QString());
}

void TestFamilies::continuation()
{
    const GoldenCase golden(QTest::currentDataTag());
    REQUIRE_CASE(golden);
    const ModelPtr model = opened(golden);
    QVERIFY(model);
    auto session = Session::create(model, {});
    QVERIFY(session);
    const auto expected = ids(golden.golden()["greedy"]);
    RunRequest request;
    request.prompt = ids(golden.golden()["tokens"]);
    request.maxTokens = static_cast<std::uint32_t>(expected.size());
    request.ignoreEndOfText = true;
    QVERIFY((*session)->begin(request, nullptr, nullptr));
    QVERIFY((*session)->advance(request.maxTokens, {}, {}));
    const auto made = (*session)->generated();
    QCOMPARE(std::vector<TokenId>(made.begin(), made.end()), expected);
}

void TestFamilies::longPrompt()
{
    const GoldenCase golden(QTest::currentDataTag());
    REQUIRE_CASE(golden);
    const QJsonObject text = golden.longGolden();
    if (text.isEmpty())
        return; // four of the cases have one
    const ModelPtr model = opened(golden);
    QVERIFY(model);
    const Evaluation result = evaluate(model, {}, ids(text["tokens"]));
    QCOMPARE(result.error, std::string());
    QVERIFY(largest(result.logits, golden.floats("long_logits")) <= 1e-3);
    QCOMPARE(otherChoices(result.experts, golden.ints("long_topk")), 0);
}

/// Threads, batches and instruction sets change no bit, with either cache.
void TestFamilies::sameBits()
{
    const GoldenCase golden(QTest::currentDataTag());
    REQUIRE_CASE(golden);
    const ModelPtr model = opened(golden);
    QVERIFY(model);
    const auto tokens = someTokens(83, model->config().vocabSize);
    for (const KvType kv : {KvType::F32, KvType::F16}) {
        EngineOptions options;
        options.kv = kv;
        QCOMPARE(otherBits(model, options, tokens, {1, 7, 83}), QString());
    }
}

void TestFamilies::folder()
{
    const GoldenCase golden(QTest::currentDataTag());
    REQUIRE_CASE(golden);
    QTemporaryDir dir;
    QCOMPARE(writeHuggingFaceFolder(golden, dir.path()), QString());
    QCOMPARE(promptDifferences(opened(dir.path()), golden), QString());
}

/// Types kept, an export gives the bits of its source.
void TestFamilies::exported()
{
    const GoldenCase golden(QTest::currentDataTag());
    REQUIRE_CASE(golden);
    const ModelPtr source = opened(golden);
    QVERIFY(source);
    QTemporaryDir dir;
    const QString out = dir.filePath("export");
    const auto written = exportModel(*source, out.toStdString(), {});
    QVERIFY2(written, written ? "" : written.error().message().c_str());
    const ModelPtr model = opened(out);
    QVERIFY(model);
    const auto tokens = ids(golden.golden()["tokens"]);
    const Evaluation result = evaluate(model, {}, tokens);
    QCOMPARE(differences(result, golden), QString());
    QVERIFY(result == evaluate(source, {}, tokens));
    QCOMPARE(model->id(), source->id());
}

QTEST_GUILESS_MAIN(TestFamilies)
#include "tst_families.moc"
