// SPDX-License-Identifier: GPL-3.0-or-later
#include "clientbench.h"
#include "generatedfolder.h"

#include <QFile>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <algorithm>
#include <functional>

using namespace colibri;
using namespace colibri::test;

namespace {

std::vector<TokenId> idsOf(const RunStore& run)
{
    std::vector<TokenId> ids;
    for (int position = 0; position < run.tokens(); ++position)
        ids.push_back(run.piece(position).id);
    return ids;
}

struct Reference {
    std::vector<TokenId> ids; ///< prompt and generated
    QString text;
};

/// The same run straight through the engine.
Reference reference(const RunSpec& wanted)
{
    const ModelPtr model = *openModel(tinyFolder().toStdString());
    Reference expected{*model->tokenize(wanted.promptText.toStdString()), {}};
    const auto session = std::move(*Session::create(model, wanted.engine));
    RunRequest request{expected.ids, wanted.maxTokens, wanted.sampling, wanted.ignoreEndOfText};
    if (!session->begin(request, nullptr) || !session->advance(wanted.maxTokens, {}))
        qFatal("the reference run failed");
    expected.ids.insert(expected.ids.end(), session->generated().begin(), session->generated().end());
    expected.text = QString::fromStdString(model->detokenize(expected.ids));
    return expected;
}

} // namespace

/// Runs of the engine's thread as the window asks for them.
class TestEngineClient : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void fullSpeedRun();
    void paceHolds();
    void paceChangesDuringARun();
    void stopThenStepThenContinue();
    void stopIsNeverLost();
    void stepStartsARun();
    void anotherRunReplacesTheOneUnderWay();
    void runErrors_data();
    void runErrors();
    void runWithoutAModel();
    void aFileThatShrank();
    void sessionFollowsTheOptions();
    void closeTheModelDuringARun();
    void anythingInAnyOrder();

private:
    QTemporaryDir m_folder;
    qint64 m_largeBytes = 0;
};

void TestEngineClient::initTestCase()
{
    QVERIFY(m_folder.isValid());
    m_largeBytes = writeGeneratedFolder(m_folder.filePath("large"), {});
    QVERIFY(m_largeBytes > (qint64{3} << 30));
}

void TestEngineClient::fullSpeedRun()
{
    const Reference expected = reference(spec(200));
    Bench bench;
    QVERIFY(bench.openAndWait(tinyFolder()));
    int announced = 0;
    connect(&bench.run, &RunStore::tokensAppended, this, [&](int from, int to) {
        QVERIFY(from <= announced && to > announced);
        announced = to;
    });
    bench.client->run(spec(200));
    QVERIFY(bench.waitFor(RunStore::State::Finished));
    QCOMPARE(bench.run.finishReason(), StopReason::MaxTokens);
    QCOMPARE(idsOf(bench.run), expected.ids);
    QCOMPARE(bench.run.text(), expected.text);
    QCOMPARE(announced, bench.run.tokens());
    QCOMPARE(bench.run.promptTokens(), int(expected.ids.size()) - 200);
    QCOMPARE(bench.run.routed(), bench.run.tokens() - 1); // the last token went through no layer
    QCOMPARE(bench.run.droppedTimings(), 0u);
    for (int position = 0; position < bench.run.routed(); ++position)
        QVERIFY(bench.run.timing(position));
    QVERIFY(bench.run.prefillTokensPerSecond() > 0 && bench.run.decodeTokensPerSecond() > 0);
    QVERIFY(bench.run.arenaBytes() > bench.run.kvBytes() && bench.run.kvBytes() > 0);
    QCOMPARE(bench.run.info().threads, 1u);
}

void TestEngineClient::paceHolds()
{
    Bench bench;
    QVERIFY(bench.openAndWait(tinyFolder()));
    bool waited = false;
    connect(&bench.run, &RunStore::stateChanged, this,
        [&] { waited = waited || bench.run.state() == RunStore::State::Waiting; });
    QElapsedTimer clock;
    clock.start();
    bench.client->run(spec(21, 40));
    QVERIFY(bench.waitFor(RunStore::State::Finished));
    QVERIFY(clock.elapsed() >= 500); // 20 waits of 25 ms
    QVERIFY(waited);
    QCOMPARE(idsOf(bench.run), reference(spec(21)).ids);
}

void TestEngineClient::paceChangesDuringARun()
{
    Bench bench;
    QVERIFY(bench.openAndWait(tinyFolder()));
    bench.client->run(spec(300, 1));
    QVERIFY(bench.waitFor(RunStore::State::Waiting));
    QElapsedTimer clock;
    clock.start();
    bench.client->setPace(0);
    QVERIFY(bench.waitFor(RunStore::State::Finished));
    QVERIFY(clock.elapsed() < 100 * 1000); // 299 s at the first pace
    QCOMPARE(idsOf(bench.run), reference(spec(300)).ids);

    bench.client->run(spec(300));
    bench.client->setPace(50);
    QVERIFY(bench.waitFor(RunStore::State::Waiting));
    bench.client->setPace(0);
    QVERIFY(bench.waitFor(RunStore::State::Finished));
    QCOMPARE(idsOf(bench.run), reference(spec(300)).ids);
}

void TestEngineClient::stopThenStepThenContinue()
{
    Bench bench;
    QVERIFY(bench.openAndWait(tinyFolder()));
    bench.client->run(spec(100, 20));
    QVERIFY(bench.waitFor(RunStore::State::Waiting));
    QVERIFY(bench.waitForTokens(bench.run.promptTokens() + 3));
    QElapsedTimer clock;
    clock.start();
    bench.client->stop();
    QCOMPARE(bench.run.state(), RunStore::State::Stopping);
    QVERIFY(bench.waitFor(RunStore::State::Paused));
    QVERIFY(clock.elapsed() < 1000);
    QVERIFY(!bench.run.error());
    const int stopped = bench.run.tokens();
    QTest::qWait(120);
    QCOMPARE(bench.run.tokens(), stopped);
    for (int step = 1; step <= 3; ++step) {
        bench.client->step(spec(1));
        QVERIFY(bench.waitFor(RunStore::State::Paused));
        QCOMPARE(bench.run.tokens(), stopped + step);
    }
    bench.client->setPace(0);
    bench.client->continueRun();
    QVERIFY(bench.waitFor(RunStore::State::Finished));
    QCOMPARE(idsOf(bench.run), reference(spec(100)).ids);
    QCOMPARE(bench.run.text(), reference(spec(100)).text);
    bench.client->continueRun();
    QCOMPARE(bench.run.state(), RunStore::State::Finished);
}

void TestEngineClient::stopIsNeverLost()
{
    Bench bench;
    QVERIFY(bench.openAndWait(tinyFolder()));
    for (int round = 0; round < 50; ++round) {
        bench.client->run(spec(400, 1)); // minutes, so that no slow machine can finish it before the stop
        QCOMPARE(bench.run.state(), RunStore::State::Starting);
        bench.client->stop(); // mostly before the engine thread has seen the command
        QVERIFY(bench.waitFor(RunStore::State::Paused));
    }
    bench.client->setPace(0);
    bench.client->continueRun();
    QVERIFY(bench.waitFor(RunStore::State::Finished));
    QCOMPARE(idsOf(bench.run), reference(spec(400)).ids);
}

void TestEngineClient::stepStartsARun()
{
    Bench bench;
    QVERIFY(bench.openAndWait(tinyFolder()));
    bench.client->step(spec(3));
    QVERIFY(bench.waitFor(RunStore::State::Paused));
    QCOMPARE(bench.run.tokens(), bench.run.promptTokens() + 1);
    bench.client->step(spec(3));
    QVERIFY(bench.waitFor(RunStore::State::Paused));
    bench.client->step(spec(3));
    QVERIFY(QTest::qWaitFor([&] { return !bench.run.busy(); }, answerMs));
    QCOMPARE(bench.run.tokens(), bench.run.promptTokens() + 3);
    bench.client->continueRun();
    QVERIFY(bench.waitFor(RunStore::State::Finished));
    QCOMPARE(idsOf(bench.run), reference(spec(3)).ids);
}

void TestEngineClient::anotherRunReplacesTheOneUnderWay()
{
    Bench bench;
    QVERIFY(bench.openAndWait(tinyFolder()));
    bench.client->run(spec(400, 1));
    QVERIFY(bench.waitFor(RunStore::State::Waiting));
    bench.client->run(spec(30));
    QVERIFY(bench.waitFor(RunStore::State::Finished));
    QCOMPARE(idsOf(bench.run), reference(spec(30)).ids);
}

void TestEngineClient::runErrors_data()
{
    QTest::addColumn<std::vector<TokenId>>("ids");
    QTest::addColumn<std::uint32_t>("context");
    QTest::addColumn<QByteArray>("part");
    QTest::newRow("token out of range") << std::vector<TokenId>{1, 2001} << 0u << QByteArray("2001");
    QTest::newRow("prompt longer than the context") << std::vector<TokenId>(40, 1) << 16u << QByteArray("16");
    QTest::newRow("context longer than the model's") << std::vector<TokenId>{1} << 100000u << QByteArray("100000");
}

void TestEngineClient::runErrors()
{
    QFETCH(std::vector<TokenId>, ids);
    QFETCH(std::uint32_t, context);
    QFETCH(QByteArray, part);
    Bench bench;
    QVERIFY(bench.openAndWait(tinyFolder()));
    RunSpec wanted = spec(5);
    wanted.promptIds = ids;
    wanted.engine.context = context;
    bench.client->run(wanted);
    QVERIFY(bench.waitFor(RunStore::State::Failed));
    QVERIFY2(bench.run.error()->message().find(part.toStdString()) != std::string::npos,
        bench.run.error()->message().c_str());
    bench.client->step(spec(5)); // a failed run does not go on: this is a new one
    QVERIFY(bench.waitFor(RunStore::State::Paused));
    QCOMPARE(bench.run.tokens(), bench.run.promptTokens() + 1);
}

void TestEngineClient::runWithoutAModel()
{
    Bench bench;
    bench.client->run(spec(5));
    QCOMPARE(bench.run.state(), RunStore::State::Failed);
    bench.client->continueRun();
    bench.client->stop();
    bench.client->setPace(3);
    bench.client->cancelOpen();
    bench.client->closeModel();
    QCOMPARE(bench.run.state(), RunStore::State::Idle);
}

void TestEngineClient::aFileThatShrank()
{
    const QString copy = m_folder.filePath("shrinks");
    QVERIFY(QDir().mkpath(copy));
    for (const char* const name : {"/config.json", "/model.safetensors", "/tokenizer.json"})
        QVERIFY(QFile::copy(tinyFolder() + name, copy + name));
    Bench bench;
    QVERIFY(bench.openAndWait(copy));
    QFile weights(copy + "/model.safetensors");
    QVERIFY(weights.setPermissions(QFile::ReadOwner | QFile::WriteOwner) && weights.resize(weights.size() / 2));
    bench.client->run(spec(5));
    QVERIFY(bench.waitFor(RunStore::State::Failed));
    QCOMPARE(bench.run.error()->code, Errc::Lost);
    QVERIFY(QString::fromStdString(bench.run.error()->file).endsWith("model.safetensors"));
}

void TestEngineClient::sessionFollowsTheOptions()
{
    Bench bench;
    QVERIFY(bench.openAndWait(tinyFolder()));
    RunSpec wanted = spec(10);
    wanted.engine.context = 64;
    bench.client->run(wanted);
    QVERIFY(bench.waitFor(RunStore::State::Finished));
    const std::uint64_t small = bench.run.arenaBytes();
    QCOMPARE(bench.run.record()->shape().positions, 64u);
    wanted.engine.context = 512;
    wanted.engine.threads = 0;
    bench.client->run(wanted);
    QVERIFY(bench.waitFor(RunStore::State::Finished));
    QVERIFY(bench.run.arenaBytes() > small);
    QCOMPARE(bench.run.info().threads, std::uint32_t(std::max(1, QThread::idealThreadCount() - 1)));
    wanted.engine.context = 16;
    wanted.maxTokens = 100;
    bench.client->run(wanted);
    QVERIFY(QTest::qWaitFor(
        [&] { return bench.run.state() == RunStore::State::Finished && bench.run.record()->shape().positions == 16; },
        answerMs));
    QCOMPARE(bench.run.finishReason(), StopReason::ContextFull);
    QCOMPARE(bench.run.tokens(), 16);
}

void TestEngineClient::closeTheModelDuringARun()
{
    Bench bench;
    QVERIFY(bench.openAndWait(tinyFolder()));
    bench.client->run(spec(400, 1));
    QVERIFY(bench.waitFor(RunStore::State::Waiting));
    bench.client->closeModel();
    QCOMPARE(bench.run.state(), RunStore::State::Idle);
    QCOMPARE(bench.open.state(), OpenStore::State::Idle);
    QVERIFY(!bench.open.model());
    QTest::qWait(100);
    QCOMPARE(bench.run.state(), RunStore::State::Idle);
    QCOMPARE(bench.run.tokens(), 0);
    QVERIFY(bench.openAndWait(tinyFolder()));
    bench.client->run(spec(10));
    QVERIFY(bench.waitFor(RunStore::State::Finished));
}

void TestEngineClient::anythingInAnyOrder()
{
    QRandomGenerator random(2);
    OpenOptions populate;
    populate.load = LoadMode::Populate;
    qint64 slowest = 0;
    for (int round = 0; round < 50; ++round) {
        Bench bench;
        const std::function<void()> deeds[] = {
            [&] { bench.client->open(tinyFolder()); },
            [&] { bench.client->open(m_folder.filePath("large"), populate); },
            [&] { bench.client->open(m_folder.filePath("nothing")); },
            [&] { bench.client->cancelOpen(); },
            [&] { bench.client->closeModel(); },
            [&] { bench.client->run(spec(400)); },
            [&] { bench.client->run(spec(400, 5)); },
            [&] { bench.client->step(spec(400)); },
            [&] { bench.client->continueRun(); },
            [&] { bench.client->stop(); },
            [&] { bench.client->setPace(random.bounded(2) * 30); },
            [&] { QTest::qWait(random.bounded(40)); },
            [&] { QTest::qWait(1); },
        };
        if (random.bounded(4) > 0)
            QVERIFY(bench.openAndWait(tinyFolder()));
        for (int i = 0; i < 12; ++i)
            deeds[random.bounded(int(std::size(deeds)))]();
        if (random.bounded(2) > 0) { // it still works
            QVERIFY(bench.openAndWait(tinyFolder()));
            bench.client->run(spec(5));
            QVERIFY(bench.waitFor(RunStore::State::Finished));
            bench.client->run(spec(400));
        }
        slowest = std::max(slowest, bench.closeMs());
    }
    QVERIFY2(slowest < 1000, qPrintable(QString::number(slowest)));
}

QTEST_GUILESS_MAIN(TestEngineClient)
#include "tst_engineclient.moc"
