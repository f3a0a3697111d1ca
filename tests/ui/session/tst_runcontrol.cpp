// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/runcontrol.h"

#include <QTest>

#include <thread>

using namespace colibri;
using namespace std::chrono_literals;
using Clock = RunControl::Clock;

class TestRunControl : public QObject {
    Q_OBJECT

private slots:
    void aStopBeforeTheStretchIsNotLost();
    void stopEndsStretchAndWait();
    void aPaceEndsFullSpeedButNoToken();
    void waitLastsOneToken();
    void aNewPaceCountsFromTheLastToken();
};

void TestRunControl::aStopBeforeTheStretchIsNotLost()
{
    RunControl control(0);
    control.stop();
    QVERIFY(control.stopped());
    QVERIFY(control.beginStretch().stop.stop_requested());
    QVERIFY(control.beginStretch().stop.stop_requested());
}

void TestRunControl::stopEndsStretchAndWait()
{
    RunControl control(0.001);
    const RunControl::Stretch stretch = control.beginStretch();
    const auto before = Clock::now();
    std::jthread engine([&] { control.waitFrom(Clock::now()); });
    while (!control.waiting())
        std::this_thread::yield();
    control.stop();
    engine.join();
    QVERIFY(stretch.stop.stop_requested());
    QVERIFY(!control.waiting());
    QVERIFY(Clock::now() - before < 10s);
}

void TestRunControl::aPaceEndsFullSpeedButNoToken()
{
    RunControl control(0);
    const RunControl::Stretch full = control.beginStretch();
    QCOMPARE(full.pace, 0.);
    control.setPace(20);
    QVERIFY(full.stop.stop_requested());
    const RunControl::Stretch token = control.beginStretch();
    QCOMPARE(token.pace, 20.);
    control.setPace(5);
    control.setPace(0);
    QVERIFY(!token.stop.stop_requested());
    QVERIFY(!control.stopped());
}

void TestRunControl::waitLastsOneToken()
{
    RunControl control(50);
    const auto last = Clock::now();
    control.waitFrom(last);
    QVERIFY(Clock::now() - last >= 20ms);
    const auto before = Clock::now();
    control.waitFrom(before - 1h);
    QVERIFY(Clock::now() - before < 10s);
}

void TestRunControl::aNewPaceCountsFromTheLastToken()
{
    RunControl control(0.001);
    const auto last = Clock::now();
    std::jthread engine([&] { control.waitFrom(last); });
    while (!control.waiting())
        std::this_thread::yield();
    control.setPace(20);
    engine.join();
    QVERIFY(Clock::now() - last >= 50ms);
    std::jthread another([&] { control.waitFrom(Clock::now() + 1h); });
    while (!control.waiting())
        std::this_thread::yield();
    control.setPace(0);
    another.join();
}

QTEST_APPLESS_MAIN(TestRunControl)
#include "tst_runcontrol.moc"
