// SPDX-License-Identifier: Apache-2.0
#include "kernels/math.h"

#include "kernels/exp32.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace colibri {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounder = 0x1.8p+52; ///< x + rounder - rounder rounds to the nearest integer, ties to even

double roundToInteger(double x)
{
    return (x + rounder) - rounder;
}

double powerOfTwo(int n)
{
    return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

/// sum of c[i] * x^i, the highest power first in c.
template <std::size_t N>
double polynomial(const double (&c)[N], double x)
{
    double p = c[0];
    for (std::size_t i = 1; i < N; ++i)
        p = std::fma(p, x, c[i]);
    return p;
}

/// high + low, low below half an ulp of high.
struct DoubleDouble {
    double high;
    double low;
};

/// a + b without loss, |a| >= |b| or a = 0.
DoubleDouble exactSum(double a, double b)
{
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

/// Natural logarithm of a positive finite x to about 2^-62 of its value. x = 2^e * m, sqrt(1/2) <= m < sqrt(2), s = (m
/// - 1) / (m + 1), ln m = 2 s + s^3 (2/3 + 2/5 s^2 + ...).
DoubleDouble preciseLog(double x)
{
    static constexpr double atanhTail[] = {
        2. / 25, 2. / 23, 2. / 21, 2. / 19, 2. / 17, 2. / 15, 2. / 13, 2. / 11, 2. / 9, 2. / 7, 2. / 5, 2. / 3};
    constexpr double ln2High = 0x1.62e42fefa3800p-1; // 42 bits: its product with an exponent is exact
    constexpr double ln2Low = 0x1.ef35793c76730p-45;
    int e = x < std::numeric_limits<double>::min() ? -54 : 0;
    const auto bits = std::bit_cast<std::uint64_t>(e ? x * 0x1p54 : x);
    e += static_cast<int>(bits >> 52) - 1023;
    double m = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFFu) | 0x3FF0000000000000u);
    if (m >= 0x1.6a09e667f3bcdp+0) {
        m /= 2;
        ++e;
    }
    const double f = m - 1; // exact
    const DoubleDouble divisor = exactSum(2, f);
    const double s = f / divisor.high;
    const double sLow = std::fma(-s, divisor.low, std::fma(-s, divisor.high, f)) / divisor.high;
    const double tail = s * s * s * polynomial(atanhTail, s * s);
    const DoubleDouble whole = exactSum(e * ln2High, 2 * s);
    return exactSum(whole.high, whole.low + (e * ln2Low + (2 * sLow + tail)));
}

} // namespace

float exactExp(float x)
{
    return x != x ? std::bit_cast<float>(0x7fc00000u) : exp32::exponential(x);
}

void sineCosine(double x, double& sine, double& cosine)
{
    static constexpr double sineTail[] = {
        -1. / 1307674368000., 1. / 6227020800., -1. / 39916800., 1. / 362880., -1. / 5040, 1. / 120, -1. / 6};
    static constexpr double cosineTerms[] = {1. / 20922789888000., -1. / 87178291200., 1. / 479001600., -1. / 3628800.,
        1. / 40320, -1. / 720, 1. / 24, -1. / 2, 1};
    constexpr double halfPiHigh = 0x1.921fb54442d18p+0;
    constexpr double halfPiLow = 0x1.1a62633145c07p-54;
    const double quadrant = roundToInteger(x * 0x1.45f306dc9c883p-1);
    const double r = std::fma(quadrant, -halfPiLow, std::fma(quadrant, -halfPiHigh, x));
    const double square = r * r;
    double s = std::fma(r * square, polynomial(sineTail, square), r);
    double c = polynomial(cosineTerms, square);
    const auto turns = static_cast<std::int64_t>(quadrant) & 3;
    if (turns & 1)
        std::swap(s, c);
    sine = turns & 2 ? -s : s;
    cosine = turns == 1 || turns == 2 ? -c : c;
}

double exponential(double x)
{
    static constexpr double terms[] = {1. / 6227020800., 1. / 479001600., 1. / 39916800., 1. / 3628800., 1. / 362880.,
        1. / 40320, 1. / 5040, 1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2, 1, 1};
    if (x != x)
        return x;
    x = std::clamp(x, -746., 710.); // zero and infinity
    const double n = roundToInteger(x * 0x1.71547652b82fep+0);
    const double r = std::fma(n, -0x1.abc9e3b39803fp-56, std::fma(n, -0x1.62e42fefa39efp-1, x));
    const int whole = static_cast<int>(n);
    return polynomial(terms, r) * powerOfTwo(whole >> 1) * powerOfTwo(whole - (whole >> 1));
}

double naturalLog(double x)
{
    if (!(x > 0) || x == infinity)
        return x == 0 ? -infinity : x == infinity ? x : std::numeric_limits<double>::quiet_NaN();
    return preciseLog(x).high;
}

double power(double base, double exponent)
{
    if (!(base > 0) || base == infinity)
        return std::numeric_limits<double>::quiet_NaN();
    const DoubleDouble log = preciseLog(base);
    const double high = exponent * log.high;
    if (!(std::fabs(high) < 1000))
        return exponential(high);
    const double low = std::fma(exponent, log.high, -high) + exponent * log.low;
    const double result = exponential(high);
    return result < infinity ? std::fma(result, low, result) : result;
}

} // namespace colibri
