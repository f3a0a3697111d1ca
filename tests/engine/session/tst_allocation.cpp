// SPDX-License-Identifier: Apache-2.0
#include "sessiontools.h"

#include "support/allocationcount.h"

#include <QTest>

#include <memory>

using namespace colibri;
using namespace colibri::test;

/// Between the first and the last token of a run nothing is allocated, on any thread.
class TestAllocation : public QObject {
    Q_OBJECT

private slots:
    void countsAllocations();
    void runAllocatesNothing_data();
    void runAllocatesNothing();
    void evaluationAllocatesNothing();
};

void TestAllocation::countsAllocations()
{
    const std::uint64_t before = allocations();
    auto value = std::make_unique<int>(3);
    QVERIFY(allocations() > before);
    QVERIFY(value != nullptr);
}

void TestAllocation::runAllocatesNothing_data()
{
    QTest::addColumn<float>("temperature");
    QTest::addColumn<std::uint32_t>("threads");
    QTest::newRow("greedy, one thread") << 0.f << 1u;
    QTest::newRow("greedy, three threads") << 0.f << 3u;
    QTest::newRow("sampled") << 1.f << 2u;
}

void TestAllocation::runAllocatesNothing()
{
    QFETCH(float, temperature);
    QFETCH(std::uint32_t, threads);
    const OpenedModel opened;
    EngineOptions options;
    options.threads = threads;
    const auto session = Session::create(opened.model, options);
    QVERIFY(session);
    RunRequest request;
    request.prompt = someTokens(30, 101);
    request.maxTokens = 100;
    request.sampling.temperature = temperature;
    request.sampling.topK = 20;
    request.sampling.topP = 0.9f;
    request.sampling.minP = 0.01f;
    request.sampling.repeatPenalty = 1.1f;
    const auto record = (*session)->makeRecord();
    QVERIFY((*session)->begin(request, record, std::make_shared<TimingRing>(timingRingCapacity)));
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    const auto reason = (*session)->advance(1000, {}, [&](TokenId) {
        last = allocations();
        if (first == 0)
            first = last;
    });
    QVERIFY(reason);
    QCOMPARE(*reason, StopReason::MaxTokens);
    QVERIFY(first > 0);
    QCOMPARE(last - first, std::uint64_t{0});
    QCOMPARE(record->routed(), 129u);
}

void TestAllocation::evaluationAllocatesNothing()
{
    const OpenedModel opened;
    EngineOptions options;
    options.threads = 2;
    options.batch = 5;
    const auto session = Session::create(opened.model, options);
    QVERIFY(session);
    const std::vector<TokenId> tokens = someTokens(100, 101);
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    QVERIFY((*session)->evaluate(
        tokens, (*session)->makeRecord(), {}, [&](std::uint32_t, std::uint32_t, std::span<const float>) {
            last = allocations();
            if (first == 0)
                first = last;
            return true;
        }));
    QVERIFY(first > 0);
    QCOMPARE(last - first, std::uint64_t{0});
}

QTEST_GUILESS_MAIN(TestAllocation)
#include "tst_allocation.moc"
