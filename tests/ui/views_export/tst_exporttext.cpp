// SPDX-License-Identifier: GPL-3.0-or-later
#include "exportsamples.h"
#include "models/exportreport.h"
#include "stores/exportplace.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <utility>

using namespace colibri;
using namespace colibri::test;

namespace {

QString valueOf(const std::vector<ExportSection>& sections, const char* property)
{
    for (const ExportSection& section : sections)
        for (const auto& row : section.rows)
            if (row[0].text == QLatin1String(property))
                return row[1].text;
    return QStringLiteral("no such row");
}

} // namespace

/// Texts of exports, and where one can be put.
class TestExportText : public QObject {
    Q_OBJECT

private slots:
    void places();
    void names();
    void sizes();
    void refusedSizes();
    void report();
    void sharesOfAllAndOfNone();
    void reportWithoutComparison();
    void textOfTheReport();
};

void TestExportText::places()
{
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("there")));
    QFile file(folder.filePath(QStringLiteral("file")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(QFile::link(folder.filePath(QStringLiteral("nowhere")), folder.filePath(QStringLiteral("link"))));
    const ExportPlace good = exportPlace(folder.path() + QStringLiteral("/./"), QStringLiteral("new"));
    QCOMPARE(good.why, QString());
    QCOMPARE(good.path, folder.filePath(QStringLiteral("new")));
    QVERIFY(good.freeBytes.has_value());
    QVERIFY(!QFile::exists(good.path)); // nothing was made
    for (const char* const taken : {"there", "file", "link"})
        QVERIFY2(exportPlace(folder.path(), QLatin1String(taken)).why.contains(QLatin1String("already")), taken);
    for (const char* const name : {"", ".", "..", "a/b"})
        QVERIFY2(!exportPlace(folder.path(), QLatin1String(name)).why.isEmpty(), name);
    QVERIFY(exportPlace(QString(), QStringLiteral("new")).why.contains(QLatin1String("folder")));
    QVERIFY(exportPlace(folder.filePath(QStringLiteral("gone")), QStringLiteral("new"))
                .why.contains(folder.filePath(QStringLiteral("gone"))));
    QVERIFY(exportPlace(file.fileName(), QStringLiteral("new")).why.contains(QLatin1String("not a folder")));
}

void TestExportText::names()
{
    const QTemporaryDir folder;
    const auto name = [&](const char* model) { return freeExportName(folder.path(), QLatin1String(model)); };
    QCOMPARE(name("/models/mixtral.GGUF"), QStringLiteral("mixtral-export"));
    QCOMPARE(name("/models/olmoe/"), QStringLiteral("olmoe-export"));
    QCOMPARE(name("/models/olmoe/config.json"), QStringLiteral("olmoe-export"));
    QCOMPARE(name("demo"), QStringLiteral("demo-export"));
    QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("demo-export")));
    QCOMPARE(name("demo"), QStringLiteral("demo-export-2"));
    QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("demo-export-2")));
    QCOMPARE(name("demo"), QStringLiteral("demo-export-3"));
    QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("50%1-export")));
    QCOMPARE(name("50%1"), QStringLiteral("50%1-export-2"));
}

void TestExportText::sizes()
{
    const ExportPlanPtr plan = samplePlan();
    const auto rows = exportSizeRows(*plan, false);
    QCOMPARE(rows.size(), exportChoices.size());
    QCOMPARE(rows[0][0].text, QStringLiteral("as in the source"));
    QCOMPARE(rows[4][0].text, QStringLiteral("int8"));
    for (std::size_t choice = 0; choice < rows.size(); ++choice) {
        QCOMPARE(rows[choice][1].exact.toULongLong(), plan->rows[choice].plain.dense);
        QCOMPARE(rows[choice][2].exact.toULongLong(), plan->rows[choice].plain.experts);
        QCOMPARE(rows[choice][3].exact.toULongLong(), 6148u);
        QCOMPARE(rows[choice][4].exact.toULongLong(), plan->rows[choice].plain.total);
    }
    QCOMPARE(rows[0][5].text, QString::fromUtf8("1.00 \u00d7"));
    QCOMPARE(rows[1][5].text, QString::fromUtf8("6.58 \u00d7"));
    QCOMPARE(exportSizeRows(*plan, true)[2][1].exact.toULongLong(), plan->rows[2].withTable.dense);
}

void TestExportText::refusedSizes()
{
    const auto rows = exportSizeRows(*samplePlan(false), false);
    QCOMPARE(rows[0].size(), std::size_t(6));
    QCOMPARE(rows[0][0].text, QStringLiteral("as in the source"));
    for (const Cell& cell : rows[0])
        QVERIFY(cell.toolTip.startsWith(QLatin1String("it is stored as iq2_xxs")));
    QVERIFY(std::isnan(rows[0][4].exact.toDouble())); // a number like those below, so that it stands like them
    QVERIFY(rows[1][4].exact.toULongLong() > 0);
}

void TestExportText::report()
{
    const auto sections = exportSections(*sampleReport());
    QCOMPARE(sections.size(), std::size_t(3));
    const std::pair<const char*, QString> expected[]{
        {"Matrices", QStringLiteral("int8")},
        {"Size", QStringLiteral("32.1 GiB, 1.86 \u00d7 the source")},
        {"Contents", QStringLiteral("tensors 18,867, expert files 6,144")},
        {"Time", QStringLiteral("2 min 51 s, 192.0 MiB/s")},
        {"Token ids seen", QStringLiteral("231 of 151,936, 0.2 %")},
        {"Decisions reproduced", QStringLiteral("21,013 of 24,576, 85.5 %")},
        {"Near ties", QStringLiteral("187, margin below 0.001")},
        {"Same experts", QStringLiteral("12,201 of 12,288, 99.3 %")},
        {"First difference", QStringLiteral("token 17 \u201c harbour\u201d, layer 3, margin 0.00214")},
        {"Router logits differ by", QStringLiteral("0.0371")},
        {"Logits differ by", QStringLiteral("0.216")},
        {"NMSE of logits", QStringLiteral("4.37e-05")},
        {"Same greedy token", QStringLiteral("252 of 256, 98.4 %")},
        {"Loss of the source", QStringLiteral("2.3412 nats a token")},
        {"Loss of the export", QStringLiteral("2.3440 nats a token, +0.00281")},
    };
    for (const auto& [property, value] : expected)
        QCOMPARE(valueOf(sections, property), value);
}

void TestExportText::sharesOfAllAndOfNone()
{
    const auto report = sampleReport();
    report->agreement->decisions = 1'000'000;
    report->agreement->sameExperts = 999'999;
    report->agreement->sameGreedy = 0;
    report->agreement->firstDifference->token = " 50%3 %1";
    QCOMPARE(valueOf(exportSections(*report), "First difference"),
        QStringLiteral("token 17 \u201c 50%3 %1\u201d, layer 3, margin 0.00214"));
    report->agreement->firstDifference.reset();
    report->agreement->exportLoss = report->agreement->sourceLoss - 0.5;
    report->table->exact = true;
    auto sections = exportSections(*report);
    QCOMPARE(valueOf(sections, "Same experts"), QStringLiteral("999,999 of 1,000,000, > 99.9 %"));
    QCOMPARE(valueOf(sections, "Same greedy token"), QStringLiteral("0 of 256, 0.0 %"));
    QCOMPARE(valueOf(sections, "First difference"), QStringLiteral("none"));
    QVERIFY(valueOf(sections, "Loss of the export").endsWith(QString::fromUtf8("\u22120.5")));
    QVERIFY(valueOf(sections, "Kind").startsWith(QLatin1String("exact")));
    report->agreement->sameExperts = 1'000'000;
    report->agreement->exportLoss = report->agreement->sourceLoss;
    QCOMPARE(valueOf(exportSections(*report), "Loss of the export"), QStringLiteral("2.3412 nats a token, the same"));
    report->agreement->sourceLoss = report->agreement->exportLoss = std::numeric_limits<double>::quiet_NaN();
    sections = exportSections(*report);
    QCOMPARE(valueOf(sections, "Same experts"), QStringLiteral("1,000,000 of 1,000,000, 100.0 %"));
    QCOMPARE(valueOf(sections, "Loss of the export"), QStringLiteral("none"));
    QCOMPARE(valueOf(sections, "Loss of the source"), QStringLiteral("none"));
}

void TestExportText::reportWithoutComparison()
{
    const auto report = sampleReport();
    report->agreement.reset();
    report->table.reset();
    report->agreementNote = QStringLiteral("The export was not compared with its source.");
    QCOMPARE(exportSections(*report).size(), std::size_t(1));
    QVERIFY(plainText(*report).contains(report->agreementNote));
    QCOMPARE(shortText(*report), QStringLiteral("32.1 GiB"));
}

void TestExportText::textOfTheReport()
{
    const auto report = sampleReport();
    const QStringList lines = plainText(*report).split(u'\n');
    QCOMPARE(lines.front(), QStringLiteral("Written"));
    QVERIFY(lines.contains(QStringLiteral("Folder\t") + report->out));
    QVERIFY(lines.contains(QStringLiteral("Same experts\t12,201 of 12,288, 99.3 %")));
    QCOMPARE(lines.back(), report->notes.back());
    QCOMPARE(shortText(*report), QStringLiteral("32.1 GiB; same experts 12,201 of 12,288, 99.3 %"));
}

QTEST_GUILESS_MAIN(TestExportText)
#include "tst_exporttext.moc"
