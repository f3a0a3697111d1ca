// SPDX-License-Identifier: GPL-3.0-or-later
#include "clientbench.h"
#include "generatedfolder.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <algorithm>

using namespace colibri;
using namespace colibri::test;

/// Models that the engine's thread opens, and what overtakes an opening.
class TestEngineOpening : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void openingGivesTheFacts();
    void openingErrors_data();
    void openingErrors();
    void aFailedOpeningKeepsTheModel();
    void cancelAnOpening();
    void closeDuringAnOpening();
    void theNewestOpeningWins();

private:
    QTemporaryDir m_folder;
    qint64 m_largeBytes = 0;
};

void TestEngineOpening::initTestCase()
{
    QVERIFY(m_folder.isValid());
    m_largeBytes = writeGeneratedFolder(m_folder.filePath("large"), {});
    QVERIFY(m_largeBytes > (qint64{3} << 30));
}

void TestEngineOpening::openingGivesTheFacts()
{
    Bench bench;
    QVERIFY(bench.openAndWait(tinyFolder()));
    const ModelFacts& facts = *bench.open.model();
    QCOMPARE(facts.config.numLayers, 2u);
    QCOMPARE(facts.config.numExperts, 6u);
    QCOMPARE(facts.format, std::string("huggingface"));
    QCOMPARE(facts.id.size(), 16u);
    QVERIFY(facts.parameters > facts.activeParameters && facts.activeParameters > 0);
    QVERIFY(facts.mappedBytes > 0 && !facts.tensors.empty() && !facts.files.empty() && facts.hasRouter);
    QCOMPARE(facts.parts, partsOf(facts.tensors));
    QVERIFY(std::ranges::find(facts.parts, PartKind::Other, &TensorPart::kind) == facts.parts.end());
    QCOMPARE(facts.tokenBytes.size(), 320u);
    QCOMPARE(facts.specialToken.size(), 320u);
    QCOMPARE(bench.open.expertStates().size(), 12u);
    QVERIFY(bench.closeMs() < 1000);
}

void TestEngineOpening::openingErrors_data()
{
    QTest::addColumn<QString>("path");
    QTest::newRow("missing") << m_folder.filePath("nothing");
    QVERIFY(QDir().mkpath(m_folder.filePath("empty")));
    QTest::newRow("no model") << m_folder.filePath("empty");
    QFile config(m_folder.filePath("empty2/config.json"));
    QVERIFY(QDir().mkpath(m_folder.filePath("empty2")) && config.open(QIODevice::WriteOnly));
    config.write("{\"model_type\": \"qwen3_moe\"");
    QTest::newRow("broken configuration") << m_folder.filePath("empty2");
}

void TestEngineOpening::openingErrors()
{
    QFETCH(QString, path);
    Bench bench;
    QVERIFY(!bench.openAndWait(path));
    QCOMPARE(bench.open.state(), OpenStore::State::Failed);
    QVERIFY(bench.open.error()->code != Errc::Cancelled);
    QVERIFY(!bench.open.error()->what.empty() && !bench.open.error()->why.empty());
    QVERIFY(QString::fromStdString(bench.open.error()->file).startsWith(path));
    QVERIFY(!bench.open.model());
}

void TestEngineOpening::aFailedOpeningKeepsTheModel()
{
    Bench bench;
    QVERIFY(bench.openAndWait(tinyFolder()));
    bench.client->run(spec(20));
    QVERIFY(bench.waitFor(RunStore::State::Finished));
    const QString text = bench.run.text();
    QVERIFY(!bench.openAndWait(m_folder.filePath("nothing")));
    QCOMPARE(bench.run.text(), text);
    bench.client->run(spec(20));
    QVERIFY(bench.waitFor(RunStore::State::Finished));
    QCOMPARE(bench.run.text(), text);
}

void TestEngineOpening::cancelAnOpening()
{
    Bench bench;
    OpenOptions options;
    options.load = LoadMode::Populate;
    bench.client->open(m_folder.filePath("large"), options);
    QVERIFY(QTest::qWaitFor([&] { return bench.open.bytesDone() > 0; }, answerMs));
    QCOMPARE(bench.open.layers(), 8);
    QElapsedTimer clock;
    clock.start();
    bench.client->cancelOpen();
    QVERIFY(QTest::qWaitFor([&] { return bench.open.state() != OpenStore::State::Opening; }, answerMs));
    QVERIFY(clock.elapsed() < 1000);
    QCOMPARE(bench.open.state(), OpenStore::State::Cancelled);
    QVERIFY(bench.open.bytesDone() < bench.open.bytesTotal());
    QVERIFY(!bench.open.error() && !bench.open.model());
}

void TestEngineOpening::closeDuringAnOpening()
{
    Bench bench;
    OpenOptions options;
    options.load = LoadMode::Populate;
    bench.client->open(m_folder.filePath("large"), options);
    QVERIFY(QTest::qWaitFor([&] { return bench.open.bytesDone() > 0; }, answerMs));
    QVERIFY(bench.closeMs() < 1000);
}

void TestEngineOpening::theNewestOpeningWins()
{
    Bench bench;
    OpenOptions options;
    options.load = LoadMode::Populate;
    bench.client->open(m_folder.filePath("large"), options);
    bench.client->open(m_folder.filePath("nothing"));
    QVERIFY(bench.openAndWait(tinyFolder()));
    QSignalSpy states(&bench.open, &OpenStore::stateChanged);
    QTest::qWait(100);
    QCOMPARE(states.count(), 0);
    QCOMPARE(bench.open.model()->config.numLayers, 2u);
}

QTEST_GUILESS_MAIN(TestEngineOpening)
#include "tst_engineopening.moc"
