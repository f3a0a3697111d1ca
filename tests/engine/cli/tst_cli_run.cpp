// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/program.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace colibri::test;

namespace {

const QString tinyModel = QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32");

bool writeFile(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

} // namespace

/// `run` and `tokenize`: where prompts come from, what is printed, what is refused.
class TestCliRun : public QObject {
    Q_OBJECT

private slots:
    void promptsAgree();
    void jsonSaysHowItCameAbout();
    void textIsWhatJsonSays();
    void nothingToMake();
    void stopsWhenTheContextIsFull();
    void sameSeedSameText();
    void tokenizePrintsIdsAndTexts();
    void mistakes_data();
    void mistakes();

private:
    QTemporaryDir m_folder;
};

void TestCliRun::promptsAgree()
{
    const QByteArray prompt = "the quick\nbrown fox";
    const QString file = m_folder.filePath("prompt");
    QVERIFY(writeFile(file, prompt));
    const QStringList rest{"-n", "12", "--json"};
    const auto direct = onlyJson(runColibri(QStringList{"run", tinyModel, "-p", QString::fromUtf8(prompt)} + rest));
    QVERIFY(direct);
    QVERIFY(!(*direct)["prompt_token_ids"].toArray().isEmpty());
    QCOMPARE((*direct)["token_ids"].toArray().size(), 12);
    const auto fromInput = onlyJson(runColibri(QStringList{"run", tinyModel, "-p", "-"} + rest, prompt));
    const auto fromFile = onlyJson(runColibri(QStringList{"run", tinyModel, "--prompt-file", file} + rest));
    const auto fromIds = onlyJson(
        runColibri(QStringList{"run", tinyModel, "--tokens", idList((*direct)["prompt_token_ids"].toArray())} + rest));
    QVERIFY(fromInput && fromFile && fromIds);
    for (const auto& other : {fromInput, fromFile, fromIds}) {
        QCOMPARE((*other)["prompt_token_ids"], (*direct)["prompt_token_ids"]);
        QCOMPARE((*other)["token_ids"], (*direct)["token_ids"]);
    }
    const auto tokens = onlyJson(runColibri({"tokenize", tinyModel, "-p", "-", "--json"}, prompt));
    QVERIFY(tokens);
    QCOMPARE((*tokens)["token_ids"], (*direct)["prompt_token_ids"]);
}

void TestCliRun::jsonSaysHowItCameAbout()
{
    const auto json =
        onlyJson(runColibri({"run", tinyModel, "--tokens", "1,2,3", "-n", "4", "--seed", "18446744073709551615",
            "--threads", "1", "--batch", "2", "--kv", "f16", "--context", "100", "--numerics", "scalar", "--json"}));
    QVERIFY(json);
    QCOMPARE((*json)["stop_reason"].toString(), "max_tokens");
    const QJsonObject engine = (*json)["engine"].toObject();
    QCOMPARE(engine["threads"].toInt(), 1);
    QCOMPARE(engine["batch"].toInt(), 2);
    QCOMPARE(engine["context"].toInt(), 100);
    QCOMPARE(engine["kv"].toString(), "f16");
    QCOMPARE(engine["numerics"].toString(), "scalar");
    QCOMPARE(engine["isa"].toString(), "scalar");
    QCOMPARE(engine["routing"].toString(), "live");
    QVERIFY(engine.contains("seed"));
    QVERIFY(!engine["version"].toString().isEmpty());
    const QJsonObject timings = (*json)["timings"].toObject();
    for (const char* key : {"load_s", "first_token_s", "prefill_tok_s", "decode_tok_s"})
        QVERIFY2(timings[key].toDouble() > 0, key);
    const QJsonObject memory = (*json)["memory"].toObject();
    QVERIFY(memory["resident_bytes"].toInteger() > memory["arena_bytes"].toInteger() / 100);
    QVERIFY(memory["arena_bytes"].toInteger() > 0);
    QCOMPARE(memory["mapped_bytes"].toInteger(), QFile(tinyModel + "/model.safetensors").size());
    QCOMPARE((*json)["breaker_events"].toInt(-1), 0);
}

void TestCliRun::textIsWhatJsonSays()
{
    const QStringList run{
        "run", tinyModel, "-p", "the quick", "-n", "60", "--temperature", "1.5", "--seed", "3", "--ignore-eos"};
    const auto json = onlyJson(runColibri(run + QStringList{"--json"}));
    QVERIFY(json);
    const Outcome text = runColibri(run);
    QCOMPARE(text.code, 0);
    QVERIFY(!text.out.isEmpty());
    QCOMPARE(QString::fromUtf8(text.out), (*json)["text"].toString());
    QVERIFY(!text.out.contains('\r'));
    QVERIFY(!text.err.contains('\r')); // progress is for terminals
    QVERIFY(text.err.contains("tok/s"));
}

void TestCliRun::nothingToMake()
{
    const auto json = onlyJson(runColibri({"run", tinyModel, "--tokens", "1,2,3", "-n", "0", "--json"}));
    QVERIFY(json);
    QCOMPARE((*json)["token_ids"].toArray().size(), 0);
    QCOMPARE((*json)["text"].toString(), "");
    QCOMPARE((*json)["stop_reason"].toString(), "max_tokens");
    QVERIFY((*json)["timings"].toObject()["decode_tok_s"].isNull());
    const Outcome text = runColibri({"run", tinyModel, "--tokens", "1,2,3", "-n", "0"});
    QCOMPARE(text.code, 0);
    QVERIFY(text.out.isEmpty());
}

void TestCliRun::stopsWhenTheContextIsFull()
{
    const auto json = onlyJson(
        runColibri({"run", tinyModel, "--tokens", "1,2,3", "-n", "50", "--context", "10", "--ignore-eos", "--json"}));
    QVERIFY(json);
    QCOMPARE((*json)["stop_reason"].toString(), "context_full");
    QCOMPARE((*json)["token_ids"].toArray().size(), 7);
}

void TestCliRun::sameSeedSameText()
{
    const auto idsOf = [](const QString& seed) {
        const auto json = onlyJson(runColibri({"run", tinyModel, "--tokens", "5,6", "-n", "40", "--temperature", "2",
            "--ignore-eos", "--seed", seed, "--json"}));
        return json ? (*json)["token_ids"].toArray() : QJsonArray();
    };
    const QJsonArray first = idsOf("7");
    QCOMPARE(first.size(), 40);
    QCOMPARE(idsOf("7"), first);
    QVERIFY(idsOf("8") != first);
}

void TestCliRun::tokenizePrintsIdsAndTexts()
{
    const Outcome outcome = runColibri({"tokenize", tinyModel, "-p", "the \"q"});
    QCOMPARE(outcome.code, 0);
    const auto json = onlyJson(runColibri({"tokenize", tinyModel, "-p", "the \"q", "--json"}));
    QVERIFY(json);
    const QJsonArray ids = (*json)["token_ids"].toArray();
    const QList<QByteArray> lines = outcome.out.split('\n');
    QCOMPARE(lines.size(), ids.size() + 1);
    for (qsizetype i = 0; i < ids.size(); ++i)
        QVERIFY2(lines[i].startsWith(QByteArray::number(ids[i].toInteger()) + "\t\""), lines[i].constData());
    QVERIFY(outcome.out.contains("\"\\\"\"")); // quoted as in JSON
}

void TestCliRun::mistakes_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QStringList>("words");
    QVERIFY(m_folder.isValid());
    const QString empty = m_folder.filePath("empty");
    QVERIFY(QDir().mkdir(empty));
    QStringList many;
    for (int i = 0; i < 600; ++i)
        many << "1";
    const QString bad = m_folder.filePath("latin1");
    QVERIFY(writeFile(bad, "caf\xE9"));
    const QString ids = m_folder.filePath("ids");
    QVERIFY(writeFile(ids, "[1, 2, 320]"));
    const QString one = m_folder.filePath("one");
    QVERIFY(writeFile(one, "5\n"));

    QTest::newRow("no model") << QStringList{"run", "/nonexistent", "--tokens", "1"} << QStringList{"/nonexistent"};
    QTest::newRow("empty folder") << QStringList{"run", empty, "--tokens", "1"} << QStringList{empty};
    QTest::newRow("token past the vocabulary")
        << QStringList{"run", tinyModel, "--tokens", "1,320"} << QStringList{"320", "vocabulary", "position 1"};
    QTest::newRow("logits of such a token") << QStringList{"logits", tinyModel, "--tokens", "1,4000", "--out",
        m_folder.filePath("never")} << QStringList{"4000", "320"};
    QTest::newRow("prompt longer than the context")
        << QStringList{"run", tinyModel, "--tokens", many.join(',')} << QStringList{"600", "512", "context"};
    QTest::newRow("context longer than the model's")
        << QStringList{"run", tinyModel, "--tokens", "1", "--context", "600"} << QStringList{"600", "512"};
    QTest::newRow("text that is no UTF-8")
        << QStringList{"run", tinyModel, "--prompt-file", bad} << QStringList{"UTF-8"};
    QTest::newRow("a folder as prompt") << QStringList{"run", tinyModel, "--prompt-file", empty}
                                        << QStringList{empty, "directory"};
    QTest::newRow("held-out token past the vocabulary")
        << QStringList{"perplexity", tinyModel, "--tokens-file", ids} << QStringList{"320", "position 2"};
    QTest::newRow("one token only") << QStringList{"perplexity", tinyModel, "--tokens-file", one}
                                    << QStringList{"one token"};
    QTest::newRow("window longer than the context") << QStringList{"perplexity", tinyModel, "--text-file",
        QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32/config.json"), "--window", "513"}
                                                    << QStringList{"513", "512", "--window"};
    QTest::newRow("no table") << QStringList{"run", tinyModel, "--tokens", "1", "--routing", "table"}
                              << QStringList{"table"};
}

void TestCliRun::mistakes()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QStringList, words);
    QCOMPARE(refusalComplaint(runColibri(arguments), words), QString());
    QVERIFY(QDir(m_folder.path()).entryList({"never*"}, QDir::AllEntries).isEmpty());
}

QTEST_GUILESS_MAIN(TestCliRun)
#include "tst_cli_run.moc"
