// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/arrays.h"
#include "engine/cli/program.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace colibri::test;

namespace {

const QString tinyModel = QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32");
const QString tokens = QStringLiteral("143,34,34,110,96,24,146,295,101,287,201,75,309,148");
constexpr std::uint32_t tokenCount = 14;
const QStringList arrayNames{"logits.f32", "router_logits.f32", "experts.u16", "expert_weights.f32"};

} // namespace

/// The folders that `logits` writes, and `perplexity`, which reads the same rows.
class TestCliArrays : public QObject {
    Q_OBJECT

private slots:
    void shapesAreRight();
    void sameBits_data();
    void sameBits();
    void foldersAppearWholeOrNotAtAll();
    void perplexityIsTheMeanOfTheRows();

private:
    QString fresh() { return m_folder.filePath(QStringLiteral("out%1").arg(m_next++)); }

    QTemporaryDir m_folder;
    int m_next = 0;
};

void TestCliArrays::shapesAreRight()
{
    const QString out = fresh();
    const Outcome outcome = runColibri({"logits", tinyModel, "--tokens", tokens, "--out", out});
    QCOMPARE(outcome.code, 0);
    QVERIFY(outcome.out.isEmpty());
    const QJsonObject shape = QJsonDocument::fromJson(fileBytes(out + "/shape.json")).object();
    QCOMPARE(shape["n"].toInt(), 14);
    QCOMPARE(idList(shape["token_ids"].toArray()), tokens);
    QVERIFY(!shape["engine"].toObject()["model_id"].toString().isEmpty());
    QCOMPARE(QDir(out).entryList(QDir::Files).size(), 5);
    const QJsonObject arrays = shape["arrays"].toObject();
    for (const QString& name : arrayNames) {
        qint64 bytes = name.endsWith("u16") ? 2 : 4;
        for (const QJsonValue extent : arrays[name].toObject()["shape"].toArray())
            bytes *= extent.toInteger();
        QCOMPARE(fileBytes(out + '/' + name).size(), bytes);
    }
    // The weights are the renormalized softmax of the router logits of the two best experts.
    const auto logits = readArray<float>(out + "/router_logits.f32");
    const auto experts = readArray<std::uint16_t>(out + "/experts.u16");
    const auto weights = readArray<float>(out + "/expert_weights.f32");
    QCOMPARE(experts.size(), std::size_t{2 * tokenCount * 2});
    for (std::size_t row = 0; row < 2 * tokenCount; ++row) {
        const std::span<const float> of = std::span(logits).subspan(row * 6, 6);
        const std::size_t best = experts[2 * row];
        const std::size_t second = experts[2 * row + 1];
        QVERIFY(best < 6 && second < 6 && best != second);
        for (std::size_t e = 0; e < 6; ++e)
            QVERIFY(of[e] <= of[best] && (e == best || of[e] <= of[second]));
        const double expected = 1 / (1 + std::exp(static_cast<double>(of[second]) - static_cast<double>(of[best])));
        QVERIFY(std::abs(static_cast<double>(weights[2 * row]) - expected) < 1e-6);
        QVERIFY(std::abs(static_cast<double>(weights[2 * row]) + static_cast<double>(weights[2 * row + 1]) - 1) < 1e-6);
    }
}

void TestCliArrays::sameBits_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::newRow("one thread") << QStringList{"--threads", "1"};
    QTest::newRow("three threads") << QStringList{"--threads", "3"};
    QTest::newRow("batch 1") << QStringList{"--batch", "1"};
    QTest::newRow("batch 7") << QStringList{"--batch", "7", "--threads", "2"};
    QTest::newRow("plain code") << QStringList{"--numerics", "scalar", "--batch", "5"};
    QTest::newRow("smaller context") << QStringList{"--context", "14"};
    QTest::newRow("populated") << QStringList{"--load", "populate"};
    QTest::newRow("lazy") << QStringList{"--load", "lazy"};
}

void TestCliArrays::sameBits()
{
    QFETCH(const QStringList, options);
    const QString reference = fresh();
    QCOMPARE(runColibri({"logits", tinyModel, "--tokens", tokens, "--out", reference}).code, 0);
    const QString out = fresh();
    QCOMPARE(runColibri(QStringList{"logits", tinyModel, "--tokens", tokens, "--out", out} + options).code, 0);
    for (const QString& name : arrayNames) {
        QVERIFY(!fileBytes(out + '/' + name).isEmpty());
        QCOMPARE(fileBytes(out + '/' + name), fileBytes(reference + '/' + name));
    }
}

void TestCliArrays::foldersAppearWholeOrNotAtAll()
{
    const QString out = fresh();
    QVERIFY(QDir().mkdir(out));
    QCOMPARE(runColibri({"logits", tinyModel, "--tokens", "1", "--out", out + '/'}).code, 0); // an empty one is taken
    const QByteArray before = fileBytes(out + "/logits.f32");
    const Outcome again = runColibri({"logits", tinyModel, "--tokens", "2", "--out", out});
    QCOMPARE(again.code, 2);
    QVERIFY2(again.err.contains(out.toUtf8()) && again.err.contains("not an empty folder"), again.err.constData());
    QCOMPARE(fileBytes(out + "/logits.f32"), before);
    QCOMPARE(runColibri({"logits", tinyModel, "--tokens", "1", "--out", fresh() + "/below/it"}).code, 2);
    for (const QString& name : QDir(m_folder.path()).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
        QVERIFY2(!name.contains("partial"), qPrintable(name));
}

void TestCliArrays::perplexityIsTheMeanOfTheRows()
{
    const QStringList ids = tokens.split(',');
    const QString file = m_folder.filePath("ids");
    for (const QByteArray& text :
        {tokens.toUtf8(), "[" + tokens.toUtf8().replace(",", ", ") + "]\n", tokens.toUtf8().replace(",", "\n")}) {
        QFile written(file);
        QVERIFY(written.open(QIODevice::WriteOnly));
        written.write(text);
        written.close();
        double sum = 0;
        for (int at = 0; at < 13; at += 5) { // windows of 5: 5, 5 and 3 targets
            const int count = std::min(5, 13 - at);
            const QString out = fresh();
            QCOMPARE(runColibri({"logits", tinyModel, "--tokens", ids.mid(at, count).join(','), "--out", out}).code, 0);
            const auto rows = readArray<float>(out + "/logits.f32");
            QCOMPARE(rows.size(), static_cast<std::size_t>(count) * 320);
            for (int i = 0; i < count; ++i)
                sum += crossEntropy(
                    std::span(rows).subspan(static_cast<std::size_t>(i) * 320, 320), ids[at + i + 1].toUInt());
        }
        const auto json =
            onlyJson(runColibri({"perplexity", tinyModel, "--tokens-file", file, "--window", "5", "--json"}));
        QVERIFY(json);
        QCOMPARE((*json)["tokens"].toInt(), 13);
        QCOMPARE((*json)["windows"].toInt(), 3);
        QVERIFY(std::abs((*json)["mean_loss"].toDouble() - sum / 13) < 1e-9);
        QVERIFY(std::abs((*json)["perplexity"].toDouble() / std::exp(sum / 13) - 1) < 1e-9);
    }
}

QTEST_GUILESS_MAIN(TestCliArrays)
#include "tst_cli_arrays.moc"
