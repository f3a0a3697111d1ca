// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/routingfigures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace colibri {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double sumOf(std::span<const double> amounts)
{
    return std::accumulate(amounts.begin(), amounts.end(), 0.);
}

} // namespace

double entropyBits(std::span<const double> amounts)
{
    const double sum = sumOf(amounts);
    if (!(sum > 0))
        return none;
    double bits = 0;
    for (const double amount : amounts) {
        if (amount > 0)
            bits += amount / sum * std::log2(sum / amount);
    }
    return bits;
}

double entropyShare(std::span<const double> amounts)
{
    return amounts.size() > 1 ? entropyBits(amounts) / std::log2(static_cast<double>(amounts.size())) : none;
}

double gini(std::span<const double> amounts)
{
    const double sum = sumOf(amounts);
    if (!(sum > 0))
        return none;
    std::vector<double> sorted(amounts.begin(), amounts.end());
    std::sort(sorted.begin(), sorted.end());
    const auto n = static_cast<double>(sorted.size());
    double weighted = 0;
    for (std::size_t at = 0; at < sorted.size(); ++at)
        weighted += (2. * static_cast<double>(at + 1) - n - 1) * sorted[at];
    return weighted / (n * sum);
}

double maxOverMean(std::span<const double> amounts)
{
    const double sum = sumOf(amounts);
    if (!(sum > 0))
        return none;
    return *std::max_element(amounts.begin(), amounts.end()) * static_cast<double>(amounts.size()) / sum;
}

double variationCoefficient(std::span<const double> amounts)
{
    const double sum = sumOf(amounts);
    if (!(sum > 0))
        return none;
    const auto n = static_cast<double>(amounts.size());
    const double mean = sum / n;
    double squares = 0;
    for (const double amount : amounts)
        squares += (amount - mean) * (amount - mean);
    return std::sqrt(squares / n) / mean;
}

double deadCount(std::span<const double> amounts)
{
    return sumOf(amounts) > 0 ? static_cast<double>(std::count(amounts.begin(), amounts.end(), 0.)) : none;
}

std::vector<double> shares(std::span<const double> amounts)
{
    const double sum = sumOf(amounts);
    std::vector<double> all(amounts.size(), none);
    if (sum > 0)
        std::transform(amounts.begin(), amounts.end(), all.begin(), [sum](double amount) { return amount / sum; });
    return all;
}

double distance(std::span<const double> p, std::span<const double> q)
{
    double sum = 0;
    for (std::size_t at = 0; at < std::min(p.size(), q.size()); ++at)
        sum += std::abs(p[at] - q[at]);
    return sum / 2;
}

LayerFigures layerFigures(std::span<const double> loads)
{
    return {entropyBits(loads), entropyShare(loads), gini(loads), maxOverMean(loads), variationCoefficient(loads),
        deadCount(loads)};
}

} // namespace colibri
