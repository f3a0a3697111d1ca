// SPDX-License-Identifier: Apache-2.0
#include "format/router_table_plan.h"

#include <QByteArray>
#include <QTest>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

using namespace colibri;

/// Quantized router logits, sanity entries, and the bytes of the two files.
class TestRouterTablePlan : public QObject {
    Q_OBJECT

private slots:
    void quantizationIsWithinHalfAStep_data();
    void quantizationIsWithinHalfAStep();
    void whatIsNotFiniteIsRefused_data();
    void whatIsNotFiniteIsRefused();
    void bytesOfTheFiles();
    void sanityEntriesAreSpread_data();
    void sanityEntriesAreSpread();
    void sizesThatOverflow();
    void passingStops();
};

void TestRouterTablePlan::quantizationIsWithinHalfAStep_data()
{
    QTest::addColumn<double>("centre");
    QTest::addColumn<double>("spread");
    QTest::newRow("usual") << 0.0 << 4.0;
    QTest::newRow("far away") << 1000.0 << 3.0;
    QTest::newRow("narrow") << -2.0 << 1e-3;
    QTest::newRow("tiny") << 0.0 << 1e-30;
    QTest::newRow("wide") << 0.0 << 1e30;
    QTest::newRow("all the same") << 1.25 << 0.0;
}

void TestRouterTablePlan::quantizationIsWithinHalfAStep()
{
    QFETCH(const double, centre);
    QFETCH(const double, spread);
    std::uint32_t state = 7;
    std::vector<double> logits;
    for (int i = 0; i < 300; ++i) {
        state = state * 1664525u + 1013904223u;
        logits.push_back(centre + spread * (state / 4294967296.0 - 0.5));
    }
    std::vector<std::uint8_t> bytes(logits.size());
    const auto scale = quantizeLogits(logits, bytes);
    QVERIFY(scale);
    // The two floats are rounded: half a step, and what a float of this size is off by.
    const double allowed = double{scale->scale} / 2 + (std::abs(centre) + 255 * double{scale->scale}) * 0x1p-23;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const double back = double{scale->offset} + double{scale->scale} * bytes[i];
        QVERIFY2(std::abs(back - logits[i]) <= allowed, qPrintable(QString::number(back - logits[i])));
    }
    if (spread > 0) {
        QVERIFY(std::ranges::count(bytes, 0) > 0);
        QVERIFY(std::ranges::count(bytes, 255) > 0);
    } else {
        QCOMPARE(scale->scale, 0.f);
    }
}

void TestRouterTablePlan::whatIsNotFiniteIsRefused_data()
{
    QTest::addColumn<double>("value");
    QTest::newRow("nan") << std::nan("");
    QTest::newRow("infinity") << std::numeric_limits<double>::infinity();
    QTest::newRow("minus infinity") << -std::numeric_limits<double>::infinity();
    QTest::newRow("no float") << 1e300;
    QTest::newRow("range is no float") << -3e38;
}

void TestRouterTablePlan::whatIsNotFiniteIsRefused()
{
    QFETCH(const double, value);
    std::uint8_t bytes[2];
    QVERIFY(!quantizeLogits(std::vector<double>{3e38, value}, bytes));
}

void TestRouterTablePlan::bytesOfTheFiles()
{
    RouterTablePlan plan;
    plan.layers = 2;
    plan.rows = 4;
    plan.k = 2;
    plan.experts = 3;
    plan.ids = {1, 3};
    plan.allocate();
    plan.chosen = {0, 1, 1, 2, 2, 0, 1, 0, 2, 1, 0, 2};
    for (std::size_t i = 0; i < plan.logits.size(); ++i)
        plan.logits[i] = static_cast<std::uint8_t>(i);
    for (std::size_t i = 0; i < plan.scales.size(); ++i)
        plan.scales[i] = {static_cast<float>(i), -static_cast<float>(i)};
    QByteArray bytes;
    const ByteSink sink = [&](std::span<const std::byte> block) -> Result<void> {
        bytes.append(reinterpret_cast<const char*>(block.data()), static_cast<qsizetype>(block.size()));
        return {};
    };
    QVERIFY(passTable(plan, sink, {}));
    // Ids 0 and 2 have the row of the rest.
    QCOMPARE(bytes.toHex(' '),
        QByteArray("02 00 00 00 00 00 01 00 02 00 00 00 01 00 02 00 "
                   "00 00 02 00 01 00 00 00 00 00 02 00 02 00 01 00"));
    QCOMPARE(std::uint64_t(bytes.size()), plannedTableBytes(plan).value());
    bytes.clear();
    QVERIFY(passRouterLogits(plan, sink, {}));
    QCOMPARE(std::uint64_t(bytes.size()), routerLogitBytes(2, 4, 3).value());
    QCOMPARE(bytes.left(24).toHex(' '),
        QByteArray("06 07 08 00 01 02 06 07 08 03 04 05 0f 10 11 09 0a 0b 0f 10 11 0c 0d 0e"));
    float scales[16];
    QCOMPARE(bytes.size() - 24, qsizetype(sizeof scales));
    std::memcpy(scales, bytes.constData() + 24, sizeof scales);
    const float expected[]{2, -2, 0, -0.f, 2, -2, 1, -1, 5, -5, 3, -3, 5, -5, 4, -4};
    QVERIFY(std::ranges::equal(scales, expected));
}

void TestRouterTablePlan::sanityEntriesAreSpread_data()
{
    QTest::addColumn<int>("layers");
    QTest::addColumn<int>("ids");
    QTest::addColumn<int>("entries");
    QTest::newRow("one") << 1 << 1 << 1;
    QTest::newRow("layers") << 48 << 1 << 8;
    QTest::newRow("ids") << 1 << 1000 << 8;
    QTest::newRow("both") << 24 << 500 << 8;
    QTest::newRow("few") << 2 << 3 << 3;
    QTest::newRow("none") << 2 << 0 << 0;
}

void TestRouterTablePlan::sanityEntriesAreSpread()
{
    QFETCH(const int, layers);
    QFETCH(const int, ids);
    QFETCH(const int, entries);
    RouterTablePlan plan;
    plan.layers = static_cast<std::uint32_t>(layers);
    plan.rows = 5000;
    plan.k = 1;
    plan.experts = 9;
    for (int i = 0; i < ids; ++i)
        plan.ids.push_back(static_cast<TokenId>(3 * i + 1));
    plan.allocate();
    for (std::size_t i = 0; i < plan.chosen.size(); ++i)
        plan.chosen[i] = static_cast<std::uint16_t>(i % 9);
    const std::vector<SanityEntry> all = sanityEntries(plan);
    QCOMPARE(all.size(), std::size_t(entries));
    std::set<std::pair<std::uint32_t, std::uint32_t>> places;
    for (const SanityEntry& entry : all) {
        places.emplace(entry.layer, entry.token);
        QVERIFY(entry.layer < plan.layers);
        QCOMPARE(entry.token % 3, 1u);
        QCOMPARE(entry.experts, (std::vector<std::uint16_t>{plan.chosen[plan.place(entry.layer, entry.token / 3)]}));
    }
    QCOMPARE(places.size(), all.size());
}

void TestRouterTablePlan::sizesThatOverflow()
{
    RouterTablePlan plan;
    plan.layers = plan.rows = plan.k = UINT32_MAX;
    QVERIFY(!plannedTableBytes(plan));
    QVERIFY(!routerLogitBytes(UINT32_MAX, UINT32_MAX, UINT32_MAX));
}

void TestRouterTablePlan::passingStops()
{
    RouterTablePlan plan;
    plan.layers = plan.rows = plan.k = plan.experts = 1;
    plan.allocate();
    std::stop_source stop;
    stop.request_stop();
    const auto passed = passTable(
        plan, [](std::span<const std::byte>) { return Result<void>{}; }, stop.get_token());
    QVERIFY(!passed && passed.error().code == Errc::Cancelled);
}

QTEST_APPLESS_MAIN(TestRouterTablePlan)
#include "tst_router_table_plan.moc"
