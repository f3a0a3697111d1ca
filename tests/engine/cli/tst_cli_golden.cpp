// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/arrays.h"
#include "engine/cli/program.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace colibri::test;

namespace {

const QString tinyModel = QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32");

QJsonObject readJson(const QString& path)
{
    return QJsonDocument::fromJson(fileBytes(path)).object();
}

/// Golden arrays of a prompt, and how far from them an engine may be.
struct Golden {
    std::vector<float> logits;
    std::vector<float> routerLogits;
    std::vector<std::uint16_t> experts;
    std::vector<float> weights;
    std::size_t expertCount;
    double logitLimit;
    double routerLimit;
    double weightLimit;
    double marginLimit; ///< experts have to agree where the golden margin exceeds this
};

/// The gap between the second and the third value of a row of router logits.
double goldenMargin(std::span<const float> row)
{
    std::vector<float> sorted(row.begin(), row.end());
    std::ranges::sort(sorted, std::greater());
    return static_cast<double>(sorted[1]) - static_cast<double>(sorted[2]);
}

/// What of `folder` differs from the golden more than it may; empty: nothing.
QString differences(const QString& folder, const Golden& golden)
{
    const double logits = largestDifference(readArray<float>(folder + "/logits.f32"), golden.logits);
    const double router = largestDifference(readArray<float>(folder + "/router_logits.f32"), golden.routerLogits);
    const auto experts = readArray<std::uint16_t>(folder + "/experts.u16");
    const auto weights = readArray<float>(folder + "/expert_weights.f32");
    if (experts.size() != golden.experts.size() || weights.size() != golden.weights.size())
        return QStringLiteral("sizes");
    int flips = 0;
    double weight = 0;
    for (std::size_t row = 0; row < experts.size() / 2; ++row) {
        const auto logitRow = std::span(golden.routerLogits).subspan(row * golden.expertCount, golden.expertCount);
        const bool same =
            experts[2 * row] == golden.experts[2 * row] && experts[2 * row + 1] == golden.experts[2 * row + 1];
        if (same)
            weight = std::max(weight,
                largestDifference(
                    std::span(weights).subspan(2 * row, 2), std::span(golden.weights).subspan(2 * row, 2)));
        else if (goldenMargin(logitRow) > golden.marginLimit)
            ++flips;
    }
    qInfo("logits %.2g, router logits %.2g, weights %.2g, flips %d", logits, router, weight, flips);
    QStringList wrong;
    if (!(logits <= golden.logitLimit))
        wrong << QStringLiteral("logits by %1").arg(logits);
    if (!(router <= golden.routerLimit))
        wrong << QStringLiteral("router logits by %1").arg(router);
    if (!(weight <= golden.weightLimit))
        wrong << QStringLiteral("weights by %1").arg(weight);
    if (flips > 0)
        wrong << QStringLiteral("%1 choices").arg(flips);
    return wrong.join(", ");
}

} // namespace

/// The program against what llama.cpp (tiny folder) and a float64 computation (demo model) give.
class TestCliGolden : public QObject {
    Q_OBJECT

private slots:
    void tinyArrays();
    void tinyContinuation();
    void tinyTokenizer();
    void demo_data();
    void demo();
    void heldOut_data();
    void heldOut();
    void int8Loss_data();
    void int8Loss();

private:
    double heldOutLoss(const QString& model, const QStringList& options = {});

    QTemporaryDir m_folder;
};

void TestCliGolden::tinyArrays()
{
    const QString out = m_folder.filePath("tiny");
    const QJsonObject golden = readJson(tinyModel + "/golden.json");
    QCOMPARE(runColibri({"logits", tinyModel, "--tokens", idList(golden["tokens"].toArray()), "--out", out}).code, 0);
    std::vector<std::uint16_t> experts;
    for (const std::int32_t expert : readArray<std::int32_t>(tinyModel + "/topk.bin"))
        experts.push_back(static_cast<std::uint16_t>(expert));
    const Golden arrays{readArray<float>(tinyModel + "/logits.bin"), readArray<float>(tinyModel + "/router_logits.bin"),
        experts, readArray<float>(tinyModel + "/topk_weights.bin"), 6, 1e-3, 1e-3, 1e-4, 0};
    QCOMPARE(arrays.logits.size(), std::size_t{20 * 320});
    QCOMPARE(arrays.experts.size(), std::size_t{2 * 20 * 2});
    QCOMPARE(differences(out, arrays), QString());
}

void TestCliGolden::tinyContinuation()
{
    const QJsonObject golden = readJson(tinyModel + "/golden.json");
    const auto json = onlyJson(runColibri(
        {"run", tinyModel, "--tokens", idList(golden["tokens"].toArray()), "-n", "16", "--ignore-eos", "--json"}));
    QVERIFY(json);
    QCOMPARE(idList((*json)["token_ids"].toArray()), idList(golden["greedy"].toArray()));
}

void TestCliGolden::tinyTokenizer()
{
    int compared = 0;
    for (const QJsonValue value : readJson(tinyModel + "/golden.json")["tokenize"].toArray()) {
        if (!value["parse_special"].toBool())
            continue;
        const auto json =
            onlyJson(runColibri({"tokenize", tinyModel, "-p", "-", "--json"}, value["text"].toString().toUtf8()));
        QVERIFY(json);
        QCOMPARE(idList((*json)["token_ids"].toArray()), idList(value["ids"].toArray()));
        ++compared;
    }
    QVERIFY(compared > 3);
}

void TestCliGolden::demo_data()
{
    QTest::addColumn<QString>("model");
    for (const char* name : {"scripture", "c", "poems", "sums", "json", "tales", "mixed"})
        QTest::newRow(name) << sharedPath("demo-model").value_or(QString());
}

void TestCliGolden::demo()
{
    QFETCH(const QString, model);
    if (model.isEmpty())
        QSKIP("COLIBRI_SHARED names no folder");
    const QString name = QString::fromUtf8(QTest::currentDataTag());
    const QString folder = model + "/golden/" + name;
    const QJsonObject golden = readJson(model + "/golden/manifest.json")[name].toObject();
    const QString ids = idList(golden["token_ids"].toArray());

    const auto tokenized =
        onlyJson(runColibri({"tokenize", model, "-p", "-", "--json"}, golden["text"].toString().toUtf8()));
    QVERIFY(tokenized);
    QCOMPARE(idList((*tokenized)["token_ids"].toArray()), ids);

    const auto run = onlyJson(runColibri({"run", model, "--tokens", ids, "-n", "48", "--ignore-eos", "--json"}));
    QVERIFY(run);
    QCOMPARE(idList((*run)["token_ids"].toArray()), idList(golden["greedy_token_ids"].toArray()));
    QCOMPARE((*run)["text"].toString(), golden["greedy_text"].toString());

    const QString out = m_folder.filePath(name);
    QCOMPARE(runColibri({"logits", model, "--tokens", ids, "--out", out}).code, 0);
    const Golden arrays{readArray<float>(folder + "/logits.f32"), readArray<float>(folder + "/router_logits.f32"),
        readArray<std::uint16_t>(folder + "/experts.u16"), readArray<float>(folder + "/expert_weights.f32"), 16, 5e-5,
        1e-5, 1e-5, 1e-5};
    QCOMPARE(differences(out, arrays), QString());
}

/// The mean loss of `model` over the held-out text that the data tag names; NaN when the program failed.
double TestCliGolden::heldOutLoss(const QString& model, const QStringList& options)
{
    const QString demo = sharedPath("demo-model").value_or(QString());
    const QJsonObject golden =
        readJson(demo + "/golden/manifest.json")[QString::fromUtf8(QTest::currentDataTag())].toObject();
    const QJsonArray ids = golden["held_out_token_ids"].toArray();
    QFile file(m_folder.filePath("held_out.json"));
    if (!file.open(QIODevice::WriteOnly) || file.write(QJsonDocument(ids).toJson()) <= 0)
        return std::nan("");
    file.close();
    const auto json = onlyJson(runColibri(
        QStringList{"perplexity", model, "--tokens-file", file.fileName(), "--window", "256", "--json"} + options));
    if (!json || (*json)["tokens"].toInteger() != ids.size() - 1)
        return std::nan("");
    return (*json)["mean_loss"].toDouble(std::nan(""));
}

void TestCliGolden::heldOut_data()
{
    QTest::addColumn<QString>("model");
    for (const char* name : {"scripture", "c", "poems", "sums", "json", "tales"})
        QTest::newRow(name) << sharedPath("demo-model").value_or(QString());
}

void TestCliGolden::heldOut()
{
    QFETCH(const QString, model);
    if (model.isEmpty())
        QSKIP("COLIBRI_SHARED names no folder");
    const QJsonObject golden =
        readJson(model + "/golden/manifest.json")[QString::fromUtf8(QTest::currentDataTag())].toObject();
    const double difference = heldOutLoss(model) - golden["held_out_loss"].toDouble();
    qInfo("mean loss differs by %.2g", difference);
    QVERIFY(std::abs(difference) <= 1e-4);
}

void TestCliGolden::int8Loss_data()
{
    heldOut_data();
}

/// What rounding the weights to eight bits may cost: half a percent of the f16 export's loss.
void TestCliGolden::int8Loss()
{
    QFETCH(const QString, model);
    if (model.isEmpty())
        QSKIP("COLIBRI_SHARED names no folder");
    for (const QString& dtype : {QStringLiteral("f16"), QStringLiteral("int8")}) {
        const QString out = m_folder.filePath(dtype);
        if (!QFile::exists(out))
            QCOMPARE(runColibri({"export", model, "--out", out, "--dtype", dtype}).code, 0);
    }
    const double f16 = heldOutLoss(m_folder.filePath("f16"), {"--activations", "f32"});
    for (const QString& activations : {QStringLiteral("f32"), QStringLiteral("q8")}) {
        const double ratio = heldOutLoss(m_folder.filePath("int8"), {"--activations", activations}) / f16;
        qInfo("activations %s: loss of int8 over f16 %.5f", qPrintable(activations), ratio);
        QVERIFY(std::abs(ratio - 1) <= 0.005);
    }
}

QTEST_GUILESS_MAIN(TestCliGolden)
#include "tst_cli_golden.moc"
