// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/program.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace colibri::test;

namespace {

const QString tinyModel = QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32");

qint64 product(const QJsonArray& shape)
{
    qint64 result = 1;
    for (const QJsonValue extent : shape)
        result *= extent.toInteger();
    return result;
}

qint64 sum(const QJsonObject& object)
{
    qint64 total = 0;
    for (const QJsonValue value : object)
        total += value.toInteger();
    return total;
}

} // namespace

/// What `inspect` and `export` say agrees with itself and with the files.
class TestCliInspect : public QObject {
    Q_OBJECT

private slots:
    void inspectAddsUp();
    void inspectText();
    void exportKeepsTheBits_data();
    void exportKeepsTheBits();
    void exportRefusesWhatExists();
    void bench();

private:
    QTemporaryDir m_folder;
};

void TestCliInspect::inspectAddsUp()
{
    const auto json = onlyJson(runColibri({"inspect", tinyModel, "--json"}));
    QVERIFY(json);
    QCOMPARE((*json)["architecture"].toString(), "qwen3_moe");
    QCOMPARE((*json)["format"].toString(), "huggingface");
    const QJsonObject dimensions = (*json)["dimensions"].toObject();
    QCOMPARE(dimensions["num_experts"].toInt(), 6);
    QCOMPARE(dimensions["num_active_experts"].toInt(), 2);
    QCOMPARE(dimensions["vocab_size"].toInt(), 320);

    qint64 parameters = 0;
    qint64 bytes = 0;
    for (const QJsonValue value : (*json)["tensors"].toArray()) {
        const QJsonObject tensor = value.toObject();
        parameters += product(tensor["shape"].toArray());
        bytes += tensor["size"].toInteger();
        QCOMPARE(tensor["size"].toInteger(), 4 * product(tensor["shape"].toArray()));
        QCOMPARE(tensor["offset"].toInteger() % tensor["alignment"].toInteger(), 0);
        QVERIFY(tensor["alignment"].toInteger() == 4096
            || tensor["offset"].toInteger() % (2 * tensor["alignment"].toInteger()) != 0);
        QVERIFY(QFileInfo::exists(tensor["file"].toString()));
        QVERIFY(tensor["kind"].toString() != "other");
    }
    const QJsonObject counts = (*json)["parameters"].toObject();
    QCOMPARE(counts["total"].toInteger(), parameters);
    QVERIFY(counts["active"].toInteger() < parameters);
    QCOMPARE(sum((*json)["bytes"].toObject()), bytes);
    QCOMPARE(sum((*json)["dtypes"].toObject()), bytes);
    // Four of six experts of two layers are not active; each has three matrices of 64 x 128.
    QCOMPARE((*json)["bytes"].toObject()["experts"].toInteger(), qint64{2 * 6 * 3 * 64 * 128 * 4});
    for (const QJsonValue file : (*json)["files"].toArray())
        QCOMPARE(file["size"].toInteger(), QFileInfo(file["path"].toString()).size());
    QVERIFY(!(*json)["rules"].toArray().isEmpty());
    for (const QJsonValue rule : (*json)["rules"].toArray())
        QVERIFY(!rule["origin"].toString().isEmpty());
    QCOMPARE((*json)["model_id"].toString().size(), 16);
    QCOMPARE((*json)["engine"].toObject()["model_id"], (*json)["model_id"]);
}

void TestCliInspect::inspectText()
{
    const Outcome outcome = runColibri({"inspect", tinyModel});
    QCOMPARE(outcome.code, 0);
    for (const char* word :
        {"qwen3_moe", "routing.normalize", "model.layers.1.mlp.experts.5.down_proj.weight", "model.safetensors"})
        QVERIFY2(outcome.out.contains(word), word);
}

void TestCliInspect::exportKeepsTheBits_data()
{
    QTest::addColumn<QString>("dtype");
    QTest::addColumn<int>("bits");
    QTest::newRow("f32") << "f32" << 32;
    QTest::newRow("f16") << "f16" << 16;
    QTest::newRow("bf16") << "bf16" << 16;
    QTest::newRow("int8") << "int8" << 9; // with an f32 scale for 32 values
}

void TestCliInspect::exportKeepsTheBits()
{
    QFETCH(const QString, dtype);
    QFETCH(const int, bits);
    const QString out = m_folder.filePath(dtype);
    const auto report = onlyJson(runColibri({"export", tinyModel, "--out", out, "--dtype", dtype, "--json"}));
    QVERIFY(report);
    QCOMPARE((*report)["experts"].toInt(), 12);
    QVERIFY((*report)["bytes_written"].toInteger() > 0);
    const auto json = onlyJson(runColibri({"inspect", out, "--json"}));
    QVERIFY(json);
    QCOMPARE((*json)["format"].toString(), "colibri");
    QCOMPARE((*json)["bytes"].toObject()["experts"].toInteger(), qint64{2} * 6 * 3 * 64 * 128 * bits / 8);
    for (const QJsonValue tensor : (*json)["tensors"].toArray())
        QCOMPARE(tensor["offset"].toInteger() % 64, 0);

    const QStringList run{"--tokens", "143,34,34,110", "-n", "8", "--json"};
    const auto here = onlyJson(runColibri(QStringList{"run", out} + run));
    QVERIFY(here);
    QCOMPARE((*here)["token_ids"].toArray().size(), 8);
    if (dtype == "f32")
        QCOMPARE((*here)["token_ids"], (*onlyJson(runColibri(QStringList{"run", tinyModel} + run)))["token_ids"]);
}

void TestCliInspect::exportRefusesWhatExists()
{
    const QString out = m_folder.filePath("there");
    QVERIFY(QDir().mkdir(out));
    const Outcome outcome = runColibri({"export", tinyModel, "--out", out});
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.err.contains(out.toUtf8()), outcome.err.constData());
    QVERIFY(QDir(out).isEmpty());
}

void TestCliInspect::bench()
{
    const auto json = onlyJson(
        runColibri({"bench", tinyModel, "--prompt-tokens", "20", "--gen-tokens", "5", "--repeat", "2", "--json"}));
    QVERIFY(json);
    for (const char* key : {"decode_tok_s", "prefill_tok_s", "first_token_s", "open_s"}) {
        const QJsonArray spread = (*json)["spread"].toObject()[key].toArray();
        QCOMPARE(spread.size(), 2);
        QVERIFY2(spread[0].toDouble() > 0 && spread[0].toDouble() <= (*json)[key].toDouble(), key);
        QVERIFY2((*json)[key].toDouble() <= spread[1].toDouble(), key);
    }
    // All but the embedding, of which one row is read, and four of six experts.
    const QJsonObject bytes = (*onlyJson(runColibri({"inspect", tinyModel, "--json"})))["bytes"].toObject();
    const qint64 expected =
        sum(bytes) - bytes["embedding"].toInteger() + 128 * 4 - bytes["experts"].toInteger() * 4 / 6;
    QCOMPARE((*json)["decode_bytes_per_token"].toInteger(), expected);
    const double bandwidth = (*json)["read_bandwidth_bytes_s"].toDouble();
    QVERIFY(bandwidth > 1e7);
    const double share = (*json)["decode_tok_s"].toDouble() * static_cast<double>(expected) / bandwidth;
    QVERIFY(qAbs((*json)["decode_bandwidth_share"].toDouble() / share - 1) < 1e-9);
    QVERIFY((*json)["peak_rss_bytes"].toInteger() >= (*json)["peak_anonymous_bytes"].toInteger());
    QVERIFY((*json)["peak_anonymous_bytes"].toInteger() > 0);
    QVERIFY(!(*json)["engine"].toObject()["isa"].toString().isEmpty());

    const Outcome tooLong = runColibri({"bench", tinyModel, "--prompt-tokens", "510", "--gen-tokens", "5"});
    QCOMPARE(tooLong.code, 2);
    QVERIFY2(tooLong.err.contains("515") && tooLong.err.contains("512"), tooLong.err.constData());
}

QTEST_GUILESS_MAIN(TestCliInspect)
#include "tst_cli_inspect.moc"
