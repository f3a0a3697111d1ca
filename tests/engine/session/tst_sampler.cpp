// SPDX-License-Identifier: Apache-2.0
#include "session/sampler.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <vector>

using namespace colibri;

class TestSampler : public QObject {
    Q_OBJECT

private slots:
    void randomNumbers();
    void greedyTakesTheLowestOfTies();
    void nanIsNeverDrawn();
    void filters_data();
    void filters();
    void frequencies();
    void repeatPenalty();
};

namespace {

TokenId draw(Sampler& sampler, std::vector<float> logits, std::span<const TokenId> recent = {})
{
    std::vector<Candidate> scratch(logits.size());
    return sampler.draw(logits, recent, scratch);
}

} // namespace

void TestSampler::randomNumbers()
{
    // First outputs of the reference xoshiro256** with the state that splitmix64 makes of seed 0; its first word is
    // splitmix64's well-known first output for 0.
    std::uint64_t state[4]{0xE220A8397B1DCDAFu, 0x6E789E6AA1B965F4u, 0x06C45D188009454Fu, 0xF88BB8A8724C81ECu};
    Random random(0);
    for (int i = 0; i < 5; ++i) {
        const auto rotate = [](std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); };
        const std::uint64_t expected = rotate(state[1] * 5, 7) * 9;
        const std::uint64_t t = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= t;
        state[3] = rotate(state[3], 45);
        QCOMPARE(random.next(), expected);
    }
    for (int i = 0; i < 1000; ++i) {
        const double value = random.uniform();
        QVERIFY(value >= 0 && value < 1);
    }
}

void TestSampler::greedyTakesTheLowestOfTies()
{
    Sampler sampler(SamplingOptions{});
    QCOMPARE(draw(sampler, {1.f, 3.f, 2.f, 3.f}), TokenId{1});
    QCOMPARE(draw(sampler, {0.f, 0.f, 0.f}), TokenId{0});
}

void TestSampler::nanIsNeverDrawn()
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    SamplingOptions options;
    Sampler greedy(options);
    QCOMPARE(draw(greedy, {nan, -5.f, nan}), TokenId{1});
    options.temperature = 1.f;
    Sampler sampled(options);
    for (int i = 0; i < 200; ++i)
        QVERIFY(draw(sampled, {nan, 0.f, nan, 0.1f}) % 2 == 1);
    QCOMPARE(draw(sampled, {nan, nan}), TokenId{0});
}

void TestSampler::filters_data()
{
    QTest::addColumn<SamplingOptions>("options");
    QTest::addColumn<QSet<int>>("possible");
    // Probabilities of exp(0), exp(-1), exp(-2), exp(-3): 0.644, 0.237, 0.087, 0.032; the logits below are shuffled.
    SamplingOptions all;
    all.temperature = 1.f;
    SamplingOptions two = all;
    two.topK = 2;
    SamplingOptions nucleus = all;
    nucleus.topP = 0.88f;
    SamplingOptions justOne = all;
    justOne.topP = 0.5f;
    SamplingOptions relative = all;
    relative.minP = 0.1f;
    SamplingOptions both = two;
    both.topP = 0.999f;
    QTest::newRow("all") << all << QSet<int>{0, 1, 2, 3};
    QTest::newRow("top-k 2") << two << QSet<int>{2, 0};
    QTest::newRow("top-p 0.88 needs two") << nucleus << QSet<int>{2, 0};
    QTest::newRow("top-p below the best") << justOne << QSet<int>{2};
    QTest::newRow("min-p 0.1 keeps exp(-2)") << relative << QSet<int>{2, 0, 3};
    QTest::newRow("top-p of the top-k") << both << QSet<int>{2, 0};
}

void TestSampler::filters()
{
    QFETCH(SamplingOptions, options);
    QFETCH(QSet<int>, possible);
    Sampler sampler(options);
    QSet<int> seen;
    for (int i = 0; i < 3000; ++i)
        seen.insert(static_cast<int>(draw(sampler, {9.f, 7.f, 10.f, 8.f})));
    QCOMPARE(seen, possible);
}

void TestSampler::frequencies()
{
    SamplingOptions options;
    options.temperature = 2.f;
    options.seed = 7;
    Sampler sampler(options);
    constexpr int draws = 40000;
    int counts[3]{};
    for (int i = 0; i < draws; ++i)
        ++counts[draw(sampler, {0.f, 2.f, 4.f})];
    const double total = 1 + std::exp(1.0) + std::exp(2.0);
    for (int id = 0; id < 3; ++id) {
        const double p = std::exp(double(id)) / total;
        const double sigma = std::sqrt(draws * p * (1 - p));
        QVERIFY(std::abs(counts[id] - draws * p) < 5 * sigma);
    }
}

void TestSampler::repeatPenalty()
{
    SamplingOptions options;
    options.repeatPenalty = 2.f;
    Sampler sampler(options);
    const TokenId seen[]{0, 0, 2};
    // 3 / 2 (once, not twice), 1.4, -1 * 2
    QCOMPARE(draw(sampler, {3.f, 1.4f, -1.f}, seen), TokenId{0});
    QCOMPARE(draw(sampler, {3.f, 1.6f, -1.f}, seen), TokenId{1});
    QCOMPARE(draw(sampler, {-9.f, -1.9f, -1.f}, seen), TokenId{1});
    std::vector<TokenId> old(Sampler::repeatWindow, 1);
    old.insert(old.begin(), 0); // one too far back
    QCOMPARE(draw(sampler, {3.f, 2.9f}, old), TokenId{0});
}

QTEST_GUILESS_MAIN(TestSampler)
#include "tst_sampler.moc"
