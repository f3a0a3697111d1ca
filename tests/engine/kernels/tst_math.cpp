// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernels.h"
#include "kernels/math.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace colibri;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double relativeError(double value, long double exact)
{
    return static_cast<double>(std::fabs((static_cast<long double>(value) - exact) / exact));
}

} // namespace

/// The oracle is the C library's long double (64 bits of mantissa).
class TestMath : public QObject {
    Q_OBJECT

private slots:
    void exp32();
    void exp32Edges();
    void sinesAndCosines();
    void doubleExp();
    void logarithms();
    void powers();
};

void TestMath::exp32()
{
    double worst = 0;
    for (float x = -87.3f; x < 88.72f; x += 0.00037f)
        worst = std::max(worst, relativeError(exactExp(x), std::exp(static_cast<long double>(x))));
    qInfo("largest relative error %.3g", worst);
    QVERIFY(worst < 2e-7);
    // Subnormal results: correct to one unit, 2^-149.
    for (float x = -103.9f; x < -87.3f; x += 0.0003f)
        QVERIFY(std::fabs(exactExp(x) - std::exp(static_cast<long double>(x))) < 0x1p-149L * 1.01L);
}

void TestMath::exp32Edges()
{
    const float inf = std::numeric_limits<float>::infinity();
    QCOMPARE(exactExp(0.f), 1.f);
    QCOMPARE(exactExp(-0.f), 1.f);
    QCOMPARE(exactExp(-inf), 0.f);
    QCOMPARE(exactExp(-104.f), 0.f);
    QCOMPARE(exactExp(-1e30f), 0.f);
    QCOMPARE(exactExp(inf), inf);
    QCOMPARE(exactExp(88.73f), inf);
    QVERIFY(exactExp(88.72f) < inf);
    QCOMPARE(exactExp(-103.9f), std::numeric_limits<float>::denorm_min());
    QCOMPARE(std::bit_cast<std::uint32_t>(exactExp(std::bit_cast<float>(0xffc12345u))), 0x7fc00000u);
    // The kernels' form, every thousandth float of the line.
    for (const Isa isa : availableIsas()) {
        for (std::uint64_t bits = 0; bits < (1ull << 32); bits += 100003) {
            const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
            float out = 0;
            kernelTable(isa)->exponentials(&x, 1, &out);
            QCOMPARE(std::bit_cast<std::uint32_t>(out), std::bit_cast<std::uint32_t>(exactExp(x)));
        }
    }
}

void TestMath::sinesAndCosines()
{
    std::mt19937_64 random(1);
    double worst = 0;
    for (const double range : {0.001, 1., 10., 4096., 1048576.}) {
        std::uniform_real_distribution<double> angles(-range, range);
        for (int i = 0; i < 200000; ++i) {
            const double x = angles(random);
            double sine = 0;
            double cosine = 0;
            sineCosine(x, sine, cosine);
            worst = std::max({worst, std::fabs(static_cast<double>(sine - std::sin(static_cast<long double>(x)))),
                std::fabs(static_cast<double>(cosine - std::cos(static_cast<long double>(x))))});
        }
    }
    qInfo("largest error %.3g", worst);
    QVERIFY(worst < 1e-14);
    double sine = 1;
    double cosine = 0;
    sineCosine(0, sine, cosine);
    QCOMPARE(sine, 0.);
    QCOMPARE(cosine, 1.);
}

void TestMath::doubleExp()
{
    std::mt19937_64 random(2);
    double worst = 0;
    for (const double range : {1e-9, 1., 708.}) {
        std::uniform_real_distribution<double> values(-range, range);
        for (int i = 0; i < 200000; ++i) {
            const double x = values(random);
            worst = std::max(worst, relativeError(exponential(x), std::exp(static_cast<long double>(x))));
        }
    }
    qInfo("largest relative error %.3g", worst);
    QVERIFY(worst < 1e-14);
    QCOMPARE(exponential(-infinity), 0.);
    QCOMPARE(exponential(-746.), 0.);
    QCOMPARE(exponential(-744.9), std::exp(-744.9));
    QCOMPARE(exponential(infinity), infinity);
    QCOMPARE(exponential(709.79), infinity);
    QVERIFY(std::isnan(exponential(std::nan(""))));
}

void TestMath::logarithms()
{
    std::mt19937_64 random(3);
    double worst = 0;
    std::uniform_real_distribution<double> near(0.6, 1.6);
    for (int i = 0; i < 400000; ++i) {
        const auto bits = static_cast<std::uint64_t>(random()) % 0x7FF0000000000000u;
        for (const double x : {std::bit_cast<double>(bits + 1), near(random), 1 + std::bit_cast<double>(bits / 2)}) {
            if (x < infinity && x != 1)
                worst = std::max(worst, relativeError(naturalLog(x), std::log(static_cast<long double>(x))));
        }
    }
    qInfo("largest relative error %.3g", worst);
    QVERIFY(worst < 1e-14);
    QCOMPARE(naturalLog(1.), 0.);
    QCOMPARE(naturalLog(0.), -infinity);
    QCOMPARE(naturalLog(infinity), infinity);
    QVERIFY(std::isnan(naturalLog(-1.)));
}

void TestMath::powers()
{
    std::mt19937_64 random(4);
    double worst = 0;
    std::uniform_real_distribution<double> logs(-700, 700);
    for (int i = 0; i < 300000; ++i) {
        const double base = std::exp(logs(random));
        const double exponent = logs(random) / std::log(base);
        worst = std::max(worst,
            relativeError(
                power(base, exponent), std::pow(static_cast<long double>(base), static_cast<long double>(exponent))));
    }
    for (const double theta : {10000., 1e6, 5e5}) {
        for (int i = 0; i < 128; ++i) {
            const double exponent = -2. * i / 256;
            worst = std::max(worst,
                relativeError(power(theta, exponent),
                    std::pow(static_cast<long double>(theta), static_cast<long double>(exponent))));
        }
    }
    qInfo("largest relative error %.3g", worst);
    QVERIFY(worst < 1e-14);
    QCOMPARE(power(10000., 0.), 1.);
    QCOMPARE(power(2., 10.), 1024.);
    QCOMPARE(power(2., 2000.), infinity);
    QCOMPARE(power(2., -2000.), 0.);
}

QTEST_APPLESS_MAIN(TestMath)
#include "tst_math.moc"
