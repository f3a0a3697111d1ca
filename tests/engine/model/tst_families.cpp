// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sessiontools.h"

#include "api/export.h"
#include "support/golden.h"
#include "support/goldenfolder.h"

#include <QJsonArray>
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

constexpr const char* cases[]{"mixtral-f32", "qwen2moe-f32", "qwen3moe-f32", "olmoe-f32", "deepseek2-lite-f32",
    "deepseek2-lite-kvb-f32", "deepseek2-v3-f32", "gpt-oss-f32"};

std::vector<TokenId> ids(const QJsonValue& array)
{
    std::vector<TokenId> tokens;
    for (const QJsonValue value : array.toArray())
        tokens.push_back(static_cast<TokenId>(value.toInt()));
    return tokens;
}

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

ModelPtr opened(const std::string& path)
{
    auto model = openModel(path);
    if (!model)
        qWarning("%s", model.error().message().c_str());
    return model ? *model : ModelPtr();
}

} // namespace

#define REQUIRE_CASE(golden)                                                                                           \
    const GoldenCase golden(QTest::currentDataTag());                                                                  \
    if (!golden.exists())                                                                                              \
    QSKIP("COLIBRI_SHARED names no folder with golden data")

void TestFamilies::rows()
{
    QTest::addColumn<int>("row");
    for (int i = 0; i < int(std::size(cases)); ++i)
        QTest::newRow(cases[i]) << i;
}

void TestFamilies::prompt()
{
    REQUIRE_CASE(golden);
    const ModelPtr model = opened(golden.model());
    QVERIFY(model);
    QVERIFY2(model->notes().empty(), model->notes().empty() ? "" : model->notes().front().c_str());
    QCOMPARE(differences(evaluate(model, {}, ids(golden.golden()["tokens"])), golden), QString());
}

void TestFamilies::continuation()
{
    REQUIRE_CASE(golden);
    const ModelPtr model = opened(golden.model());
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
    REQUIRE_CASE(golden);
    const QJsonObject text = golden.longGolden();
    if (text.isEmpty())
        return; // four of the cases have one
    const ModelPtr model = opened(golden.model());
    QVERIFY(model);
    const Evaluation result = evaluate(model, {}, ids(text["tokens"]));
    QCOMPARE(result.error, std::string());
    QVERIFY(largest(result.logits, golden.floats("long_logits")) <= 1e-3);
    QCOMPARE(otherChoices(result.experts, golden.ints("long_topk")), 0);
}

/// Threads, batches and instruction sets change no bit, with either cache.
void TestFamilies::sameBits()
{
    REQUIRE_CASE(golden);
    const ModelPtr model = opened(golden.model());
    QVERIFY(model);
    const auto tokens = someTokens(83, model->config().vocabSize);
    for (const KvType kv : {KvType::F32, KvType::F16}) {
        EngineOptions options;
        options.kv = kv;
        options.numerics = Numerics::Scalar;
        options.threads = 1;
        const Evaluation oracle = evaluate(model, options, tokens);
        QCOMPARE(oracle.error, std::string());
        options.numerics = Numerics::Reproducible;
        for (const std::uint32_t threads : {1u, 2u, 3u})
            for (const std::uint32_t batch : {1u, 7u, 83u})
                for (const Isa isa : {Isa::Auto, Isa::Avx2}) {
                    options.threads = threads;
                    options.batch = batch;
                    options.isa = isa;
                    const Evaluation result = evaluate(model, options, tokens);
                    if (result.error.find("this machine does not have it") == std::string::npos)
                        QVERIFY2(result == oracle, qPrintable(QString("%1 threads, batch %2").arg(threads).arg(batch)));
                }
    }
}

void TestFamilies::folder()
{
    REQUIRE_CASE(golden);
    QTemporaryDir dir;
    QCOMPARE(writeHuggingFaceFolder(golden, dir.path()), QString());
    const ModelPtr model = opened(dir.path().toStdString());
    QVERIFY(model);
    QVERIFY2(model->notes().empty(), model->notes().empty() ? "" : model->notes().front().c_str());
    QCOMPARE(differences(evaluate(model, {}, ids(golden.golden()["tokens"])), golden), QString());
}

/// Types kept, an export gives the bits of its source.
void TestFamilies::exported()
{
    REQUIRE_CASE(golden);
    const ModelPtr source = opened(golden.model());
    QVERIFY(source);
    QTemporaryDir dir;
    const std::string out = dir.filePath("export").toStdString();
    const auto written = exportModel(*source, out, {});
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
