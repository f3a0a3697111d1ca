// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/program.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace colibri::test;

namespace {

const QString data = QStringLiteral(COLIBRI_TEST_DATA "/gguf/");
constexpr qint64 wholeBytes = 340512;

} // namespace

/// What the program says of a model whose data are not all there: what can be seen is shown, and nothing runs.
class TestCliIncomplete : public QObject {
    Q_OBJECT

private slots:
    void cutFile_data();
    void cutFile();
    void missingExpert();
    void namesAlone();
    void nothingToSee();
};

void TestCliIncomplete::cutFile_data()
{
    QTest::addColumn<qint64>("less");
    QTest::addColumn<int>("beyond"); // tensors that are missing as a whole; one is cut in each row
    QTest::newRow("a byte") << qint64{1} << 0;
    QTest::newRow("a half") << wholeBytes / 2 << 12;
    QTest::newRow("most") << qint64{300000} << 24;
}

void TestCliIncomplete::cutFile()
{
    QFETCH(const qint64, less);
    QFETCH(const int, beyond);
    const QTemporaryDir folder;
    const QString cut = folder.filePath("cut.gguf");
    QVERIFY(QFile::copy(data + "model.gguf", cut));
    QFile::setPermissions(cut, QFile::ReadOwner | QFile::WriteOwner);
    QVERIFY(QFile::resize(cut, wholeBytes - less));

    const auto json = onlyJson(runColibri({"inspect", cut, "--json"}));
    QVERIFY(json);
    QCOMPARE((*json)["runs"].toBool(true), false);
    const QString refused = (*json)["refused"].toString();
    QVERIFY2(refused.contains("cut.gguf at offset") && refused.contains("bytes early"), qPrintable(refused));
    QCOMPARE((*json)["architecture"].toString(), "qwen3_moe");
    QCOMPARE((*json)["dimensions"].toObject()["num_experts"].toInt(), 6);
    QVERIFY(!(*json)["rules"].toArray().isEmpty() && !(*json)["metadata"].toArray().isEmpty());
    QVERIFY(!json->contains("model_id"));
    const QJsonArray tensors = (*json)["tensors"].toArray();
    QCOMPARE(tensors.size(), 27);
    qint64 missing = 0;
    for (const QJsonValue tensor : tensors)
        missing += tensor["missing_bytes"].toInteger();
    QVERIFY(missing > 0 && missing <= less);
    QCOMPARE((*json)["missing_bytes"].toInteger(), missing);

    const Outcome text = runColibri({"inspect", cut});
    QCOMPARE(text.code, 0);
    for (const char* const word : {"cannot be run", "bytes early", "Tensors (27)", "Metadata (", "Rules", "experts",
             "bytes missing", "of that missing", "architecture          qwen3_moe"})
        QVERIFY2(text.out.contains(word), word);
    QCOMPARE(text.out.count("  missing"), beyond);
    QCOMPARE(text.out.count("bytes missing"), 1);

    const QString out = folder.filePath("out");
    for (const QStringList& arguments : {QStringList{"run", cut, "--tokens", "1"}, {"export", cut, "--out", out},
             {"logits", cut, "--tokens", "1", "--out", out}, {"tokenize", cut, "-p", "a"}, {"bench", cut, "--json"},
             {"perplexity", cut, "--tokens-file", cut}}) {
        QCOMPARE(refusalComplaint(runColibri(arguments), {"bytes early"}), QString());
        QVERIFY(!QDir(out).exists());
    }
}

void TestCliIncomplete::missingExpert()
{
    const QTemporaryDir folder;
    const QString out = folder.filePath("out");
    QCOMPARE(runColibri({"export", QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32"), "--out", out}).code, 0);
    QVERIFY(QFile::remove(out + "/experts/L00_E02.bin"));
    const auto json = onlyJson(runColibri({"inspect", out, "--json"}));
    QVERIFY(json);
    QCOMPARE((*json)["runs"].toBool(true), false);
    QVERIFY((*json)["refused"].toString().contains("experts/L00_E02.bin"));
    int missing = 0;
    for (const QJsonValue tensor : (*json)["tensors"].toArray())
        missing += tensor["presence"] == "absent" && tensor["missing_bytes"].toInteger() > 0
            && tensor["missing_bytes"] == tensor["size"];
    QCOMPARE(missing, 3); // gate, up, down
    QVERIFY(runColibri({"inspect", out}).out.contains("  missing"));
    QCOMPARE(refusalComplaint(runColibri({"run", out, "--tokens", "1"}), {"L00_E02.bin"}), QString());
}

/// What no file tells is null, and the architecture has one name in text and JSON.
void TestCliIncomplete::namesAlone()
{
    const QTemporaryDir folder;
    QVERIFY(QFile::copy(QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32/config.json"), folder.filePath("config.json")));
    QFile index(folder.filePath("model.safetensors.index.json"));
    QVERIFY(index.open(QIODevice::WriteOnly));
    index.write(R"({"weight_map":{"model.norm.weight":"a.safetensors"}})");
    index.close();
    const auto json = onlyJson(runColibri({"inspect", folder.path(), "--json"}));
    QVERIFY(json);
    const QJsonObject tensor = (*json)["tensors"].toArray().at(0).toObject();
    QCOMPARE(tensor["presence"].toString(), "name_only");
    for (const char* const figure : {"shape", "layout", "offset", "size", "alignment", "missing_bytes"})
        QVERIFY2(tensor.contains(figure) && tensor[figure].isNull(), figure);
    QCOMPARE((*json)["files"].toArray().at(0).toObject()["absent"].toBool(), true);
    QCOMPARE((*json)["architecture"].toString(), "qwen3_moe");
    const QByteArray text = runColibri({"inspect", folder.path()}).out;
    QVERIFY2(text.contains("architecture          qwen3_moe\n"), text);
}

void TestCliIncomplete::nothingToSee()
{
    const QTemporaryDir folder;
    const QString cut = folder.filePath("cut.gguf");
    QVERIFY(QFile::copy(data + "model.gguf", cut));
    QFile::setPermissions(cut, QFile::ReadOwner | QFile::WriteOwner);
    for (const qint64 size : {2000, 100, 24, 23, 3, 0}) {
        QVERIFY(QFile::resize(cut, size));
        QCOMPARE(refusalComplaint(runColibri({"inspect", cut, "--json"}), {"cut.gguf"}), QString());
    }
}

QTEST_GUILESS_MAIN(TestCliIncomplete)
#include "tst_cli_incomplete.moc"
