// SPDX-License-Identifier: Apache-2.0
#include "api/agreement.h"
#include "api/export.h"
#include "api/session.h"
#include "engine/export/linearsource.h"
#include "support/errorcheck.h"
#include "support/generatedmodel.h"
#include "support/outputrows.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace colibri;
using namespace colibri::test;

namespace {

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Changes a file that was written read-only.
bool rewrite(const QString& path, const QByteArray& content)
{
    QFile::remove(path);
    return writeFile(path.toStdString(), content.toStdString());
}

} // namespace

/// Tables that are exact, those that go along, and what a reader does with broken ones.
class TestExportTable : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void exactTableOfLinearMoe();
    void routerLogitsOfLinearMoe();
    void tableRoutesAsTheRouterDid();
    void goesAlong();
    void tableWithoutRouterIsKept();
    void idsWithoutEndAreRefused_data();
    void idsWithoutEndAreRefused();
    void brokenFilesAreRefused_data();
    void brokenFilesAreRefused();

private:
    ModelPtr m_source;
    QString m_out;
    std::optional<ExportReport> m_report;
    QTemporaryDir m_folder;
};

void TestExportTable::initTestCase()
{
    const QString folder = m_folder.filePath("source");
    QCOMPARE(LinearSource().write(folder), QString());
    const auto model = openModel(folder.toStdString());
    QVERIFY2(model, model ? "" : model.error().message().c_str());
    m_source = *model;
    m_out = m_folder.filePath("out");
    ExportOptions options;
    options.routerTable.emplace();
    options.routerTable->nearTie = 1.f;
    OpenProgress progress;
    const auto report = exportModel(*m_source, m_out.toStdString(), options, &progress);
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    m_report = *report;
    QCOMPARE(progress.bytesDone(), progress.bytesTotal());
}

void TestExportTable::exactTableOfLinearMoe()
{
    const QByteArray bytes = contentOf(m_out + "/router_table.bin");
    QCOMPARE(bytes.size(), qsizetype{LinearSource::layers} * LinearSource::vocabulary * LinearSource::k * 2);
    for (std::uint32_t layer = 0; layer < LinearSource::layers; ++layer)
        for (std::uint32_t token = 0; token < LinearSource::vocabulary; ++token) {
            std::vector<std::uint16_t> row(LinearSource::k);
            std::memcpy(row.data(), bytes.constData() + (layer * LinearSource::vocabulary + token) * row.size() * 2,
                row.size() * 2);
            QCOMPARE(row, LinearSource::best(layer, token));
        }
    QVERIFY(m_report->table);
    const TableReport& table = *m_report->table;
    QVERIFY(table.exact);
    QCOMPARE(table.rows, LinearSource::vocabulary);
    QCOMPARE(table.rowsSeen, LinearSource::vocabulary);
    QCOMPARE(table.decisions, std::uint64_t{LinearSource::layers} * LinearSource::vocabulary);
    QCOMPARE(table.reproduced, table.decisions);
    std::uint64_t ties = 0;
    for (std::uint32_t layer = 0; layer < LinearSource::layers; ++layer)
        for (std::uint32_t token = 0; token < LinearSource::vocabulary; ++token) {
            std::vector<double> logits = LinearSource::logits(layer, token);
            std::ranges::sort(logits, std::greater());
            ties += logits[LinearSource::k - 1] - logits[LinearSource::k] < 1;
        }
    QVERIFY(ties > 1 && ties < table.decisions);
    QCOMPARE(table.nearTies, ties);
    QCOMPARE(table.nearTie, 1.f);
}

void TestExportTable::routerLogitsOfLinearMoe()
{
    constexpr std::size_t rows = std::size_t{LinearSource::layers} * LinearSource::vocabulary;
    const QByteArray bytes = contentOf(m_out + "/router_logits.bin");
    QCOMPARE(bytes.size(), qsizetype(rows * (LinearSource::experts + 8)));
    for (std::uint32_t row = 0; row < rows; ++row) {
        float scale[2];
        std::memcpy(scale, bytes.constData() + rows * LinearSource::experts + row * sizeof scale, sizeof scale);
        const std::vector<double> logits =
            LinearSource::logits(row / LinearSource::vocabulary, row % LinearSource::vocabulary);
        for (std::size_t expert = 0; expert < logits.size(); ++expert) {
            const auto byte = static_cast<unsigned char>(bytes[row * LinearSource::experts + expert]);
            const double back = double{scale[1]} + double{scale[0]} * byte;
            QVERIFY(std::abs(back - logits[expert]) <= double{scale[0]} * 0.5001);
        }
    }
}

void TestExportTable::tableRoutesAsTheRouterDid()
{
    const auto model = openModel(m_out.toStdString());
    QVERIFY2(model, model ? "" : model.error().message().c_str());
    QVERIFY((*model)->hasTable() && (*model)->hasRouter() && (*model)->hasRouterLogits());
    std::vector<TokenId> tokens(16);
    for (std::size_t i = 0; i < tokens.size(); ++i)
        tokens[i] = static_cast<TokenId>(i * 11 % LinearSource::vocabulary);
    std::vector<float> outputs[2];
    for (const RoutingSource routing : {RoutingSource::Live, RoutingSource::Table}) {
        EngineOptions options;
        options.routing = routing;
        const auto session = Session::create(*model, options);
        QVERIFY(session);
        auto rows = outputRows(**session, tokens);
        QVERIFY2(rows, rows ? "" : rows.error().message().c_str());
        outputs[static_cast<int>(routing)] = std::move(*rows);
    }
    QVERIFY(!outputs[0].empty());
    QCOMPARE(outputs[0], outputs[1]);
    const auto session = Session::create(*model, {});
    QVERIFY(session);
    QCOMPARE((*session)->info().routing, RoutingSource::Live); // unless asked otherwise
}

void TestExportTable::goesAlong()
{
    const auto model = openModel(m_out.toStdString());
    QVERIFY(model);
    const QString again = m_folder.filePath("again");
    const auto report = exportModel(**model, again.toStdString(), {});
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    QVERIFY(!report->table);
    for (const char* const file : {"/router_table.bin", "/router_logits.bin"})
        QCOMPARE(contentOf(again + file), contentOf(m_out + file));
    const auto lines = [](const QByteArray& config) {
        QByteArrayList kept;
        for (const QByteArray& line : config.split('\n'))
            for (const char* const key : {"  \"router_table\": {", "  \"router_logits\": {", "  \"sanity\": ["})
                if (line.startsWith(key))
                    kept << line;
        return kept;
    };
    const auto first = lines(contentOf(m_out + "/config.json"));
    QCOMPARE(first.size(), 3);
    QCOMPARE(lines(contentOf(again + "/config.json")), first);
}

void TestExportTable::tableWithoutRouterIsKept()
{
    LinearSource source;
    source.router = false;
    const QString folder = m_folder.filePath("tabled");
    QCOMPARE(source.write(folder), QString());
    QVERIFY(contentOf(folder + "/config.json").contains("\"sanity\": [{\"layer\":0,\"token\":0,\"experts\":[0,1,2]}"));
    const auto model = openModel(folder.toStdString());
    QVERIFY2(model, model ? "" : model.error().message().c_str());
    const QString out = m_folder.filePath("kept");
    ExportOptions options;
    options.routerTable.emplace();
    const auto report = exportModel(**model, out.toStdString(), options);
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    QVERIFY(report->table && report->table->exact);
    QCOMPARE(report->table->rowsSeen, LinearSource::vocabulary);
    QVERIFY(!report->notes.empty());
    QCOMPARE(contentOf(out + "/router_table.bin"), contentOf(folder + "/router_table.bin"));
    QVERIFY(!QFile::exists(out + "/router_logits.bin"));
}

void TestExportTable::idsWithoutEndAreRefused_data()
{
    QTest::addColumn<std::uint32_t>("vocabulary");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("part");
    QTest::newRow("none stated") << 0u << int(Errc::Unsupported) << QByteArray("vocab_size");
    QTest::newRow("billions") << 1000000000u << int(Errc::OutOfMemory) << QByteArray("rows of 1000000000 token ids");
}

void TestExportTable::idsWithoutEndAreRefused()
{
    QFETCH(const std::uint32_t, vocabulary);
    QFETCH(const int, code);
    QFETCH(const QByteArray, part);
    LinearSource source;
    source.statedVocabulary = vocabulary;
    const QString folder = m_folder.filePath("endless" + QString::number(vocabulary));
    QCOMPARE(source.write(folder), QString());
    const auto model = openModel(folder.toStdString());
    QVERIFY2(model, model ? "" : model.error().message().c_str());
    ExportOptions options;
    options.routerTable.emplace();
    const QString out = m_folder.filePath("never");
    QCOMPARE(complaint(exportModel(**model, out.toStdString(), options), static_cast<Errc>(code), {part}), QString());
    QVERIFY(!QFile::exists(out));
}

void TestExportTable::brokenFilesAreRefused_data()
{
    QTest::addColumn<QByteArray>("before"); ///< of config.json; empty: `offset` says where the file below is changed
    QTest::addColumn<QByteArray>("after");
    QTest::addColumn<int>("offset");
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArrayList>("parts");
    const auto config = [](const char* name, const char* before, const char* after, Errc code,
                            const QByteArrayList& parts) {
        QTest::newRow(name) << QByteArray(before) << QByteArray(after) << -1 << QString() << int(code) << parts;
    };
    const auto bytes = [](const char* name, const char* file, int offset, const QByteArray& after, Errc code,
                           const QByteArrayList& parts) {
        QTest::newRow(name) << QByteArray() << after << offset << QString(file) << int(code) << parts;
    };
    const QByteArray logits =
        "\"router_logits\": {\"file\":\"router_logits.bin\",\"layers\":1,\"rows\":40,\"experts\":7}";
    config("sanity", "\"layer\":0,\"token\":0,\"experts\":[0,1,2]", "\"layer\":0,\"token\":0,\"experts\":[0,2,1]",
        Errc::Mismatch, {"router_table.bin", "layer 0, token 0", "[0, 2, 1]", "[0, 1, 2]"});
    bytes("table under sanity", "router_table.bin", 0, QByteArray("\x03\0", 2), Errc::Mismatch,
        {"layer 0, token 0", "sanity expects experts [0, 1, 2]", "[3, 1, 2]"});
    bytes(
        "expert twice", "router_table.bin", 2, QByteArray("\0\0", 2), Errc::Malformed, {"row 0, column 1", "expert 0"});
    config("layers of the table", "\"router_table\": {\"file\":\"router_table.bin\",\"layers\":1",
        "\"router_table\": {\"file\":\"router_table.bin\",\"layers\":3", Errc::Mismatch,
        {"router_table.layers is 3", "num_layers is 1"});
    config("dense layers", "\"num_layers\": 1", "\"dense_layers\": 1, \"num_layers\": 1", Errc::Malformed,
        {"dense_layers is 1", "0"});
    config("logits are no object", logits.constData(), "\"router_logits\": 7", Errc::Malformed,
        {"router_logits is a number"});
    config("layers of logits", "\"layers\":1,\"rows\":40,\"experts\"", "\"layers\":2,\"rows\":40,\"experts\"",
        Errc::Mismatch, {"router_logits.layers is 2", "1"});
    config("rows of logits", "\"rows\":40,\"experts\"", "\"rows\":39,\"experts\"", Errc::Mismatch,
        {"router_logits.rows is 39", "routing table are 40"});
    config("experts of logits", "\"experts\":7}", "\"experts\":8}", Errc::Mismatch,
        {"router_logits.experts is 8", "num_experts is 7"});
    config("no rows", ",\"rows\":40,\"experts\"", ",\"experts\"", Errc::Malformed, {"router_logits.rows", "missing"});
    config("file of logits", "\"file\":\"router_logits.bin\"", "\"file\":\"../router_logits.bin\"", Errc::Malformed,
        {"plain path"});
    config("another file", "\"file\":\"router_logits.bin\"", "\"file\":\"router_table.bin\"", Errc::Mismatch,
        {"router_table.bin", "has 240 bytes", "need 600"});
    const int scales = 40 * 7;
    bytes("scale is nan", "router_logits.bin", scales + 8 * 11, QByteArray("\0\0\xc0\x7f", 4), Errc::Malformed,
        {"layer 0, row 11", "finite"});
    bytes("scale is negative", "router_logits.bin", scales, QByteArray("\0\0\x80\xbf", 4), Errc::Malformed,
        {"layer 0, row 0", "-1"});
    bytes("offset is infinite", "router_logits.bin", scales + 4, QByteArray("\0\0\x80\x7f", 4), Errc::Malformed,
        {"layer 0, row 0", "inf"});
}

void TestExportTable::brokenFilesAreRefused()
{
    QFETCH(const QByteArray, before);
    QFETCH(const QByteArray, after);
    QFETCH(const int, offset);
    QFETCH(const QString, file);
    QFETCH(const int, code);
    QFETCH(const QByteArrayList, parts);
    const QString path = m_out + "/" + (before.isEmpty() ? file : QStringLiteral("config.json"));
    const QByteArray good = contentOf(path);
    QByteArray bad = good;
    const qsizetype at = before.isEmpty() ? offset : good.indexOf(before);
    QVERIFY2(at >= 0, before.constData());
    bad.replace(at, before.isEmpty() ? after.size() : before.size(), after);
    QVERIFY(bad != good);
    QVERIFY(rewrite(path, bad));
    const auto opened = openModel(m_out.toStdString());
    QVERIFY(rewrite(path, good));
    QCOMPARE(complaint(opened, static_cast<Errc>(code), parts), QString());
    QVERIFY(openModel(m_out.toStdString()));
}

QTEST_GUILESS_MAIN(TestExportTable)
#include "tst_export_table.moc"
