// SPDX-License-Identifier: Apache-2.0
#include "kernels/threadpool.h"
#include "model/stage_clock.h"
#include "session/step_counters.h"

#include <QTest>

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

using namespace colibri;

namespace {

constexpr StepCounters::Event faults{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page faults"};
constexpr StepCounters::Event cpuTime{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "nanoseconds"};
constexpr StepCounters::Event nothing{PERF_TYPE_SOFTWARE, 0xffff, "dreams"};

/// Touches so many pages for the first time.
void touchPages(std::size_t pages)
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const memory = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    QVERIFY(memory != MAP_FAILED);
    madvise(memory, pages * page, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < pages; ++i)
        static_cast<volatile char*>(memory)[i * page] = 1;
    munmap(memory, pages * page);
}

/// Computes for so long, waits for a core not counted.
void spin(std::uint64_t ns)
{
    const auto used = [] {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
    };
    for (const std::uint64_t end = used() + ns; used() < end;) { }
}

} // namespace

class TestStepCounters : public QObject {
    Q_OBJECT

private slots:
    void pageFaultsOfTheProcess();
    void eventsOfThreadsMadeLater();
    void whatIsNotCountedIsNamed();
    void hardwareIsCountedOrNamed();
    void cost();
};

void TestStepCounters::pageFaultsOfTheProcess()
{
    StepCounters counters;
    touchPages(500); // belongs to no step
    counters.restart();
    TimingEvent event;
    touchPages(200);
    counters.take(event);
    QVERIFY(event.minorFaults >= 200);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) // whose shadow memory is touched as well
    QVERIFY(event.minorFaults < 400);
#endif
    QVERIFY(event.majorFaults != notCounted);
    counters.take(event);
    QVERIFY(event.minorFaults < 100);
}

void TestStepCounters::eventsOfThreadsMadeLater()
{
    StepCounters counters({cpuTime, cpuTime});
    if (!counters.note().empty())
        QSKIP(qPrintable(QString::fromStdString(counters.note())));
    ThreadPool pool(3);
    counters.restart();
    TimingEvent event;
    pool.parallel(3, [](std::uint32_t, std::uint32_t) { spin(20'000'000); });
    counters.take(event);
    QVERIFY(event.cacheMisses >= 59'000'000 && event.cacheMisses != notCounted);
    counters.restart();
    spin(4'400'000'000); // more than 32 bits hold
    counters.take(event);
    QCOMPARE(event.branchMisses, notCounted - 1);
}

void TestStepCounters::whatIsNotCountedIsNamed()
{
    StepCounters neither({nothing, nothing});
    QVERIFY2(QString::fromStdString(neither.note()).startsWith("dreams and dreams are not counted: "),
        neither.note().c_str());
    TimingEvent event;
    event.cacheMisses = event.branchMisses = 0;
    neither.restart();
    neither.take(event);
    QCOMPARE(event.cacheMisses, notCounted);
    QCOMPARE(event.branchMisses, notCounted);
    StepCounters one({faults, nothing});
    const QString note = QString::fromStdString(one.note());
    if (note.startsWith("page faults"))
        QSKIP("this system counts nothing");
    QVERIFY2(note.startsWith("dreams are not counted: "), qPrintable(note));
    one.restart();
    one.take(event);
    QVERIFY(event.cacheMisses != notCounted);
    QCOMPARE(event.branchMisses, notCounted);
}

void TestStepCounters::hardwareIsCountedOrNamed()
{
    StepCounters counters;
    qInfo("%s", counters.note().empty() ? "all counted" : counters.note().c_str());
    counters.restart();
    TimingEvent event;
    spin(1'000'000);
    counters.take(event);
    if (counters.note().empty())
        QVERIFY(event.cacheMisses != notCounted && event.branchMisses != notCounted);
    else
        QVERIFY(event.cacheMisses == notCounted || event.branchMisses == notCounted);
}

void TestStepCounters::cost()
{
    constexpr int takes = 100;
    StepCounters counters;
    TimingEvent event;
    std::uint64_t best = UINT64_MAX;
    for (int round = 0; round < 100; ++round) {
        const std::uint64_t begin = nowNs();
        for (int i = 0; i < takes; ++i)
            counters.take(event);
        best = std::min(best, (nowNs() - begin) / takes);
    }
    qInfo("%llu ns a step", static_cast<unsigned long long>(best));
    QVERIFY(best < 5000); // a fast machine takes a tenth of it; a sanitizer and neighbours slow it down
}

QTEST_GUILESS_MAIN(TestStepCounters)
#include "tst_step_counters.moc"
