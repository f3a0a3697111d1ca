// SPDX-License-Identifier: Apache-2.0
#include "kernels/threadpool.h"

#include <QTest>

#include <atomic>
#include <chrono>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

using namespace colibri;

class TestThreadPool : public QObject {
    Q_OBJECT

private slots:
    void everyItemOnce_data();
    void everyItemOnce();
    void seesEarlierWrites();
    void usesAllThreads();
    void afterSleep();
    void oneThreadIsInline();
    void oversubscribed();
};

void TestThreadPool::everyItemOnce_data()
{
    QTest::addColumn<uint>("threads");
    for (const uint threads : {0u, 1u, 2u, 3u, 8u})
        QTest::addRow("%u", threads) << threads;
}

void TestThreadPool::everyItemOnce()
{
    QFETCH(uint, threads);
    ThreadPool pool(threads);
    QCOMPARE(pool.threads(), std::max(threads, 1u));
    for (const std::uint32_t items : {0u, 1u, 2u, 3u, 7u, 100u, 5000u}) {
        for (int round = 0; round < 30; ++round) {
            std::vector<std::uint32_t> seen(items);
            std::atomic<bool> badThread = false;
            pool.parallel(items, [&](std::uint32_t item, std::uint32_t thread) {
                ++seen[item];
                badThread = badThread || thread >= pool.threads();
            });
            QVERIFY(!badThread);
            QCOMPARE(seen, std::vector<std::uint32_t>(items, 1));
        }
    }
}

void TestThreadPool::seesEarlierWrites()
{
    // Each call reads what the items of the call before wrote, without synchronization of its own.
    ThreadPool pool(3);
    std::vector<std::uint64_t> from(64, 1);
    std::vector<std::uint64_t> to(64);
    for (int round = 0; round < 3000; ++round) {
        pool.parallel(64, [&](std::uint32_t i, std::uint32_t) { to[i] = from[(i + 1) % 64] + from[i] % 3; });
        std::swap(from, to);
    }
    std::vector<std::uint64_t> expected(64, 1);
    for (int round = 0; round < 3000; ++round) {
        for (std::size_t i = 0; i < 64; ++i)
            to[i] = expected[(i + 1) % 64] + expected[i] % 3;
        std::swap(expected, to);
    }
    QCOMPARE(from, expected);
}

void TestThreadPool::usesAllThreads()
{
    // Four items that wait for each other can only end when four threads run them.
    ThreadPool pool(4);
    std::atomic<int> arrived = 0;
    std::vector<std::uint32_t> byThread(4);
    pool.parallel(4, [&](std::uint32_t, std::uint32_t thread) {
        ++arrived;
        while (arrived < 4)
            std::this_thread::yield();
        ++byThread[thread];
    });
    QCOMPARE(byThread, std::vector<std::uint32_t>(4, 1));
}

void TestThreadPool::afterSleep()
{
    ThreadPool pool(2);
    for (int round = 0; round < 5; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20)); // the worker sleeps by now
        std::atomic<int> arrived = 0;
        pool.parallel(2, [&](std::uint32_t, std::uint32_t) {
            ++arrived;
            while (arrived < 2)
                std::this_thread::yield();
        });
        QCOMPARE(arrived.load(), 2);
    }
}

void TestThreadPool::oneThreadIsInline()
{
    ThreadPool pool(1);
    const std::thread::id caller = std::this_thread::get_id();
    std::vector<std::uint32_t> order;
    pool.parallel(5, [&](std::uint32_t item, std::uint32_t thread) {
        if (std::this_thread::get_id() == caller && thread == 0)
            order.push_back(item);
    });
    QCOMPARE(order, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
}

void TestThreadPool::oversubscribed()
{
    // Threads that take all cores: calls become slower, but a call never waits for a worker that has taken no item.
    std::atomic<bool> stop = false;
    std::vector<std::thread> load;
    for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) {
        load.emplace_back([&] {
            while (!stop.load(std::memory_order_relaxed)) { }
        });
    }
    ThreadPool pool(2);
    std::vector<std::uint64_t> sums(8);
    const auto begin = std::chrono::steady_clock::now();
    for (int round = 0; round < 2000; ++round)
        pool.parallel(8, [&](std::uint32_t item, std::uint32_t) { sums[item] += item; });
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    stop = true;
    for (std::thread& thread : load)
        thread.join();
    qInfo("%.1f us a call", took.count() / 2000);
    QCOMPARE(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}), 2000u * 28u);
    QVERIFY(took.count() / 2000 < 10000); // a core's share of time is a few milliseconds
}

QTEST_APPLESS_MAIN(TestThreadPool)
#include "tst_threadpool.moc"
