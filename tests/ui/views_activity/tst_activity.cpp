// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/logtable.h"
#include "models/tasktable.h"
#include "stores/activityfeed.h"
#include "stores/units.h"
#include "ui/support/testrun.h"
#include "views/activity/logpanel.h"
#include "views/activity/taskpanel.h"
#include "views/table/tableview.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <random>

using namespace colibri;
using namespace colibri::test;
using Tester = QAbstractItemModelTester;

namespace {

QPushButton* button(QWidget& panel, const QString& text)
{
    for (QPushButton* const each : panel.findChildren<QPushButton*>())
        if (each->text().remove(u'&') == text)
            return each;
    return nullptr;
}

QString cell(const QAbstractItemModel& model, int row, int column)
{
    return model.index(row, column).data().toString();
}

/// Opening, running and what is seen of them.
struct Fed {
    OpenStore open;
    RunStore run;
    TaskStore tasks;
    LogStore log;
    int opensCancelled = 0;
    int runsCancelled = 0;
    QObject owner;
    ActivityFeed feed{open, run, tasks, log, {[this] { ++opensCancelled; }, [this] { ++runsCancelled; }}, &owner};

    const Task& newest() const { return tasks.tasks().back(); }
};

} // namespace

class TestActivity : public QObject {
    Q_OBJECT

private slots:
    void units();
    void taskFigures();
    void anEndedTaskStays();
    void endedTasksAreLimited();
    void taskTableUnderTest();
    void taskPanelCancels();
    void taskPanelShows();
    void logKeepsTheNewest();
    void logTableUnderTest();
    void logPanelFilters();
    void openingsAreFollowed();
    void runsAreFollowed();
    void tablesCopy();
};

void TestActivity::units()
{
    QCOMPARE(durationText(0.0000123), QStringLiteral("12.3 \u00b5s"));
    QCOMPARE(durationText(0.99949e-3), QStringLiteral("999 \u00b5s"));
    QCOMPARE(durationText(0.001234), QStringLiteral("1.23 ms"));
    QCOMPARE(durationText(4.5678), QStringLiteral("4.57 s"));
    QCOMPARE(durationText(125), QStringLiteral("2 min 5 s"));
    QCOMPARE(durationText(std::nan("")), QString());
    QCOMPARE(bytesText(24 << 20), QStringLiteral("24.0 MiB"));
}

void TestActivity::taskFigures()
{
    Task task;
    task.done = 25;
    task.total = 100;
    task.seconds = 5;
    QCOMPARE(task.rate(), 5.);
    QCOMPARE(task.secondsLeft(), 15.);
    task.total = 0;
    QVERIFY(std::isnan(task.secondsLeft()));
    task.total = 100;
    task.state = Task::State::Done;
    QVERIFY(std::isnan(task.secondsLeft()));
}

void TestActivity::anEndedTaskStays()
{
    TaskStore store;
    int asked = 0;
    const int id = store.begin("a", "B", [&] { ++asked; });
    store.progress(id, 1, 2);
    store.cancel(id);
    QCOMPARE(asked, 1);
    QCOMPARE(store.tasks()[0].state, Task::State::Running); // until the owner says so
    store.setState(id, Task::State::Cancelled);
    store.setState(id, Task::State::Done);
    store.progress(id, 2, 2);
    store.cancel(id);
    QCOMPARE(asked, 1);
    QCOMPARE(store.tasks()[0].state, Task::State::Cancelled);
    QCOMPARE(store.tasks()[0].done, 1.);
    QVERIFY(!store.tasks()[0].cancellable);
    store.progress(99, 1, 2); // unknown ids do nothing
    QCOMPARE(store.unfinished(), 0);
}

void TestActivity::endedTasksAreLimited()
{
    TaskStore store;
    const int first = store.begin("stays", "B", {});
    for (int i = 0; i < TaskStore::endedLimit + 20; ++i)
        store.setState(store.begin(QString::number(i), "B", {}), Task::State::Done);
    QCOMPARE(int(store.tasks().size()), TaskStore::endedLimit + 1);
    QCOMPARE(store.tasks()[0].id, first);
    QCOMPARE(store.tasks()[1].title, QStringLiteral("20"));
}

void TestActivity::taskTableUnderTest()
{
    TaskStore store;
    TaskTable table(store);
    Tester tester(&table, Tester::FailureReportingMode::Fatal);
    std::mt19937 random{3};
    std::vector<int> ids;
    for (int i = 0; i < 500; ++i) {
        const int act = int(random() % 10);
        if (act < 5)
            ids.push_back(store.begin(QString::number(i), "tokens", {}));
        else if (act < 7 && !ids.empty())
            store.progress(ids[random() % ids.size()], i, 1000);
        else if (act < 9 && !ids.empty())
            store.setState(ids[random() % ids.size()], Task::State(random() % 5), "note");
        else
            store.clearEnded();
        QCOMPARE(table.rowCount(), int(store.tasks().size()));
    }
    QCOMPARE(cell(table, 0, TaskTable::TitleColumn), store.tasks().back().title);
}

void TestActivity::taskPanelCancels()
{
    TaskStore store;
    TaskPanel panel(store);
    panel.resize(900, 160);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    int asked = 0;
    const int id = store.begin("export", "B", [&] { ++asked; });
    store.progress(id, 5 << 20, 10 << 20);
    auto* const table = panel.findChild<TableView*>();
    QVERIFY(table->isVisible());
    QVERIFY(!button(panel, "Cancel")->isEnabled());
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(0, 0)).center());
    QVERIFY(button(panel, "Cancel")->isEnabled());
    QTest::mouseClick(button(panel, "Cancel"), Qt::LeftButton);
    QCOMPARE(asked, 1);
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Delete);
    QCOMPARE(asked, 2);
    QCOMPARE(cell(*table->model(), 0, TaskTable::ProgressColumn), QStringLiteral("5.0 MiB of 10.0 MiB"));
    QVERIFY(!button(panel, "Clear")->isEnabled());
    store.setState(id, Task::State::Cancelled);
    QVERIFY(!button(panel, "Cancel")->isEnabled());
    QTest::mouseClick(button(panel, "Clear"), Qt::LeftButton);
    QCOMPARE(store.tasks().size(), std::size_t{0});
    QVERIFY(!table->isVisible());
}

void TestActivity::taskPanelShows()
{
    TaskStore store;
    TaskPanel panel(store);
    panel.resize(800, 200);
    panel.show();
    panel.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&panel));
    int shown = 0;
    const int id = store.begin("Export", "B", {});
    store.begin("Open", "B", {});
    store.setShow(id, [&] {
        ++shown;
        store.clearEnded(); // what is shown may go meanwhile
    });
    auto* const table = panel.findChild<QAbstractItemView*>();
    auto* const show = panel.findChild<QPushButton*>(QStringLiteral("showTask"));
    table->setCurrentIndex(table->model()->index(0, 0)); // the newest is on top
    QVERIFY(!show->isEnabled());
    QTest::keyClick(table, Qt::Key_Return);
    QCOMPARE(shown, 0);
    table->setCurrentIndex(table->model()->index(1, 0));
    QVERIFY(show->isEnabled());
    QTest::keyClick(table, Qt::Key_Return);
    QCOMPARE(shown, 1);
    store.setState(id, Task::State::Done); // it can be shown when it has ended, too
    QVERIFY(show->isEnabled());
    QTest::mouseClick(show, Qt::LeftButton);
    QCOMPARE(shown, 2);
    QCOMPARE(int(store.tasks().size()), 1);
    store.show(id);
    QCOMPARE(shown, 2);
}

void TestActivity::logKeepsTheNewest()
{
    LogStore store;
    for (int i = 0; i < LogStore::limit + 5; ++i)
        store.add(LogLevel::Info, "a", QString::number(i));
    QCOMPARE(int(store.entries().size()), LogStore::limit);
    QCOMPARE(store.entries().front().text, QStringLiteral("5"));
}

void TestActivity::logTableUnderTest()
{
    LogStore store;
    LogTable table(store);
    Tester tester(&table, Tester::FailureReportingMode::Fatal);
    for (int i = 0; i < 60; ++i)
        store.add(LogLevel(i % 3), i % 2 ? "open" : "run", QStringLiteral("line %1").arg(i));
    QCOMPARE(table.rowCount(), 60);
    table.setFilter(LogLevel::Warning, {});
    QCOMPARE(table.rowCount(), 40);
    table.setFilter(LogLevel::Error, "OPEN");
    QCOMPARE(table.rowCount(), 10);
    QCOMPARE(cell(table, 0, LogTable::TextColumn), QStringLiteral("line 5"));
    store.add(LogLevel::Info, "open", "below the level");
    QCOMPARE(table.rowCount(), 10);
    for (int i = 61; i < LogStore::limit + 20; ++i) // the oldest go, among them shown ones
        store.add(i % 1000 ? LogLevel::Info : LogLevel::Error, "open", QString::number(i));
    QCOMPARE(cell(table, 0, LogTable::TextColumn), QStringLiteral("line 23"));
    QCOMPARE(cell(table, table.rowCount() - 1, LogTable::TextColumn), QString::number(LogStore::limit));
    store.clear();
    QCOMPARE(table.rowCount(), 0);
    store.add(LogLevel::Error, "open", "again");
    QCOMPARE(cell(table, 0, LogTable::TextColumn), QStringLiteral("again"));
}

void TestActivity::logPanelFilters()
{
    LogStore store;
    LogPanel panel(store);
    panel.resize(700, 200);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    for (int i = 0; i < 90; ++i)
        store.add(LogLevel(i % 3), "open", QStringLiteral("line %1").arg(i));
    auto* const table = panel.findChild<TableView*>();
    QTRY_COMPARE(table->rowAt(table->viewport()->height() - 2), 89); // follows the end
    auto* const level = panel.findChild<QComboBox*>();
    level->setFocus();
    QTest::keyClick(level, Qt::Key_End);
    QCOMPARE(table->model()->rowCount(), 30);
    QTest::keyClicks(panel.findChild<QLineEdit*>(), "line 8");
    QCOMPARE(table->model()->rowCount(), 5); // 8, 80, 83, 86 and 89
}

void TestActivity::openingsAreFollowed()
{
    Fed fed;
    fed.open.begin("/models/a", nullptr);
    QCOMPARE(fed.newest().state, Task::State::Running);
    fed.tasks.cancel(fed.newest().id);
    QCOMPARE(fed.opensCancelled, 1);
    fed.open.cancel();
    QCOMPARE(fed.newest().state, Task::State::Cancelled);
    fed.open.begin("/models/b", nullptr);
    fed.open.fail({Errc::Malformed, "read the header", "/models/b/config.json", 8, "no JSON"});
    QCOMPARE(fed.newest().state, Task::State::Failed);
    QVERIFY(fed.newest().note.contains("/models/b/config.json") && fed.newest().note.contains("no JSON"));
    QCOMPARE(fed.log.entries().back().level, LogLevel::Error);
    fed.open.begin("/models/c", nullptr);
    auto facts = std::make_shared<ModelFacts>(*testModel(true));
    facts->notes = {"a tensor that nothing uses: x"};
    fed.open.succeed(facts);
    QCOMPARE(fed.newest().state, Task::State::Done);
    QCOMPARE(fed.log.entries().back().level, LogLevel::Warning);
    QVERIFY(fed.log.entries().back().text.contains("nothing uses"));
    QCOMPARE(fed.tasks.unfinished(), 0);
}

void TestActivity::runsAreFollowed()
{
    Fed fed;
    fed.run.setState(RunStore::State::Starting);
    TestRun run({}, fed.run);
    fed.run.setState(RunStore::State::Running);
    run.fillWithStory();
    QVERIFY(fed.newest().done > 20);
    fed.tasks.cancel(fed.newest().id);
    QCOMPARE(fed.runsCancelled, 1);
    fed.run.setState(RunStore::State::Paused);
    QCOMPARE(fed.newest().state, Task::State::Paused);
    fed.run.setState(RunStore::State::Running);
    fed.run.finish(StopReason::EndOfText);
    QCOMPARE(fed.newest().state, Task::State::Done);
    QVERIFY(fed.newest().note.contains("tok/s"));
    QVERIFY(fed.log.entries().back().text.contains("not finite")); // the story has one
    TestRun second({}, fed.run);
    TestRun third({}, fed.run); // takes the place of the second
    QCOMPARE(fed.tasks.unfinished(), 1);
    fed.run.fail({Errc::Lost, "run", "model.safetensors", {}, "the file shrank"});
    QCOMPARE(fed.newest().state, Task::State::Failed);
    QCOMPARE(fed.log.entries().back().level, LogLevel::Error);
    QCOMPARE(fed.tasks.tasks().size(), std::size_t{3});
}

void TestActivity::tablesCopy()
{
    LogStore store;
    LogTable model(store);
    TableView table("Log");
    table.setModel(&model);
    table.show();
    store.add(LogLevel::Info, "open", "a, b");
    store.add(LogLevel::Error, "run", "c");
    table.setColumnHidden(LogTable::TimeColumn, true);
    table.selectAll();
    table.setFocus();
    QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("info\topen\ta, b\nerror\trun\tc"));
    table.findChild<QAction*>("copyTable")->trigger();
    QVERIFY(QApplication::clipboard()->text().startsWith("Time,Level,Source,Text\n"));
    QVERIFY(QApplication::clipboard()->text().contains(",info,open,\"a, b\"\n"));
}

QTEST_MAIN(TestActivity)
#include "tst_activity.moc"
