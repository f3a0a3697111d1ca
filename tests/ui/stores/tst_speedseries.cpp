// SPDX-License-Identifier: GPL-3.0-or-later
// Speed over the time of a run: a steady interval is a steady speed, whenever one looks.
#include "stores/speedseries.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace colibri;

namespace {

TimingEvent stepAt(std::uint32_t position, std::uint64_t startNs, std::uint64_t totalNs, std::uint32_t tokens = 1)
{
    TimingEvent event;
    event.position = position;
    event.tokens = tokens;
    event.startNs = startNs;
    event.totalNs = totalNs;
    return event;
}

TimingEvent promptAt(std::uint32_t position, std::uint64_t startNs, std::uint64_t totalNs, std::uint32_t tokens)
{
    TimingEvent event = stepAt(position, startNs, totalNs, tokens);
    event.prefill = 1;
    return event;
}

} // namespace

class TestSpeedSeries : public QObject {
    Q_OBJECT

private slots:
    /// Tokens at a steady interval show that speed within 2 % in every stretch, whatever the interval, the time of
    /// computing in it and the moment of looking.
    void steadyIntervals()
    {
        std::mt19937 random(5);
        std::uniform_real_distribution<double> exponent(std::log(0.2e6), std::log(8e9));
        std::uniform_real_distribution<double> share(0.001, 1);
        for (int run = 0; run < 120; ++run) {
            const double interval = run < 50 ? 1e9 / (run + 1) : std::exp(exponent(random)); // paces, then anything
            const std::uint32_t prompt = 1 + random() % 40;
            const std::uint64_t begin = 3'000'000'000'000 + random();
            SpeedSeries speed;
            speed.add(promptAt(0, begin, std::uint64_t(interval * share(random)), prompt));
            const int steps = 20 + int(random() % 700);
            for (int i = 0; i < steps; ++i) {
                const auto start = begin + std::uint64_t(interval * (i + 1));
                speed.add(stepAt(prompt + i, start, std::uint64_t(interval * share(random))));
                if (i % 29 != 0 && i + 1 < steps)
                    continue;
                double tokens = 0;
                for (const SpeedSeries::Point& point : speed.points()) {
                    if (point.prefill)
                        continue;
                    const double wanted = 1e9 / interval;
                    QVERIFY2(std::abs(point.tokensPerSecond - wanted) < 0.02 * wanted,
                        qPrintable(QStringLiteral("%1 instead of %2 at %3 s for %4 s, step %5")
                                       .arg(point.tokensPerSecond)
                                       .arg(wanted)
                                       .arg(point.beginS)
                                       .arg(point.lengthS)
                                       .arg(i)));
                    tokens += point.tokensPerSecond * point.lengthS;
                }
                QVERIFY(std::abs(tokens - i) < 1e-3); // all but the newest one
            }
        }
    }

    /// Where the number of a step is even, it takes half as long: each bucket has both, the mean shows.
    void shortStepsAreAveraged()
    {
        SpeedSeries speed;
        std::uint64_t now = 1;
        for (std::uint32_t i = 0; i < 10'000; ++i) {
            speed.add(stepAt(i, now, 100'000));
            now += i % 2 == 0 ? 500'000 : 1'000'000;
            if (i < 300 || i % 53 != 0)
                continue;
            const auto points = speed.points();
            QVERIFY(!points.empty());
            for (const SpeedSeries::Point& point : points)
                QVERIFY(std::abs(point.tokensPerSecond - 1e9 / 750'000) < 0.02 * 1e9 / 750'000);
        }
    }

    /// What is shown of the past stays when more comes, but for the last stretch, and nothing is shown of the future.
    void thePastStays()
    {
        SpeedSeries speed;
        std::mt19937 random(11);
        std::vector<SpeedSeries::Point> before;
        std::uint64_t now = 1;
        for (std::uint32_t i = 0; i < 400; ++i) {
            speed.add(stepAt(i, now, 10'000'000));
            now += 20'000'000 + random() % 40'000'000;
            const auto points = speed.points();
            QVERIFY(points.size() + 1 >= before.size());
            for (std::size_t at = 0; at + 1 < before.size(); ++at) {
                QCOMPARE(points[at].beginS, before[at].beginS);
                QCOMPARE(points[at].lengthS, before[at].lengthS);
                QCOMPARE(points[at].tokensPerSecond, before[at].tokensPerSecond);
            }
            QVERIFY(points.empty() || points.back().beginS + points.back().lengthS <= speed.seconds());
            before = points;
        }
        QVERIFY(before.size() > 20);
    }

    /// Tokens come after 30 and after 70 ms by turns: a stretch has several.
    void aStretchHasSeveralTokens()
    {
        SpeedSeries speed;
        std::uint64_t now = 1;
        for (std::uint32_t i = 0; i < 200; ++i) {
            speed.add(stepAt(i, now, 100'000));
            now += i % 2 == 0 ? 30'000'000 : 70'000'000; // as a machine that is busy elsewhere keeps a pace of 20
        }
        const auto points = speed.points();
        QVERIFY(points.size() >= 30 && points.size() <= 50);
        for (const SpeedSeries::Point& point : points)
            QVERIFY(std::abs(point.tokensPerSecond - 20) < 2);
    }

    void pausesHaveNoSpeed()
    {
        SpeedSeries speed;
        std::uint64_t now = 1'000'000;
        for (std::uint32_t i = 0; i < 200; ++i, now += 20'000'000) {
            const bool pause = i == 100;
            now += pause ? 16'000'000'000 : 0;
            speed.add(stepAt(i, now, 1'000'000), pause);
        }
        double shown = 0;
        for (const SpeedSeries::Point& point : speed.points()) {
            QVERIFY(std::abs(point.tokensPerSecond - 50) < 1e-6);
            shown += point.lengthS;
        }
        QVERIFY(std::abs(shown - 198 * 0.02) < 1e-6);
        QVERIFY(speed.seconds() > 19.9);
    }

    void promptsInBatches()
    {
        SpeedSeries speed;
        for (std::uint32_t i = 0; i < 10; ++i)
            speed.add(promptAt(32 * i, 7 + 80'000'000ull * i, 80'000'000, 32));
        speed.add(stepAt(320, 7 + 1'000'000'000, 1'000'000)); // a wait after the prompt is none of its time
        const auto points = speed.points();
        QVERIFY(!points.empty());
        for (const SpeedSeries::Point& point : points) {
            QVERIFY(point.prefill);
            QVERIFY(std::abs(point.tokensPerSecond - 400) < 1e-6);
        }
        QVERIFY(std::abs(points.back().beginS + points.back().lengthS - 0.8) < 1e-6);
    }
};

QTEST_GUILESS_MAIN(TestSpeedSeries)
#include "tst_speedseries.moc"
