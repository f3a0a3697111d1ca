// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/latencyhistory.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace colibri;

namespace {

/// The definition itself: the smallest value that at least so many of a thousand do not exceed.
std::uint64_t percentileOracle(std::vector<std::uint64_t> values, unsigned perMille)
{
    std::sort(values.begin(), values.end());
    for (const std::uint64_t value : values) {
        const auto notAbove = std::count_if(values.begin(), values.end(), [&](auto v) { return v <= value; });
        if (1000 * std::uint64_t(notAbove) >= perMille * values.size())
            return value;
    }
    return 0;
}

std::vector<std::uint64_t> randomValues(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::lognormal_distribution<double> times(15.2, 0.7); // around 4 ms, with a long tail
    std::vector<std::uint64_t> values(count);
    for (auto& value : values)
        value = std::uint64_t(times(random));
    return values;
}

TimingEvent decodeStep(std::uint32_t position, std::uint64_t startNs, std::uint64_t totalNs)
{
    TimingEvent event;
    event.startNs = startNs;
    event.totalNs = totalNs;
    event.position = position;
    event.tokens = 1;
    event.attentionNs = float(totalNs) / 4;
    event.expertsNs = float(totalNs) / 2;
    return event;
}

/// A prompt of 40 tokens in steps of 32 and 8, then 5 tokens: one waits 7 ms, one is missing.
std::vector<TimingEvent> smallRun()
{
    std::vector<TimingEvent> run;
    run.push_back(decodeStep(0, 1'000'000, 32'000'000));
    run[0].tokens = 32;
    run[0].prefill = 1;
    run.push_back(decodeStep(32, 33'000'000, 16'000'000));
    run[1].tokens = 8;
    run[1].prefill = 1;
    run.push_back(decodeStep(40, 49'000'000, 4'000'000));
    run.push_back(decodeStep(41, 60'000'000, 5'000'000));
    run.push_back(decodeStep(42, 65'000'000, 4'500'000));
    run.push_back(decodeStep(44, 90'000'000, 8'000'000));
    run[2].minorFaults = 3;
    run[3].minorFaults = 0;
    run[3].cacheMisses = 1000;
    return run;
}

} // namespace

class TestLatencyStats : public QObject {
    Q_OBJECT

private slots:
    void percentilesAreThoseOfTheDefinition_data();
    void percentilesAreThoseOfTheDefinition();
    void tooFewValuesGiveNoPercentile();
    void batchesDoNotMatter();
    void manyValuesAreWithinTheStatedError();
    void wholeRangeOfValues();
    void stagesAndWaiting();
    void figuresOfASmallRun();
    void largestOfAStretch();
    void speed();
    void speedOfALongRun();
    void catchingUpInSlices();
    void cost();
};

void TestLatencyStats::percentilesAreThoseOfTheDefinition_data()
{
    QTest::addColumn<int>("count");
    for (const int count : {2, 3, 9, 10, 11, 99, 100, 101, 999, 1000, 1001, 2500})
        QTest::addRow("%d values", count) << count;
}

void TestLatencyStats::percentilesAreThoseOfTheDefinition()
{
    QFETCH(int, count);
    const auto values = randomValues(std::size_t(count), unsigned(count));
    Distribution distribution;
    distribution.add(values);
    for (const unsigned perMille : shownPercentiles) {
        const auto shown = distribution.percentile(perMille);
        QCOMPARE(shown.has_value(), count * (1000 - int(perMille)) >= 1000);
        if (shown)
            QCOMPARE(*shown, percentileOracle(values, perMille));
    }
    const double mean = double(std::accumulate(values.begin(), values.end(), std::uint64_t{0})) / count;
    double squares = 0;
    for (const auto value : values)
        squares += (double(value) - mean) * (double(value) - mean);
    QCOMPARE(distribution.mean(), mean);
    QVERIFY(std::abs(distribution.deviation() / std::sqrt(squares / (count - 1)) - 1) < 1e-12);
    QCOMPARE(distribution.least(), *std::min_element(values.begin(), values.end()));
    QCOMPARE(distribution.largest(), *std::max_element(values.begin(), values.end()));
    for (const std::uint64_t limit : {std::uint64_t{0}, values[0], values[1] + 1, std::uint64_t{1} << 60})
        QCOMPARE(distribution.countAbove(limit),
            std::uint64_t(std::count_if(values.begin(), values.end(), [&](auto v) { return v > limit; })));
}

void TestLatencyStats::tooFewValuesGiveNoPercentile()
{
    QCOMPARE(samplesFor(500), std::uint64_t{2});
    QCOMPARE(samplesFor(900), std::uint64_t{10});
    QCOMPARE(samplesFor(990), std::uint64_t{100});
    QCOMPARE(samplesFor(999), std::uint64_t{1000});
    Distribution distribution;
    QVERIFY(!distribution.percentile(500));
    QCOMPARE(distribution.mean(), 0.);
    QCOMPARE(distribution.deviation(), 0.);
    QCOMPARE(distribution.countAbove(0), std::uint64_t{0});
    distribution.add(std::vector<std::uint64_t>{7});
    QVERIFY(!distribution.percentile(500));
    QCOMPARE(distribution.mean(), 7.);
}

void TestLatencyStats::batchesDoNotMatter()
{
    const auto values = randomValues(3000, 1);
    Distribution whole;
    whole.add(values);
    Distribution parts;
    for (std::size_t at = 0, size = 1; at < values.size(); at += size, size = size % 37 + 1)
        parts.add(std::span(values).subspan(at, std::min(size, values.size() - at)));
    QCOMPARE(parts.count(), whole.count());
    for (const unsigned perMille : shownPercentiles)
        QCOMPARE(parts.percentile(perMille), whole.percentile(perMille));
    QCOMPARE(parts.deviation(), whole.deviation());
}

void TestLatencyStats::manyValuesAreWithinTheStatedError()
{
    auto values = randomValues(Distribution::exactLimit + 50'000, 5);
    Distribution distribution;
    distribution.add(std::span(values).first(Distribution::exactLimit));
    QVERIFY(distribution.exact());
    distribution.add(std::span(values).subspan(Distribution::exactLimit));
    QVERIFY(!distribution.exact());
    std::sort(values.begin(), values.end());
    for (const unsigned perMille : shownPercentiles) {
        const double exact = double(values[(perMille * values.size() + 999) / 1000 - 1]);
        const double shown = double(*distribution.percentile(perMille));
        QVERIFY2(std::abs(shown / exact - 1) <= 1. / 256, qPrintable(QString::number(shown / exact)));
    }
    for (const std::uint64_t limit : {2'000'000u, 4'000'000u, 20'000'000u}) {
        const double exact =
            double(values.end() - std::upper_bound(values.begin(), values.end(), limit)) / double(values.size());
        QVERIFY(std::abs(double(distribution.countAbove(limit)) / double(values.size()) - exact) < 0.002);
    }
    QCOMPARE(distribution.largest(), values.back());
    QCOMPARE(distribution.countAbove(values.back() * 2), std::uint64_t{0});
}

void TestLatencyStats::wholeRangeOfValues()
{
    std::vector<std::uint64_t> values(Distribution::exactLimit + 1);
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{255}, std::uint64_t{256}, std::uint64_t{511},
             std::uint64_t{512}, std::uint64_t{1} << 40, ~std::uint64_t{0} >> 20}) {
        std::fill(values.begin(), values.end(), value);
        Distribution distribution;
        distribution.add(values);
        QVERIFY(!distribution.exact());
        QCOMPARE(*distribution.percentile(500), value); // the middle of the bin, kept within the extremes
        QCOMPARE(distribution.countAbove(value + value / 64 + 1), std::uint64_t{0});
        if (value > 0)
            QCOMPARE(distribution.countAbove(value - value / 64 - 1), distribution.count());
    }
}

void TestLatencyStats::stagesAndWaiting()
{
    const auto run = smallRun();
    const auto stages = stagesOf(run[2]);
    QCOMPARE(stages[std::size_t(Stage::Attention)], 1e6);
    QCOMPARE(stages[std::size_t(Stage::Experts)], 2e6);
    QCOMPARE(stages[std::size_t(Stage::Other)], 1e6);
    const auto wait = gapBetween(run[2], run[3], {});
    QVERIFY(wait && !wait->paused);
    QCOMPARE(wait->waitingNs, std::uint64_t{7'000'000});
    const auto none = gapBetween(run[3], run[4], {});
    QVERIFY(none && !none->paused);
    QCOMPARE(none->waitingNs, std::uint64_t{0});
    QVERIFY(!gapBetween(run[4], run[5], {}));
    TimingEvent rounded = run[2];
    rounded.expertsNs = 5e6f; // more than the whole: what rounding can do in the small
    QCOMPARE(stagesOf(rounded)[std::size_t(Stage::Other)], 0.);
}

void TestLatencyStats::figuresOfASmallRun()
{
    LatencyStats stats;
    const auto run = smallRun();
    stats.add(std::span(run).first(3));
    stats.add(std::span(run).subspan(3));
    QCOMPARE(stats.steps(Phase::Prefill), std::uint64_t{2});
    QCOMPARE(stats.tokens(Phase::Prefill), std::uint64_t{40});
    QCOMPARE(stats.wholeNs(Phase::Prefill), 48e6);
    QCOMPARE(stats.of(Phase::Prefill, Quantity::Step).least(), std::uint64_t{1'000'000}); // a token
    QCOMPARE(stats.of(Phase::Prefill, Quantity::Step).largest(), std::uint64_t{2'000'000});
    QCOMPARE(stats.of(Phase::Prefill, Quantity::Jitter).sum(), std::uint64_t{1'000'000});
    QCOMPARE(stats.steps(Phase::Decode), std::uint64_t{4});
    QCOMPARE(stats.wholeNs(Phase::Decode), 21.5e6);
    QCOMPARE(stats.of(Phase::Decode, Quantity::Step).percentile(500), std::optional<std::uint64_t>(4'500'000));
    QCOMPARE(stats.stageNs(Phase::Decode, Stage::Experts), 10.75e6);
    QCOMPARE(stats.stageNs(Phase::Decode, Stage::Waiting), 7e6);
    // Over the missing step there is neither waiting nor jitter, nor is there jitter from the prompt to the answer.
    QCOMPARE(stats.of(Phase::Decode, Quantity::Waiting).count(), std::uint64_t{3});
    QCOMPARE(stats.of(Phase::Decode, Quantity::Jitter).count(), std::uint64_t{2});
    QCOMPARE(stats.of(Phase::Decode, Quantity::Jitter).sum(), std::uint64_t{1'500'000});
    // The position that was not recorded is in no figure.
    const std::uint64_t end = std::uint64_t{run.back().position} + run.back().tokens;
    QCOMPARE(end - stats.tokens(Phase::Prefill) - stats.tokens(Phase::Decode), std::uint64_t{1});
    QCOMPARE(stats.of(Phase::Decode, Quantity::MinorFaults).count(), std::uint64_t{2});
    QCOMPARE(stats.of(Phase::Decode, Quantity::MinorFaults).sum(), std::uint64_t{3});
    QCOMPARE(stats.of(Phase::Decode, Quantity::CacheMisses).count(), std::uint64_t{1});
    QCOMPARE(stats.of(Phase::Decode, Quantity::BranchMisses).count(), std::uint64_t{0});
    stats.clear();
    QCOMPARE(stats.steps(Phase::Decode), std::uint64_t{0});
}

void TestLatencyStats::largestOfAStretch()
{
    std::mt19937 random(3);
    MaxFold fold;
    std::vector<float> values;
    for (int i = 0; i < 5000; ++i) {
        values.push_back(float(random() % 1000));
        fold.append(values.back());
    }
    for (int i = 0; i < 5000; ++i) {
        const std::size_t from = random() % values.size();
        const std::size_t to = from + 1 + random() % (values.size() - from);
        const auto first = values.begin();
        const auto expected =
            std::max_element(first + std::ptrdiff_t(from), first + std::ptrdiff_t(to)) - first; // the first largest
        QCOMPARE(fold.largest(from, to), std::size_t(expected));
    }
    fold.clear();
    QCOMPARE(fold.size(), std::size_t{0});
    fold.append(-1.f);
    QCOMPARE(fold.largest(0, 1), std::size_t{0});
}

void TestLatencyStats::speed()
{
    SpeedSeries speed;
    TimingEvent prompt = decodeStep(0, 5'000'000'000, 100'000'000); // fills two stretches of 50 ms
    prompt.tokens = 30;
    prompt.prefill = 1;
    speed.add(prompt);
    speed.add(decodeStep(30, 5'100'000'000, 25'000'000));
    QCOMPARE(speed.points().size(), std::size_t{2}); // when the next step begins is not known yet
    QCOMPARE(speed.seconds(), 0.125);
    speed.add(decodeStep(31, 5'125'000'000, 20'000'000));
    const auto points = speed.points();
    QCOMPARE(points.size(), std::size_t{3});
    QCOMPARE(points[0].tokensPerSecond, 300.);
    QVERIFY(points[0].prefill && points[1].prefill && !points[2].prefill);
    QCOMPARE(points[2].beginS, 0.1);
    QCOMPARE(points[2].lengthS, 0.025);
    QCOMPARE(points[2].tokensPerSecond, 40.);
    QCOMPARE(speed.seconds(), 0.145);
    speed.add(decodeStep(33, 5'310'000'000, 25'000'000)); // the step of position 32 is missing
    speed.add(decodeStep(34, 5'350'000'000, 25'000'000));
    const auto more = speed.points();
    QCOMPARE(more.size(), std::size_t{4});
    QCOMPARE(more[2].lengthS, 0.025);
    QCOMPARE(more[3].beginS, 0.31);
    QCOMPARE(more[3].tokensPerSecond, 25.);
}

void TestLatencyStats::speedOfALongRun()
{
    SpeedSeries speed;
    std::uint64_t now = 0;
    for (std::uint32_t i = 0; i < 100'000; ++i, now += 4'000'000)
        speed.add(decodeStep(i, now, 3'000'000)); // 400 s
    const auto points = speed.points();
    QVERIFY(points.size() <= SpeedSeries::mostBuckets && points.size() > SpeedSeries::mostBuckets / 2 - 1);
    double tokens = 0;
    for (const auto& point : points) {
        tokens += point.tokensPerSecond * point.lengthS;
        QVERIFY(std::abs(point.tokensPerSecond - 250) < 3);
    }
    QVERIFY(std::abs(tokens - 99'999) < 1e-6 * 100'000); // how long the newest one lasts is not known
}

void TestLatencyStats::catchingUpInSlices()
{
    std::vector<TimingEvent> events;
    for (std::uint32_t i = 0; i < 5000; ++i)
        events.push_back(decodeStep(i, i * 5'000'000ull, 4'000'000 + i));
    LatencyHistory slices;
    int calls = 0;
    while (!slices.catchUp(events, LatencyHistory::Clock::time_point::min()))
        ++calls;
    QVERIFY(calls >= 3);
    QCOMPARE(slices.size(), events.size());
    LatencyHistory whole;
    QVERIFY(whole.catchUp(events, LatencyHistory::Clock::time_point::max()));
    for (const unsigned perMille : shownPercentiles)
        QCOMPARE(slices.stats().of(Phase::Decode, Quantity::Step).percentile(perMille),
            whole.stats().of(Phase::Decode, Quantity::Step).percentile(perMille));
    QCOMPARE(slices.steps()[10], 4.00001f);
    QCOMPARE(slices.stepsWithWaiting()[10], float(5.0 - 9e-6 + 10e-6));
    QCOMPARE(slices.counts(Quantity::CacheMisses)[0], -1.f);
    slices.clear();
    QCOMPARE(slices.size(), std::size_t{0});
}

void TestLatencyStats::cost()
{
    std::vector<TimingEvent> events;
    for (std::uint32_t i = 0; i < 1'000'000; ++i)
        events.push_back(decodeStep(i, i * 5'000'000ull, 4'000'000 + i * 7919ull % 500'000));
    LatencyHistory history;
    using Clock = LatencyHistory::Clock;
    double longest = 0;
    const auto begin = Clock::now();
    for (bool done = false; !done;) {
        const auto slice = Clock::now();
        done = history.catchUp(events, slice + std::chrono::milliseconds(4));
        longest = std::max(longest, std::chrono::duration<double, std::milli>(Clock::now() - slice).count());
    }
    const double all = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    qInfo("a million steps: %.0f ms, longest slice %.1f ms", all, longest);
    QCOMPARE(history.stats().steps(Phase::Decode), std::uint64_t{1'000'000});
    QVERIFY(all < 30'000); // a tenth of it on a machine at rest
}

QTEST_GUILESS_MAIN(TestLatencyStats)
#include "tst_latencystats.moc"
