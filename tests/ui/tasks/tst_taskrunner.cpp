// SPDX-License-Identifier: GPL-3.0-or-later
#include "tasks/taskrunner.h"

#include <QElapsedTimer>
#include <QTest>

#include <atomic>
#include <thread>
#include <vector>

using namespace colibri;

namespace {

constexpr int answerMs = 60000; ///< far beyond what anything here takes

const Task& taskOf(const TaskStore& store, int id)
{
    return *std::ranges::find(store.tasks(), id, &Task::id);
}

/// Work that goes on until it is stopped.
Result<int> workUntilStopped(const TaskLink& link)
{
    while (!link.stop.stop_requested())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Error{Errc::Cancelled, "wait", {}, {}, "stopped"};
}

QString noNote(Result<int>&)
{
    return {};
}

} // namespace

class TestTaskRunner : public QObject {
    Q_OBJECT

private slots:
    void resultsComeToTheGuiThread();
    void failuresAndCancelsAreToldApart();
    void progressIsShown();
    void progressOfTheEngine();
    void twoAtATimeInOrder();
    void cancelBeforeItsTurn();
    void cancelCannotBeLost();
    void answersOfAContextThatIsGone();
    void theEndStopsEverything();
    void resultsThatOnlyMove();
};

void TestTaskRunner::resultsComeToTheGuiThread()
{
    TaskStore store;
    TaskRunner runner(store);
    std::thread::id worker;
    std::thread::id answered;
    int value = 0;
    const int id = runner.run<int>(
        QStringLiteral("Count"), QStringLiteral("B"), this,
        [&](const TaskLink&) -> Result<int> {
            worker = std::this_thread::get_id();
            return 41;
        },
        [&](Result<int>& result) {
            answered = std::this_thread::get_id();
            value = *result + 1;
            return QStringLiteral("counted");
        });
    QCOMPARE(taskOf(store, id).title, QStringLiteral("Count"));
    QCOMPARE(taskOf(store, id).unit, QStringLiteral("B"));
    QVERIFY(taskOf(store, id).cancellable);
    QCOMPARE(value, 0); // not before the next event
    QVERIFY(QTest::qWaitFor([&] { return taskOf(store, id).ended(); }, answerMs));
    QCOMPARE(value, 42);
    QVERIFY(worker != std::this_thread::get_id() && answered == std::this_thread::get_id());
    QCOMPARE(taskOf(store, id).state, Task::State::Done);
    QCOMPARE(taskOf(store, id).note, QStringLiteral("counted"));
    QVERIFY(!taskOf(store, id).cancellable);
}

void TestTaskRunner::failuresAndCancelsAreToldApart()
{
    TaskStore store;
    TaskRunner runner(store);
    std::vector<Errc> seen;
    const auto see = [&](Result<void>& result) {
        seen.push_back(result.error().code);
        return QStringLiteral("not shown");
    };
    const int failed = runner.run<void>(
        {}, {}, this,
        [](const TaskLink&) -> Result<void> {
            return Error{Errc::Io, "read", "a.bin", 7, "bad"};
        },
        see);
    QVERIFY(QTest::qWaitFor([&] { return seen.size() == 1; }, answerMs));
    QCOMPARE(taskOf(store, failed).state, Task::State::Failed);
    QCOMPARE(taskOf(store, failed).note, QStringLiteral("read, a.bin at offset 7: bad"));
    const int cancelled = runner.run<void>(
        {}, {}, this,
        [](const TaskLink& link) -> Result<void> {
            (void)workUntilStopped(link);
            return Error{Errc::Cancelled, {}, {}, {}, {}};
        },
        see);
    QTest::qWait(20);
    QVERIFY(!taskOf(store, cancelled).ended());
    QElapsedTimer clock;
    clock.start();
    store.cancel(cancelled);
    QVERIFY(!taskOf(store, cancelled).ended()); // it says so itself
    QVERIFY(QTest::qWaitFor([&] { return seen.size() == 2; }, answerMs));
    QVERIFY2(clock.elapsed() < 1000, qPrintable(QString::number(clock.elapsed())));
    QCOMPARE(taskOf(store, cancelled).state, Task::State::Cancelled);
    QCOMPARE(seen, (std::vector<Errc>{Errc::Io, Errc::Cancelled}));
}

void TestTaskRunner::progressIsShown()
{
    TaskStore store;
    TaskRunner runner(store);
    std::atomic<int> stage{0};
    const int id = runner.run<int>(
        {}, {}, this,
        [&](const TaskLink& link) -> Result<int> {
            link.progress(3, 10);
            while (stage == 0)
                std::this_thread::yield();
            link.progress(10, 10);
            return 0;
        },
        noNote);
    QVERIFY(QTest::qWaitFor([&] { return taskOf(store, id).done == 3; }, answerMs));
    QCOMPARE(taskOf(store, id).total, 10.0);
    QVERIFY(!taskOf(store, id).ended());
    stage = 1;
    QVERIFY(QTest::qWaitFor([&] { return taskOf(store, id).ended(); }, answerMs));
    QCOMPARE(taskOf(store, id).done, 10.0); // the last word, whenever the timer looked
}

void TestTaskRunner::progressOfTheEngine()
{
    TaskStore store;
    TaskRunner runner(store);
    const auto progress = std::make_shared<OpenProgress>();
    std::atomic<bool> go = false;
    const int id = runner.run<int>(
        QStringLiteral("Export"), QStringLiteral("B"), this,
        [&](const TaskLink&) -> Result<int> {
            progress->setBytesTotal(100);
            progress->addBytes(30);
            while (!go)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            progress->addBytes(70);
            return 1;
        },
        noNote, progress);
    QTRY_COMPARE_WITH_TIMEOUT(taskOf(store, id).done, 30., answerMs);
    QCOMPARE(taskOf(store, id).total, 100.);
    go = true;
    QTRY_COMPARE_WITH_TIMEOUT(taskOf(store, id).state, Task::State::Done, answerMs);
    QCOMPARE(taskOf(store, id).done, 100.);
}

void TestTaskRunner::twoAtATimeInOrder()
{
    TaskStore store;
    TaskRunner runner(store);
    std::atomic<int> now{0};
    std::atomic<int> most{0};
    std::atomic<int> begun{0};
    std::vector<int> order(12, -1);
    int ended = 0;
    for (int i = 0; i < 12; ++i)
        runner.run<int>(
            {}, {}, this,
            [&, i](const TaskLink&) -> Result<int> {
                order[std::size_t(begun++)] = i;
                most = std::max(most.load(), ++now);
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                --now;
                return i;
            },
            [&](Result<int>&) {
                ++ended;
                return QString();
            });
    QVERIFY(QTest::qWaitFor([&] { return ended == 12; }, answerMs));
    QCOMPARE(most.load(), 2);
    for (int i = 0; i < 12; ++i)
        QVERIFY2(std::abs(order[std::size_t(i)] - i) <= 1, "a later task began long before an earlier one");
    QCOMPARE(store.unfinished(), 0);
}

void TestTaskRunner::cancelBeforeItsTurn()
{
    TaskStore store;
    TaskRunner runner(store);
    const int first = runner.run<int>({}, {}, this, workUntilStopped, noNote);
    const int second = runner.run<int>({}, {}, this, workUntilStopped, noNote);
    std::atomic<bool> begun{false};
    Errc code = Errc::Io;
    const int third = runner.run<int>(
        {}, {}, this,
        [&](const TaskLink&) -> Result<int> {
            begun = true;
            return 1;
        },
        [&](Result<int>& result) {
            code = result.error().code;
            return QString();
        });
    QTest::qWait(20);
    store.cancel(third);
    QVERIFY(QTest::qWaitFor([&] { return taskOf(store, third).ended(); }, answerMs));
    QCOMPARE(taskOf(store, third).state, Task::State::Cancelled);
    QCOMPARE(code, Errc::Cancelled);
    QVERIFY(!begun && !taskOf(store, first).ended() && !taskOf(store, second).ended());
    store.cancel(first);
    store.cancel(second);
    QVERIFY(QTest::qWaitFor([&] { return store.unfinished() == 0; }, answerMs));
    QVERIFY(!begun);
}

void TestTaskRunner::cancelCannotBeLost()
{
    TaskStore store;
    TaskRunner runner(store);
    for (int i = 0; i < 200; ++i) {
        const int id = runner.run<int>({}, {}, this, workUntilStopped, noNote);
        store.cancel(id); // queued, being taken or at work
        store.cancel(id);
        QVERIFY(QTest::qWaitFor([&] { return taskOf(store, id).ended(); }, answerMs));
        QCOMPARE(taskOf(store, id).state, Task::State::Cancelled);
    }
}

void TestTaskRunner::answersOfAContextThatIsGone()
{
    TaskStore store;
    TaskRunner runner(store);
    auto context = std::make_unique<QObject>();
    bool answered = false;
    const int id = runner.run<int>(
        {}, {}, context.get(), [](const TaskLink&) -> Result<int> { return 1; },
        [&](Result<int>&) {
            answered = true;
            return QString();
        });
    context.reset();
    QVERIFY(QTest::qWaitFor([&] { return taskOf(store, id).ended(); }, answerMs));
    QVERIFY(!answered);
}

void TestTaskRunner::theEndStopsEverything()
{
    TaskStore store;
    bool answered = false;
    const auto answer = [&](Result<int>&) {
        answered = true;
        return QString();
    };
    auto runner = std::make_unique<TaskRunner>(store);
    for (int i = 0; i < 5; ++i)
        runner->run<int>({}, {}, this, workUntilStopped, answer);
    QTest::qWait(20);
    QElapsedTimer clock;
    clock.start();
    runner.reset();
    QVERIFY2(clock.elapsed() < 1000, qPrintable(QString::number(clock.elapsed())));
    QCOMPARE(store.unfinished(), 0);
    for (const Task& task : store.tasks()) {
        QCOMPARE(task.state, Task::State::Cancelled);
        store.cancel(task.id); // nobody is there to hear it
    }
    QTest::qWait(20);
    QVERIFY(!answered);
}

void TestTaskRunner::resultsThatOnlyMove()
{
    TaskStore store;
    TaskRunner runner(store);
    std::unique_ptr<int> value;
    runner.run<std::unique_ptr<int>>(
        {}, {}, this, [](const TaskLink&) -> Result<std::unique_ptr<int>> { return std::make_unique<int>(5); },
        [&](Result<std::unique_ptr<int>>& result) {
            value = std::move(*result);
            return QString();
        });
    QVERIFY(QTest::qWaitFor([&] { return value != nullptr; }, answerMs));
    QCOMPARE(*value, 5);
}

QTEST_MAIN(TestTaskRunner)
#include "tst_taskrunner.moc"
