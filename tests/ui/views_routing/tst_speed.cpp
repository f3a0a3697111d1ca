// SPDX-License-Identifier: GPL-3.0-or-later
// A very long run is counted without holding up the window. Bounds are far above what is measured, for slow and
// sanitized machines; the figures are printed.
#include "shownpage.h"

#include <QAbstractEventDispatcher>
#include <QComboBox>
#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <ctime>

using namespace colibri;
using namespace colibri::test;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
constexpr double allowance = 20;
constexpr std::uint32_t positions = 20'000;
#else
constexpr double allowance = 1;
constexpr std::uint32_t positions = 200'000;
#endif
constexpr double blockMs = 20;

/// Processor time of this program since it was made: other programs on the machine do not count.
class CpuClock {
public:
    double ms() const { return double(std::clock() - m_start) * 1000 / CLOCKS_PER_SEC; }

private:
    std::clock_t m_start = std::clock();
};

} // namespace

class TestSpeed : public QObject {
    Q_OBJECT

private slots:
    void longRunsDoNotBlock()
    {
        RunStore store;
        RunStore kept;
        SelectionStore selection;
        TestRun run({positions + 1000, 48, 64, 4, 1 << 20}, store);
        const std::vector<TokenId> words = run.ids("The hummingbird is small, fast and never still.\nIt drinks nectar");
        run.setPrompt(words);
        run.repeatUpTo(positions - 1);
        for (std::uint32_t at = 0; at + words.size() < positions; ++at)
            run.append(words[at % words.size()]);
        run.show();
        QCOMPARE(store.tokens(), int(positions));
        kept.keep(store);

        RoutingPage page(store, kept, selection);
        page.resize(1280, 800);
        page.show();
        selection.select({-1, 20, -1, 30});
        std::vector<double> rounds;
        QElapsedTimer clock;
        clock.start();
        while (page.routing().isBehind() || page.isRefreshing()) {
            const CpuClock round;
            QAbstractEventDispatcher::instance()->processEvents(QEventLoop::AllEvents);
            rounds.push_back(round.ms());
        }
        // The first rounds lay the page out for the first time.
        const double first =
            *std::max_element(rounds.begin(), rounds.begin() + std::ptrdiff_t(std::min<std::size_t>(3, rounds.size())));
        const double longest = *std::max_element(
            rounds.begin() + std::ptrdiff_t(std::min<std::size_t>(3, rounds.size() - 1)), rounds.end());
        qInfo("%u positions x 48 layers of 64 experts: counted in %lld ms, %zu rounds of the event loop; the longest "
              "took "
              "%.1f ms, those that show the page first %.1f ms",
            positions, clock.elapsed(), rounds.size(), longest, first);
        QCOMPARE(page.routing().counted(), store.routed());
        QVERIFY(longest < blockMs * allowance);

        // Differences of everything to the kept run, which has to be counted first.
        const CpuClock choosing;
        page.bar().findChildren<QComboBox*>()[CompareChoice]->setCurrentIndex(1);
        // Lays the page out anew: the table of layers gets a column and its neighbours give way.
        QAbstractEventDispatcher::instance()->processEvents(QEventLoop::AllEvents);
        const double chosen = choosing.ms();
        std::vector<double> compared;
        while (page.keptRouting().isBehind() || page.isRefreshing()) {
            const CpuClock round;
            QAbstractEventDispatcher::instance()->processEvents(QEventLoop::AllEvents);
            compared.push_back(round.ms());
        }
        QVERIFY(compared.size() > 2);
        const double longestCompared = *std::max_element(compared.begin(), compared.end());
        qInfo("compared with a run of the same length: the choice took %.1f ms, the longest of %zu rounds %.1f ms",
            chosen, compared.size(), longestCompared);
        QVERIFY(chosen < 2 * blockMs * allowance);
        QVERIFY(longestCompared < blockMs * allowance);

        std::vector<double> ticks;
        for (int tick = 0; tick < 100; ++tick) {
            for (int token = 0; token < 5; ++token)
                run.append(words[std::size_t(tick) % words.size()]);
            const CpuClock cost;
            run.show();
            ticks.push_back(cost.ms());
        }
        std::sort(ticks.begin(), ticks.end());
        qInfo("five more tokens: %.2f ms a tick (median), %.2f ms at most", ticks[50], ticks.back());
        QVERIFY(ticks[50] < 2 * allowance);
    }
};

QTEST_MAIN(TestSpeed)
#include "tst_speed.moc"
