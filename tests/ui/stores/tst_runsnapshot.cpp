// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/activityfeed.h"
#include "stores/runsnapshot.h"
#include "ui/support/testrun.h"

#include <QSignalSpy>
#include <QTest>

using namespace colibri;
using colibri::test::TestRun;

namespace {

/// The store takes over all of it.
void show(RunStore& store, RestoredRun run)
{
    run.start.model = test::testModel(true);
    store.restore(std::move(run.start), run.reason, std::move(run.error));
    while (!store.catchUp(RunStore::Clock::now() + std::chrono::seconds(1))) { }
}

bool sameTimings(const RunStore& a, const RunStore& b)
{
    return std::ranges::equal(a.timings(), b.timings(), [](const TimingEvent& one, const TimingEvent& other) {
        return one.startNs == other.startNs && one.position == other.position && one.tokens == other.tokens
            && one.totalNs == other.totalNs && one.prefill == other.prefill;
    });
}

} // namespace

class TestRunSnapshot : public QObject {
    Q_OBJECT

private slots:
    void whatIsShownComesBack_data();
    void whatIsShownComesBack();
    void promptsOfIds();
    void nothingHasHappened();
    void aLostFileFailsTheRun();
};

void TestRunSnapshot::aLostFileFailsTheRun()
{
    struct File : RecordFile {
        bool gone = false;
        bool lost() const override { return gone; }
        void release() const override { }
    };
    const auto file = std::make_shared<File>();
    RunRecord::Stored stored;
    stored.tokens = {1, 2};
    stored.experts = {0, 3};
    stored.promptTokens = 2;
    stored.file = file;
    SavedRun saved;
    saved.record = std::make_shared<const RunRecord>(RunRecord::Shape{2, 1, 4, 1, 0}, std::move(stored));
    saved.reason = StopReason::MaxTokens;
    RunStore store;
    show(store, restoredFrom(saved, QStringLiteral("/runs/a.colibri-run")));
    QTest::qWait(RunStore::fileCheckMs * 3 / 2);
    QCOMPARE(store.state(), RunStore::State::Finished);
    file->gone = true;
    QTRY_COMPARE_WITH_TIMEOUT(store.state(), RunStore::State::Failed, RunStore::fileCheckMs * 3);
    QCOMPARE(store.error()->code, Errc::Lost);
    QCOMPARE(store.error()->file, std::string("/runs/a.colibri-run"));
}

void TestRunSnapshot::whatIsShownComesBack_data()
{
    QTest::addColumn<int>("end");
    QTest::newRow("paused") << 0;
    QTest::newRow("finished") << 1;
    QTest::newRow("failed") << 2;
    QTest::newRow("running") << 3;
}

void TestRunSnapshot::whatIsShownComesBack()
{
    QFETCH(int, end);
    RunStore store;
    TestRun run({}, store);
    run.fillWithStory();
    run.show();
    switch (end) {
    case 0:
        store.setState(RunStore::State::Paused);
        break;
    case 1:
        store.finish(StopReason::EndOfText);
        break;
    case 2:
        store.fail({Errc::NonFinite, "compute", "model.bin", 12, "a NaN"});
        break;
    default:
        store.setState(RunStore::State::Running);
    }
    const SavedRun saved = snapshotOf(store);
    RunStore other;
    QSignalSpy resets(&other, &RunStore::reset);
    show(other, restoredFrom(saved, QStringLiteral("/runs/a.colibri-run")));
    QCOMPARE(resets.count(), 1);
    QCOMPARE(other.file(), QStringLiteral("/runs/a.colibri-run"));
    QCOMPARE(other.text(), store.text());
    QCOMPARE(other.tokens(), store.tokens());
    QCOMPARE(other.promptTokens(), store.promptTokens());
    QCOMPARE(other.routed(), store.routed());
    QVERIFY(!store.timings().empty() && sameTimings(other, store));
    QCOMPARE(other.prefillTokensPerSecond(), store.prefillTokensPerSecond());
    QCOMPARE(other.decodeTokensPerSecond(), store.decodeTokensPerSecond());
    QCOMPARE(other.arenaBytes(), std::uint64_t{1} << 20);
    QCOMPARE(other.kvBytes(), std::uint64_t{1} << 18);
    QVERIFY(!other.busy());
    QCOMPARE(other.state(), end == 2 ? RunStore::State::Failed : RunStore::State::Finished);
    QCOMPARE(other.finishReason(), end == 1 ? StopReason::EndOfText : StopReason::Paused);
    QCOMPARE(other.error().has_value(), end == 2);
    if (end == 2)
        QCOMPARE(other.error()->message(), store.error()->message());
    // A kept one is what it is of, and a run that begins is no saved one.
    RunStore kept;
    kept.keep(other);
    QCOMPARE(kept.text(), store.text());
    QVERIFY(sameTimings(kept, store));
    TestRun next({}, other);
    QVERIFY(other.file().isEmpty());
}

void TestRunSnapshot::promptsOfIds()
{
    RunStore store;
    TestRun run({}, store);
    run.setPrompt({5, 9, 200});
    run.show();
    SavedRun saved = snapshotOf(store);
    saved.promptIsText = false;
    saved.droppedTimings = 3;
    const RestoredRun restored = restoredFrom(saved, {});
    QCOMPARE(restored.start.spec.promptIds, (std::vector<TokenId>{5, 9, 200}));
    RunStore other;
    show(other, restored);
    QCOMPARE(other.droppedTimings(), 3u);
    QVERIFY(!snapshotOf(other).promptIsText);
    QCOMPARE(snapshotOf(other).droppedTimings, 3u);
    RunStore kept;
    kept.keep(other);
    QCOMPARE(kept.droppedTimings(), 3u);
}

void TestRunSnapshot::nothingHasHappened()
{
    RunStore store;
    TestRun run({}, store);
    run.fillWithStory();
    run.show();
    store.finish(StopReason::MaxTokens);
    OpenStore open;
    RunStore other;
    TaskStore tasks;
    LogStore log;
    const ActivityFeed feed(open, other, tasks, log, {}, nullptr);
    show(other, restoredFrom(snapshotOf(store), QStringLiteral("a")));
    QVERIFY(other.restored());
    QVERIFY(tasks.tasks().empty() && log.entries().empty());
    // A run that cannot begin is told, though the saved one is still shown.
    other.setState(RunStore::State::Starting);
    QVERIFY(!other.restored());
    other.fail({Errc::OutOfRange, "run", {}, {}, "no token"});
    QCOMPARE(log.entries().size(), std::size_t{1});
    QCOMPARE(log.entries().back().text, QStringLiteral("run: no token"));
    TestRun next({}, other);
    QCOMPARE(tasks.tasks().size(), std::size_t{1});
    // The task of a run that a saved one takes the place of has ended.
    show(other, restoredFrom(snapshotOf(store), QStringLiteral("a")));
    QCOMPARE(tasks.unfinished(), 0);
}

QTEST_GUILESS_MAIN(TestRunSnapshot)
#include "tst_runsnapshot.moc"
