// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/arrays.h"
#include "engine/cli/program.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <csignal>

using namespace colibri::test;

namespace {

const QString tinyModel = QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32");
const QString tokenText = QStringLiteral("143,34,34,110,7,7,200,34,319,0,143,34");

bool writeText(const QString& path, const QByteArray& text)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

QStringList sorted(QStringList keys)
{
    keys.sort();
    return keys;
}

} // namespace

/// `export --router-table`, and what it tells of the agreement with the source.
class TestCliExport : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void json();
    void tableAndAgreement();
    void int8AgainstTwoLogitsFolders();
    void text();
    void notCompared();
    void textWithoutATokenizer();
    void interruptedComparisonLeavesTheExport();

private:
    QTemporaryDir m_folder;
    QString m_tokens;
};

void TestCliExport::initTestCase()
{
    m_tokens = m_folder.filePath("tokens");
    QVERIFY(writeText(m_tokens, tokenText.toUtf8()));
}

void TestCliExport::json()
{
    const auto report = onlyJson(runColibri({"export", tinyModel, "--out", m_folder.filePath("json"), "--json"}));
    QVERIFY(report);
    QCOMPARE(report->keys(),
        sorted({"source", "out", "dtype", "bytes_written", "tensors", "experts", "changed_types", "seconds",
            "router_table", "agreement", "notes", "engine"}));
    QVERIFY((*report)["router_table"].isNull());
    const QJsonObject agreement = (*report)["agreement"].toObject();
    QCOMPARE(agreement.keys(),
        sorted({"tokens", "window", "decisions", "same_experts", "first_difference", "max_router_logit_difference",
            "max_logit_difference", "rms_logit_difference", "logit_nmse", "same_greedy", "same_greedy_share",
            "source_loss", "export_loss", "seconds"}));
    QCOMPARE(agreement["tokens"].toInt(), 256);
    QCOMPARE(agreement["decisions"].toInt(), 512);
    QCOMPARE(agreement["same_experts"].toInt(), 512);
    QVERIFY(agreement["first_difference"].isNull());
    QCOMPARE(agreement["max_logit_difference"].toDouble(-1), 0.0);
    QCOMPARE(agreement["same_greedy_share"].toDouble(), 1.0);
    QCOMPARE(agreement["source_loss"], agreement["export_loss"]);
}

void TestCliExport::tableAndAgreement()
{
    const QString out = m_folder.filePath("table");
    const auto report = onlyJson(runColibri({"export", tinyModel, "--out", out, "--router-table", "--tokens-file",
        m_tokens, "--near-tie", "0.5", "--verify-tokens", "10", "--threads", "2", "--json"}));
    QVERIFY(report);
    const QJsonObject table = (*report)["router_table"].toObject();
    QCOMPARE(table.keys(),
        sorted(
            {"exact", "rows", "rows_seen", "rows_unseen", "decisions", "reproduced", "near_ties", "near_tie_margin"}));
    QCOMPARE(table["exact"].toBool(true), false);
    QCOMPARE(table["rows"].toInt(), 320);
    QCOMPARE(table["rows_seen"].toInt(), 7);
    QCOMPARE(table["rows_unseen"].toInt(), 313);
    QCOMPARE(table["decisions"].toInt(), 24);
    QCOMPARE(table["near_tie_margin"].toDouble(), 0.5);
    QVERIFY((*report)["notes"].toArray().last().toString().contains("313 of 320 token ids"));
    QCOMPARE((*report)["agreement"].toObject()["tokens"].toInt(), 10);

    // The decisions that a run records, against the table in the file.
    QVERIFY(runColibri({"logits", tinyModel, "--tokens", tokenText, "--out", m_folder.filePath("logits")}).code == 0);
    QFile tableFile(out + "/router_table.bin");
    QFile expertFile(m_folder.filePath("logits/experts.u16"));
    QVERIFY(tableFile.open(QIODevice::ReadOnly) && expertFile.open(QIODevice::ReadOnly));
    const QByteArray rows = tableFile.readAll();
    const QByteArray experts = expertFile.readAll();
    const QStringList ids = tokenText.split(',');
    int reproduced = 0;
    for (int layer = 0; layer < 2; ++layer)
        for (int position = 0; position < ids.size(); ++position) {
            const QByteArray row = rows.mid((layer * 320 + ids[position].toInt()) * 4, 4);
            const QByteArray decision = experts.mid((layer * int(ids.size()) + position) * 4, 4);
            reproduced += row == decision || row == decision.mid(2) + decision.left(2);
        }
    QCOMPARE(table["reproduced"].toInt(), reproduced);

    const auto inspected = onlyJson(runColibri({"inspect", out, "--json"}));
    QVERIFY(inspected);
    const QJsonObject listed = (*inspected)["table"].toObject();
    QCOMPARE(listed["present"].toBool(), true);
    QCOMPARE(listed["router_logits"].toBool(), true);
    QVERIFY(runColibri({"inspect", out}).out.contains("router_logits.bin"));
    const QStringList run{"--tokens", tokenText, "-n", "6", "--json"};
    QCOMPARE((*onlyJson(runColibri(QStringList{"run", out} + run)))["token_ids"],
        (*onlyJson(runColibri(QStringList{"run", tinyModel} + run)))["token_ids"]);
}

void TestCliExport::int8AgainstTwoLogitsFolders()
{
    const QString out = m_folder.filePath("int8");
    const auto report = onlyJson(
        runColibri({"export", tinyModel, "--out", out, "--dtype", "int8", "--tokens-file", m_tokens, "--json"}));
    QVERIFY(report);
    const QJsonObject agreement = (*report)["agreement"].toObject();
    const QStringList models{tinyModel, out};
    std::vector<float> logits[2];
    for (int i = 0; i < 2; ++i) {
        const QString folder = m_folder.filePath("logits" + QString::number(i));
        QCOMPARE(runColibri({"logits", models[i], "--tokens", tokenText, "--out", folder}).code, 0);
        logits[i] = readArray<float>(folder + "/logits.f32");
    }
    QCOMPARE(logits[0].size(), std::size_t{12 * 320});
    double most = 0, differences = 0, squares = 0;
    for (std::size_t i = 0; i < logits[0].size(); ++i) {
        const double apart = double{logits[0][i]} - double{logits[1][i]};
        most = std::max(most, std::abs(apart));
        differences += apart * apart;
        squares += double{logits[0][i]} * double{logits[0][i]};
    }
    QVERIFY(most > 0);
    const auto close = [&](const char* key, double value) {
        return std::abs(agreement[key].toDouble() - value) <= 1e-6 * value;
    };
    QVERIFY(close("max_logit_difference", most));
    QVERIFY(close("rms_logit_difference", std::sqrt(differences / double(logits[0].size()))));
    QVERIFY(close("logit_nmse", differences / squares));
    for (const auto& [key, model] : {std::pair("source_loss", tinyModel), std::pair("export_loss", out)}) {
        const auto perplexity = onlyJson(runColibri({"perplexity", model, "--tokens-file", m_tokens, "--json"}));
        QVERIFY(perplexity && close(key, (*perplexity)["mean_loss"].toDouble()));
    }
}

void TestCliExport::text()
{
    const QString textFile = m_folder.filePath("text");
    QVERIFY(writeText(textFile, "a few words, and a few more"));
    const Outcome outcome = runColibri(
        {"export", tinyModel, "--out", m_folder.filePath("text-out"), "--router-table", "--text-file", textFile});
    QCOMPARE(outcome.code, 0);
    for (const char* const part : {"routing table         profile of a text\n", "  reproduced          ",
             "  near ties           ", "compared              ", "  same experts        ", "(100.00 %) decisions",
             "  mean loss           source ", "Note: "})
        QVERIFY2(outcome.out.contains(part), outcome.out.constData());
    QVERIFY(!outcome.out.contains("first difference"));
}

void TestCliExport::notCompared()
{
    const QString out = m_folder.filePath("alone");
    const auto report = onlyJson(runColibri({"export", tinyModel, "--out", out, "--verify-tokens", "0", "--json"}));
    QVERIFY(report && (*report)["agreement"].isNull());
    QVERIFY(QFile::exists(out + "/config.json"));
}

void TestCliExport::textWithoutATokenizer()
{
    const QString bare = m_folder.filePath("bare");
    QVERIFY(QDir().mkdir(bare));
    for (const char* const file : {"/config.json", "/model.safetensors"})
        QVERIFY(QFile::copy(tinyModel + file, bare + file));
    const QString out = m_folder.filePath("bare-out");
    const Outcome outcome = runColibri({"export", bare, "--out", out, "--router-table"});
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.err.contains("tokenizer") && outcome.err.contains("token ids"), outcome.err.constData());
    QVERIFY(!QFile::exists(out));
    const auto report =
        onlyJson(runColibri({"export", bare, "--out", out, "--router-table", "--tokens-file", m_tokens, "--json"}));
    QVERIFY(report);
    QCOMPARE((*report)["router_table"].toObject()["rows_seen"].toInt(), 7);
}

void TestCliExport::interruptedComparisonLeavesTheExport()
{
    QByteArray many;
    for (int i = 0; i < 400000; ++i)
        many += QByteArray::number(i % 320) + ' ';
    const QString tokens = m_folder.filePath("many");
    QVERIFY(writeText(tokens, many));
    const QString out = m_folder.filePath("interrupted");
    QProcess program;
    program.start(programPath(),
        {"export", tinyModel, "--out", out, "--tokens-file", tokens, "--verify-tokens", "400000", "--json"});
    QVERIFY(program.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(out), 60000); // from then on it compares
    kill(static_cast<pid_t>(program.processId()), SIGINT);
    QVERIFY(program.waitForFinished(60000));
    QCOMPARE(program.exitStatus(), QProcess::NormalExit);
    QCOMPARE(program.exitCode(), 130);
    const QJsonObject report = QJsonDocument::fromJson(program.readAllStandardOutput()).object();
    QVERIFY(report["bytes_written"].toInteger() > 0);
    QVERIFY(report["agreement"].isNull());
    QVERIFY(report["notes"].toArray().last().toString().contains("the export is complete"));
    QCOMPARE(runColibri({"inspect", out}).code, 0);
}

QTEST_GUILESS_MAIN(TestCliExport)
#include "tst_cli_export.moc"
