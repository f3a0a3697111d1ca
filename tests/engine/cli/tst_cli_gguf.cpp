// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/program.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace colibri::test;

namespace {

const QString data = QStringLiteral(COLIBRI_TEST_DATA "/gguf/");

QJsonObject rowWith(const QJsonArray& rows, const char* key, const QString& value)
{
    for (const QJsonValue row : rows)
        if (row.toObject()[key].toString() == value)
            return row.toObject();
    return {};
}

} // namespace

/// What the program says of GGUF files: tests/data/gguf has a Qwen3-MoE of Q4_0, whole and as a split of three.
class TestCliGguf : public QObject {
    Q_OBJECT

private slots:
    void inspect();
    void inspectText();
    void splitIsOneModel();
    void partsAndDamage();
    void architectureThatIsNotKnown();
    void exportKeepsBlockTypes();
    void exportTakesTheTokenizerAlong_data();
    void exportTakesTheTokenizerAlong();
};

void TestCliGguf::exportKeepsBlockTypes()
{
    const QTemporaryDir folder;
    const QString out = folder.filePath("out");
    const auto report = onlyJson(runColibri({"export", data + "model.gguf", "--out", out, "--json"}));
    QVERIFY(report);
    QVERIFY((*report)["changed_types"].toArray().isEmpty());
    const auto json = onlyJson(runColibri({"inspect", out, "--json"}));
    QVERIFY(json);
    const QJsonArray tensors = (*json)["tensors"].toArray();
    const QJsonObject down = rowWith(tensors, "name", "model.layers.1.mlp.experts.5.down_proj.weight");
    QCOMPARE(down["dtype"].toString(), "q4_0");
    QCOMPARE(down["size"].toInteger(), qint64{128} * 64 / 32 * 18);
    const QStringList run{"--tokens", "143,34,34,110", "-n", "8", "--json"};
    const auto before = onlyJson(runColibri(QStringList{"run", data + "model.gguf"} + run));
    const auto after = onlyJson(runColibri(QStringList{"run", out} + run));
    QVERIFY(before && after && !(*before)["token_ids"].toArray().isEmpty());
    QCOMPARE((*after)["token_ids"], (*before)["token_ids"]);
}

void TestCliGguf::exportTakesTheTokenizerAlong_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("over bytes") << QStringLiteral("qwen3moe-f16");
    QTest::newRow("over characters") << QStringLiteral("mixtral-f32");
}

void TestCliGguf::exportTakesTheTokenizerAlong()
{
    QFETCH(const QString, name);
    const auto source = sharedPath("golden/" + name + "/model.gguf");
    if (!source)
        QSKIP("COLIBRI_SHARED is not set");
    const QTemporaryDir folder;
    const QString out = folder.filePath("out");
    QCOMPARE(runColibri({"export", *source, "--out", out}).code, 0);
    const QString text = QStringLiteral("  Hello, wörld! 12345 \n\n def f(x):");
    const auto before = onlyJson(runColibri({"tokenize", *source, "-p", text, "--json"}));
    const auto after = onlyJson(runColibri({"tokenize", out, "-p", text, "--json"}));
    QVERIFY(before && after);
    QVERIFY(!(*before)["token_ids"].toArray().isEmpty());
    QCOMPARE((*after)["token_ids"], (*before)["token_ids"]);
}

void TestCliGguf::inspect()
{
    const auto json = onlyJson(runColibri({"inspect", data + "model.gguf", "--json"}));
    QVERIFY(json);
    QCOMPARE((*json)["format"].toString(), "gguf");
    const QJsonArray metadata = (*json)["metadata"].toArray();
    QCOMPARE(rowWith(metadata, "key", "qwen3moe.block_count")["value"].toString(), "2");
    QCOMPARE(rowWith(metadata, "key", "qwen3moe.block_count")["type"].toString(), "u32");
    const QJsonObject tokens = rowWith(metadata, "key", "tokenizer.ggml.tokens");
    QCOMPARE(tokens["type"].toString(), "array of string");
    QVERIFY2(tokens["value"].toString().endsWith("...] (320)"), qPrintable(tokens["value"].toString()));
    const QJsonArray tensors = (*json)["tensors"].toArray();
    QCOMPARE(tensors.size(), 27);
    const QJsonObject experts = rowWith(tensors, "name", "blk.1.ffn_down_exps.weight");
    QCOMPARE(experts["dtype"].toString(), "q4_0");
    QCOMPARE(experts["kind"].toString(), "experts");
    QCOMPARE(experts["shape"].toArray(), QJsonArray({6, 128, 64}));
    QCOMPARE(experts["size"].toInteger(), qint64{6} * 128 * 64 / 32 * 18);
    for (const QJsonValue tensor : tensors)
        QVERIFY2(tensor["kind"].toString() != "other", qPrintable(tensor["name"].toString()));
    QVERIFY((*json)["notes"].toArray().isEmpty());
    if ((*json)["runs"].toBool()) {
        QCOMPARE((*json)["dimensions"].toObject()["num_experts"].toInt(), 6);
        QVERIFY((*json)["unused_keys"].isArray());
        QCOMPARE(rowWith((*json)["rules"].toArray(), "rule", "num_experts")["key"].toString(), "qwen3moe.expert_count");
    } else {
        QVERIFY((*json)["refused"].toString().contains("q4_0"));
    }
}

void TestCliGguf::inspectText()
{
    const Outcome outcome = runColibri({"inspect", data + "model.gguf"});
    QCOMPARE(outcome.code, 0);
    for (const char* const word : {"gguf", "qwen3", "tokenizer.ggml.model", "Metadata (", "Tensors (27)",
             "blk.0.attn_q.weight", "stored as q4_0", "\"gpt2\""})
        QVERIFY2(outcome.out.contains(word), word);
}

void TestCliGguf::splitIsOneModel()
{
    const auto whole = onlyJson(runColibri({"inspect", data + "model.gguf", "--json"}));
    const auto split = onlyJson(runColibri({"inspect", data + "model-00001-of-00003.gguf", "--json"}));
    QVERIFY(whole && split);
    QCOMPARE((*split)["files"].toArray().size(), 3);
    QCOMPARE((*split)["bytes"], (*whole)["bytes"]);
    QCOMPARE((*split)["model_id"], (*whole)["model_id"]);
}

void TestCliGguf::partsAndDamage()
{
    const Outcome second = runColibri({"inspect", data + "model-00002-of-00003.gguf"});
    QCOMPARE(second.code, 2);
    QVERIFY2(second.err.contains("is part 2 of 3") && second.err.contains("model-00001-of-00003.gguf"), second.err);
    QTemporaryDir folder;
    const QString cut = folder.filePath("cut.gguf");
    QVERIFY(QFile::copy(data + "model.gguf", cut));
    QFile file(cut);
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    QVERIFY(file.resize(file.size() - 1));
    const Outcome shorter = runColibri({"run", cut, "--tokens", "1"});
    QCOMPARE(shorter.code, 2);
    QVERIFY2(shorter.err.contains("cut.gguf at offset") && shorter.err.contains("1 bytes early"), shorter.err);
    const auto seen = onlyJson(runColibri({"inspect", cut, "--json"}));
    QVERIFY(seen);
    QCOMPARE((*seen)["runs"].toBool(true), false);
    QVERIFY((*seen)["refused"].toString().contains("1 bytes early"));
}

void TestCliGguf::architectureThatIsNotKnown()
{
    QTemporaryDir folder;
    QFile model(data + "model.gguf");
    QVERIFY(model.open(QIODevice::ReadOnly));
    QByteArray bytes = model.readAll();
    bytes.replace(bytes.indexOf("qwen3moe"), 8, "qwen9moe");
    QFile other(folder.filePath("other.gguf"));
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write(bytes);
    other.close();
    const auto json = onlyJson(runColibri({"inspect", other.fileName(), "--json"}));
    QVERIFY(json);
    QCOMPARE((*json)["runs"].toBool(true), false);
    QCOMPARE((*json)["architecture"].toString(), "qwen9moe");
    QVERIFY((*json)["refused"].toString().contains("\"qwen9moe\" is not known"));
    QCOMPARE((*json)["tensors"].toArray().size(), 27);
    const Outcome run = runColibri({"run", other.fileName(), "--tokens", "1"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("qwen9moe"), run.err);
}

QTEST_GUILESS_MAIN(TestCliGguf)
#include "tst_cli_gguf.moc"
