// SPDX-License-Identifier: GPL-3.0-or-later
// Counts and figures against values worked out by hand, and a store that follows a run against counting from scratch.
#include "stores/routingcounts.h"
#include "stores/routingfigures.h"
#include "stores/routingstore.h"
#include "ui/support/testrun.h"

#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <limits>
#include <map>

using namespace colibri;
using namespace colibri::test;

namespace {

constexpr float noMargin = std::numeric_limits<float>::quiet_NaN();

struct Decision {
    std::vector<std::uint16_t> experts;
    std::vector<float> weights;
    float margin = 0;
    std::uint32_t zeroed = 0;
};

/// A record of one layer with these decisions.
std::unique_ptr<RunRecord> recordOf(std::uint32_t experts, const std::vector<Decision>& decisions)
{
    const auto k = static_cast<std::uint32_t>(decisions[0].experts.size());
    const auto count = static_cast<std::uint32_t>(decisions.size());
    auto record = std::make_unique<RunRecord>(RunRecord::Shape{count, 1, experts, k});
    record->setPrompt(std::vector<TokenId>(count, 7));
    for (std::uint32_t position = 0; position < count; ++position) {
        const Decision& decision = decisions[position];
        std::ranges::copy(decision.experts, record->writeExperts(position, 0).begin());
        std::ranges::copy(decision.weights, record->writeWeights(position, 0).begin());
        record->writeMargin(position, 0, decision.margin);
        record->writeZeroed(position, 0, decision.zeroed);
    }
    record->publishRouted(count);
    return record;
}

RoutingCounts countedFromScratch(const RunRecord& record, std::uint32_t from, std::uint32_t to)
{
    RoutingCounts counts(record.shape());
    for (std::uint32_t position = from; position < to; ++position)
        counts.add(record, position, position + 1);
    return counts;
}

bool same(double a, double b)
{
    return std::abs(a - b) < 1e-12;
}

/// What an expert served, by a plain scan.
struct Served {
    std::vector<int> positions;
    double weight = 0;
    std::map<TokenId, std::uint32_t> texts;
};
Served servedBy(
    const RunRecord& record, std::uint32_t layer, std::uint16_t expert, std::uint32_t from, std::uint32_t to)
{
    Served served;
    for (std::uint32_t position = from; position < to; ++position) {
        for (std::size_t rank = 0; rank < record.experts(position, layer).size(); ++rank) {
            if (record.experts(position, layer)[rank] != expert)
                continue;
            served.positions.push_back(static_cast<int>(position));
            served.weight += static_cast<double>(record.weights(position, layer)[rank]);
            ++served.texts[record.token(position)];
        }
    }
    return served;
}

} // namespace

class TestRouting : public QObject {
    Q_OBJECT

private slots:
    void figuresOfEvenLoads()
    {
        const std::vector<double> even(16, 3.);
        QVERIFY(same(entropyBits(even), 4));
        QVERIFY(same(entropyShare(even), 1));
        QVERIFY(same(gini(even), 0));
        QVERIFY(same(maxOverMean(even), 1));
        QVERIFY(same(variationCoefficient(even), 0));
        QCOMPARE(deadCount(even), 0.);
    }

    void figuresOfOneExpert()
    {
        std::vector<double> one(8);
        one[5] = 12;
        QCOMPARE(entropyBits(one), 0.);
        QCOMPARE(entropyShare(one), 0.);
        QVERIFY(same(gini(one), 7. / 8));
        QCOMPARE(maxOverMean(one), 8.);
        QVERIFY(same(variationCoefficient(one), std::sqrt(7.)));
        QCOMPARE(deadCount(one), 7.);
    }

    /// Loads 1, 3, 0, 4: p = 1/8, 3/8, 0, 1/2. Gini by its other definition, the mean difference of all pairs:
    /// (2 + 1 + 3 + 3 + 1 + 4) * 2 / (2 * 4 * 8) = 28 / 64. Squares around the mean 2: 1 + 1 + 4 + 4.
    void figuresByHand()
    {
        const std::vector<double> loads{1, 3, 0, 4};
        QVERIFY(same(entropyBits(loads), 3. / 8 + 3. / 8 * std::log2(8. / 3) + 1. / 2));
        QVERIFY(same(gini(loads), 28. / 64));
        QVERIFY(same(maxOverMean(loads), 2));
        QVERIFY(same(variationCoefficient(loads), std::sqrt(10. / 4) / 2));
        QCOMPARE(deadCount(loads), 1.);
        const LayerFigures all = layerFigures(loads);
        QCOMPARE(all.gini, gini(loads));
        QCOMPARE(all.entropyBits, entropyBits(loads));
        QCOMPARE(all.entropyShare, entropyBits(loads) / 2);
        QCOMPARE(all.maxOverMean, 2.);
        QCOMPARE(all.dead, 1.);
        QCOMPARE(all.variation, variationCoefficient(loads));
        QVERIFY(same(distance(shares(loads), shares(std::vector<double>{4, 0, 3, 1})), (3 + 3 + 3 + 3) / 16.));
        QCOMPARE(distance(shares(loads), shares(loads)), 0.);
    }

    void figuresOfNothing()
    {
        const std::vector<double> nothing(4);
        for (const double figure : {entropyBits(nothing), entropyShare(nothing), gini(nothing), maxOverMean(nothing),
                 variationCoefficient(nothing), deadCount(nothing), shares(nothing)[0], gini({}), entropyBits({}),
                 entropyShare(std::vector<double>{5}), distance(shares(nothing), shares(nothing))})
            QVERIFY(std::isnan(figure));
    }

    void countsByHand()
    {
        const auto record = recordOf(4,
            {{{2, 0}, {0.75f, 0.25f}, 0.5f, 0}, {{0, 2}, {0.5f, 0.5f}, 0.f, 2}, {{3, 2}, {1.f, 0.f}, noMargin, 3},
                {{1, noExpert}, {0.5f, 9.f}, 4.f, 0}});
        RoutingCounts counts(record->shape());
        counts.add(*record, 0, 1);
        counts.add(*record, 1, 4);
        counts.add(*record, 2, 2); // nothing
        QCOMPARE(counts.positions(), 4u);
        const auto vectorOf = [](auto span) { return std::vector<double>(span.begin(), span.end()); };
        QCOMPARE(vectorOf(counts.loads(0)), (std::vector<double>{2, 1, 3, 1}));
        QCOMPARE(vectorOf(counts.weights(0)), (std::vector<double>{0.75, 0.5, 1.25, 1}));
        QCOMPARE(vectorOf(counts.zeroed(0)), (std::vector<double>{0, 0, 2, 1}));
        const int together[4][4]{{2, 0, 2, 0}, {0, 1, 0, 0}, {2, 0, 3, 1}, {0, 0, 1, 1}};
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b)
                QCOMPARE(counts.together(0, a, b), std::uint32_t(together[a][b]));
        }
        const MarginCounts& margins = counts.margins(0);
        QCOMPARE(margins.none, 1u);
        QCOMPARE(margins.zero, 1u);
        QCOMPARE(margins.overflow, 1u);
        QCOMPARE(margins.counts[0], 1u);
        QCOMPARE(margins.counts[16], 1u); // 0.5 begins a bin of 1/32
    }

    void marginBins_data()
    {
        QTest::addColumn<float>("margin");
        QTest::addColumn<int>("bin"); // bins: overflow; -1: none
        QTest::newRow("below zero") << -0.25f << 0;
        QTest::newRow("just below a bound") << std::nextafter(0.03125f, 0.f) << 0;
        QTest::newRow("a bound") << 0.03125f << 1;
        QTest::newRow("last bin") << std::nextafter(4.f, 0.f) << MarginCounts::bins - 1;
        QTest::newRow("overflow") << 4.f << MarginCounts::bins;
        QTest::newRow("infinite") << std::numeric_limits<float>::infinity() << MarginCounts::bins;
        QTest::newRow("none") << noMargin << -1;
    }
    void marginBins()
    {
        QFETCH(float, margin);
        QFETCH(int, bin);
        MarginCounts margins;
        margins.add(margin);
        for (int other = 0; other < MarginCounts::bins; ++other)
            QCOMPARE(margins.counts[std::size_t(other)], other == bin ? 1u : 0u);
        QCOMPARE(margins.overflow, bin == MarginCounts::bins ? 1u : 0u);
        QCOMPARE(margins.none, bin == -1 ? 1u : 0u);
        QCOMPARE(margins.zero, 0u);
    }

    /// Ranks from 31 on share a bit.
    void zeroedBeyondTheBits()
    {
        Decision decision{{}, std::vector<float>(34, 1.f), 0, 1u << 31 | 1u << 3};
        for (std::uint16_t rank = 0; rank < 34; ++rank)
            decision.experts.push_back(static_cast<std::uint16_t>(39 - rank));
        const auto record = recordOf(40, {decision});
        const RoutingCounts counts = countedFromScratch(*record, 0, 1);
        for (int expert = 0; expert < 40; ++expert) {
            const int rank = 39 - expert;
            QCOMPARE(counts.zeroed(0)[std::size_t(expert)], (rank == 3 || (rank >= 31 && rank < 34)) ? 1u : 0u);
        }
    }

    void sumsOfTwo()
    {
        RunStore store;
        TestRun run({}, store);
        run.fillWithStory();
        const RunRecord& record = run.record();
        const RoutingCounts one = countedFromScratch(record, 0, 20);
        const RoutingCounts two = countedFromScratch(record, 20, record.routed());
        const RoutingCounts all = countedFromScratch(record, 0, record.routed());
        const RoutingSum both(one, two);
        const RoutingSum whole(all);
        QCOMPARE(both.positions(), all.positions());
        QCOMPARE(RoutingSum().layers(), 0);
        for (int layer = 0; layer < both.layers(); ++layer) {
            QCOMPARE(both.loads(layer), whole.loads(layer));
            QCOMPARE(both.zeroed(layer), whole.zeroed(layer));
            QCOMPARE(both.margins(layer), whole.margins(layer));
            for (int expert = 0; expert < both.experts(); ++expert) {
                QVERIFY(same(both.weights(layer)[std::size_t(expert)], whole.weights(layer)[std::size_t(expert)]));
                QCOMPARE(both.together(layer, expert, 3), whole.together(layer, expert, 3));
            }
        }
    }

    void storeFollowsARun()
    {
        RunStore store;
        RoutingStore routing(store);
        routing.setActive(true);
        QSignalSpy resets(&routing, &RoutingStore::reset);
        TestRun run({.positions = 4000}, store);
        QCOMPARE(resets.size(), 1);
        routing.setProfile(2, 5, Stretch::Answer);
        run.setPrompt(run.ids("The hummingbird is small, fast and never still.\n"));
        QSignalSpy changes(&routing, &RoutingStore::changed);
        for (int token = 0; token < 3000; ++token) {
            run.append(static_cast<TokenId>(256 + token % 37));
            if (token % 7 == 0) {
                changes.clear();
                run.show();
                QVERIFY(changes.size() <= 1);
            }
        }
        run.show();
        QTRY_VERIFY(!routing.isBehind());
        const RunRecord& record = run.record();
        const auto prompt = static_cast<std::uint32_t>(store.promptTokens());
        const auto routed = static_cast<std::uint32_t>(store.routed());
        QVERIFY(routed > 3000);
        QCOMPARE(routing.counted(), store.routed());
        const std::tuple<Stretch, std::uint32_t, std::uint32_t> stretches[]{
            {Stretch::Prompt, 0, prompt}, {Stretch::Answer, prompt, routed}, {Stretch::All, 0, routed}};
        for (const auto& [stretch, from, to] : stretches) {
            const RoutingCounts scratch = countedFromScratch(record, from, to);
            const RoutingSum counts = routing.counts(stretch);
            QCOMPARE(counts.positions(), to - from);
            for (int layer = 0; layer < counts.layers(); ++layer) {
                QCOMPARE(counts.loads(layer), RoutingSum(scratch).loads(layer));
                QCOMPARE(counts.margins(layer), scratch.margins(layer));
                QCOMPARE(counts.together(layer, 1, 2), double(scratch.together(layer, 1, 2)));
            }
            routing.setProfile(2, 5, stretch);
            QTRY_VERIFY(!routing.isBehind());
            compareProfile(routing.profile(), servedBy(record, 2, 5, from, to), to - from);
        }
    }

    void anInactiveStoreCountsNothing()
    {
        RunStore store;
        RoutingStore routing(store);
        TestRun run({}, store);
        QSignalSpy changes(&routing, &RoutingStore::changed);
        run.fillWithStory();
        QTest::qWait(20);
        QCOMPARE(routing.counted(), 0);
        QCOMPARE(changes.size(), 0);
        routing.setActive(true);
        QTRY_COMPARE(routing.counted(), store.routed());
        store.clear();
        QCOMPARE(routing.layers(), 0);
        QCOMPARE(routing.counts(Stretch::All).positions(), 0u);
        QVERIFY(!routing.isBehind());
    }

    /// A profile set before the prompt is known leaves the prompt out all the same, and grows like one set afterwards.
    void profileFollowsFromTheStart()
    {
        RunStore store;
        RoutingStore routing(store);
        routing.setActive(true);
        TestRun run({}, store);
        routing.setProfile(1, 3, Stretch::Answer);
        run.fillWithStory();
        QTRY_VERIFY(!routing.isBehind());
        const auto prompt = static_cast<std::uint32_t>(store.promptTokens());
        const auto routed = static_cast<std::uint32_t>(store.routed());
        compareProfile(routing.profile(), servedBy(run.record(), 1, 3, prompt, routed), routed - prompt);
        routing.setProfile(1, 99, Stretch::All); // no such expert
        QCOMPARE(routing.profile().expert(), -1);
        QVERIFY(!routing.isBehind());
    }

private:
    static void compareProfile(const ExpertProfile& profile, const Served& served, std::uint32_t positions)
    {
        QCOMPARE(profile.positions(), std::uint64_t{positions});
        QCOMPARE(profile.total(), std::uint64_t{served.positions.size()});
        QVERIFY(same(profile.meanWeight(), served.weight / double(served.positions.size())));
        const std::size_t kept = std::min(served.positions.size(), ExpertProfile::keptTokens);
        QCOMPARE(profile.newest().size(), kept);
        for (std::size_t at = 0; at < kept; ++at)
            QCOMPARE(profile.newest()[at].position, served.positions[served.positions.size() - kept + at]);
        const std::vector<ServedText> top = profile.top(5);
        QCOMPARE(top.size(), std::min<std::size_t>(5, served.texts.size()));
        std::map<TokenId, std::uint32_t> left = served.texts;
        for (const ServedText& text : top) {
            const auto most = std::max_element(
                left.begin(), left.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
            QCOMPARE(text.id, most->first);
            QCOMPARE(text.count, most->second);
            left.erase(most);
        }
    }
};

QTEST_GUILESS_MAIN(TestRouting)
#include "tst_routingstore.moc"
