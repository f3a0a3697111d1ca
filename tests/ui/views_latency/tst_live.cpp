// SPDX-License-Identifier: GPL-3.0-or-later
#include "shownpage.h"

#include "ui/support/pictures.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QElapsedTimer>
#include <QLabel>

#include <limits>
#include <random>

using namespace colibri;
using namespace colibri::test;

class TestLatencyLive : public QObject {
    Q_OBJECT

private slots:
    void gapsAreNamed();
    void hiddenDoesNothing();
    void aNewRunLeavesNothingOfTheOld();
    void atMostTenTimesASecond();
    void nothingJumpsWhileItGrows();
    void aMillionSteps();
    void pictures_data();
    void pictures();
};

void TestLatencyLive::gapsAreNamed()
{
    Shown shown(false);
    LatencyRun run(shown.store, 80'000);
    run.prompt(10, 32, 1);
    for (std::size_t i = 0; i < timingRingCapacity + 6; ++i)
        run.decode(1);
    run.show();
    run.decode(1);
    run.show();
    shown.page.show();
    QVERIFY(shown.settled());
    QCOMPARE(shown.store.droppedTimings(), std::uint64_t{7});
    QVERIFY(shown.named<QLabel>("Notes on the figures")->text().startsWith("7 steps not recorded"));
    const LatencyStats& stats = shown.page.history().stats();
    QCOMPARE(std::uint64_t(shown.store.routed()) - stats.tokens(Phase::Prefill) - stats.tokens(Phase::Decode),
        std::uint64_t{7});
}

void TestLatencyLive::hiddenDoesNothing()
{
    Shown shown(false);
    LatencyRun run(shown.store);
    Shown::fill(run, 2000);
    QTest::qWait(150);
    QCOMPARE(shown.page.history().size(), std::size_t{0});
    QCOMPARE(shown.refreshed.size(), 0);
    shown.page.show();
    QTRY_COMPARE(shown.page.history().size(), shown.store.timings().size());
    shown.page.hide();
    run.decode(4);
    run.show();
    QTest::qWait(150);
    QCOMPARE(shown.page.history().size() + 1, shown.store.timings().size());
}

void TestLatencyLive::aNewRunLeavesNothingOfTheOld()
{
    Shown shown;
    LatencyRun run(shown.store);
    Shown::fill(run, 500);
    QVERIFY(shown.settled());
    shown.timeline().replot();
    const QPoint at = shown.pointAt(590);
    LatencyRun next(shown.store); // before anything is drawn again
    QTest::mouseClick(&shown.timeline(), Qt::LeftButton, {}, at);
    QTest::mouseMove(&shown.timeline(), at + QPoint(3, 3));
    QTest::keyClick(&shown.timeline(), Qt::Key_Left);
    QCOMPARE(shown.selection.selection().token, -1);
    shown.timeline().findChild<QAction*>("copyValues")->trigger();
    QCOMPARE(QApplication::clipboard()->text().count(u'\n'), 1);
    Shown::fill(next, 5);
    QVERIFY(shown.settled());
    shown.timeline().replot();
    QCOMPARE(shown.timeline().folds().size(), std::size_t{5});
    QCOMPARE(shown.page.table().model()->index(0, LatencyModel::Largest).data(Qt::EditRole).toDouble(), 4.);
}

void TestLatencyLive::atMostTenTimesASecond()
{
    Shown shown;
    LatencyRun run(shown.store);
    Shown::fill(run, 10);
    QVERIFY(shown.settled());
    QTest::qWait(150);
    shown.refreshed.clear();
    QSignalSpy drawn(&shown.timeline(), &QCustomPlot::afterReplot);
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < 600) {
        run.decode(4);
        run.show();
        QTest::qWait(10);
    }
    const auto most = clock.elapsed() / 100 + 1;
    QVERIFY(shown.refreshed.size() >= 2 && shown.refreshed.size() <= most);
    QVERIFY(drawn.size() <= most);
}

void TestLatencyLive::nothingJumpsWhileItGrows()
{
    Shown shown;
    LatencyRun run(shown.store);
    shown.store.setState(RunStore::State::Running);
    Shown::fill(run, 60);
    QVERIFY(shown.settled());
    const QCPRange x = shown.timeline().xAxis->range();
    const QCPRange y = shown.timeline().yAxis->range();
    QCOMPARE(x, QCPRange(100, 200));
    QCOMPARE(y, QCPRange(0, 5));
    const QRect over = shown.named<QLabel>("Steps over the target")->geometry();
    shown.named<QDoubleSpinBox>("Target time of a token")->setValue(3.5);
    for (int i = 0; i < 30; ++i)
        run.decode(4.5);
    run.show();
    QVERIFY(shown.settled());
    QCOMPARE(shown.timeline().xAxis->range(), x);
    QCOMPARE(shown.timeline().yAxis->range(), y);
    QCOMPARE(shown.named<QLabel>("Steps over the target")->geometry(), over);
    shown.store.finish(StopReason::EndOfText);
    QTRY_COMPARE(shown.timeline().xAxis->range(), QCPRange(100, 190));
}

void TestLatencyLive::aMillionSteps()
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    constexpr int steps = 100'000;
#else
    constexpr int steps = 1'000'000;
#endif
    Shown shown(false);
    LatencyRun run(shown.store, steps + 100);
    run.prompt(10, 32, 1);
    std::mt19937 random(4);
    for (int i = 0; i < steps; ++i) {
        run.decode(4 + double(random() % 500) * 1e-3);
        if (i % 30'000 == 0)
            run.show();
    }
    run.show();
    QCOMPARE(shown.store.timings().size(), std::size_t(steps) + 1);
    QElapsedTimer clock;
    clock.start();
    shown.page.show();
    QVERIFY(shown.settled());
    const auto caughtUp = clock.elapsed();
    run.decode(4.2);
    run.show();
    qint64 best = std::numeric_limits<qint64>::max();
    for (int round = 0; round < 5; ++round) {
        clock.start();
        emit shown.store.timingsAdvanced(); // what a tick costs by itself
        shown.timeline().replot();
        best = std::min(best, clock.nsecsElapsed());
    }
    qInfo(
        "a million steps: caught up in %lld ms, a replot of the timeline takes %.1f ms", caughtUp, double(best) * 1e-6);
    QVERIFY(best < 100'000'000); // a twentieth of it on a machine at rest
    QVERIFY(int(shown.timeline().folds().size()) <= shown.timeline().axisRect()->width());
}

void TestLatencyLive::pictures_data()
{
    pictureRows({{"light", ThemeChoice::Light, {1000, 650}}, {"dark", ThemeChoice::Dark, {1000, 650}},
        {"large", ThemeChoice::Dark, {1600, 1000}}});
}

void TestLatencyLive::pictures()
{
    QFETCH(ThemeChoice, choice);
    QFETCH(QSize, size);
    Theme theme;
    theme.setChoice(choice);
    Shown shown;
    shown.page.resize(size);
    const auto picture = [&](const char* name) {
        QTest::qWait(20);
        QVERIFY(savePicture(shown.page, ofRow(name)));
    };
    picture("empty");
    std::mt19937 random(9);
    std::lognormal_distribution<double> times(0, 0.12);
    const auto fill = [&](LatencyRun& run, int from, int to, double ms) {
        for (int i = from; i < to; ++i) {
            run.faults = random() % 40 == 0 ? random() % 200 : 0;
            run.decode(ms * times(random) + (i % 97 == 60 ? 4 : 0) + 0.0003 * i, 0.02, i < 640 || i > 680);
        }
        run.show();
    };
    {
        LatencyRun run(shown.store);
        run.prompt(300, 64, 0.8);
        fill(run, 0, 1500, 3.4);
        shown.kept.keep(shown.store);
    }
    LatencyRun run(shown.store, 20'000,
        "cache misses and branch misses are not counted: the system does not allow it (perf_event_paranoid 4)");
    shown.store.setState(RunStore::State::Running);
    run.prompt(300, 64, 0.9);
    fill(run, 0, 60, 4);
    QVERIFY(shown.settled());
    picture("running");
    fill(run, 60, 1400, 4);
    shown.store.finish(StopReason::EndOfText);
    shown.named<QDoubleSpinBox>("Target time of a token")->setValue(6);
    shown.selection.select({900, 0, -1, -1, -1});
    QVERIFY(shown.settled());
    picture("finished");
    shown.named<QComboBox>("Steps shown")->setCurrentIndex(2);
    shown.page.side().setChoice(SidePlot::Faults);
    QTest::mouseMove(&shown.timeline(), shown.pointAt(1000));
    picture("both");
    shown.named<QComboBox>("Steps shown")->setCurrentIndex(1);
    shown.page.side().setChoice(SidePlot::CacheMisses);
    for (QCheckBox* const box : shown.page.findChildren<QCheckBox*>())
        box->setChecked(true);
    picture("prefill");
}

QTEST_MAIN(TestLatencyLive)
#include "tst_live.moc"
