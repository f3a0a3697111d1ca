// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/decisioncolor.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace colibri {

namespace {

constexpr int mostLooked = 4096; ///< margins that the middle is taken from

/// The nearest of 1, 2 and 5 times a power of ten, on a scale of ratios.
double roundNumber(double value)
{
    const double power = std::pow(10, std::floor(std::log10(value)));
    const double mantissa = value / power;
    return power * (mantissa < std::sqrt(2.) ? 1 : mantissa < std::sqrt(10.) ? 2 : mantissa < std::sqrt(50.) ? 5 : 10);
}

} // namespace

double marginShare(float margin, double middle)
{
    const double size = std::max(0.0, static_cast<double>(margin));
    return std::isnan(margin) ? static_cast<double>(margin) : std::isinf(size) ? 1 : size / (size + middle);
}

double marginMiddle(const RunRecord& record, int routed)
{
    const std::uint32_t layers = record.shape().layers;
    const int stride = std::max(1, static_cast<int>(routed * std::int64_t{layers} / mostLooked));
    std::vector<float> margins;
    for (int position = 0; position < routed; position += stride) {
        for (std::uint32_t layer = 0; layer < layers; ++layer) {
            const float margin = record.margin(static_cast<std::uint32_t>(position), layer);
            if (std::isfinite(margin) && margin > 0)
                margins.push_back(margin);
        }
    }
    if (margins.empty())
        return 1;
    const auto middle = margins.begin() + static_cast<std::ptrdiff_t>(margins.size() / 2);
    std::nth_element(margins.begin(), middle, margins.end());
    return roundNumber(static_cast<double>(*middle));
}

QRgb decisionColor(
    const RunRecord& record, int position, int layer, ColorBy by, int rank, ColorScheme scheme, double marginMiddle)
{
    const auto at = static_cast<std::uint32_t>(position);
    const auto in = static_cast<std::uint32_t>(layer);
    switch (by) {
    case ColorBy::Expert: {
        const auto chosen = record.experts(at, in);
        const auto place = static_cast<std::size_t>(rank);
        return place < chosen.size() ? expertColor(chosen[place], record.shape().experts, scheme) : noDataColor(scheme);
    }
    case ColorBy::Margin:
        return amountColor(marginShare(record.margin(at, in), marginMiddle), scheme);
    case ColorBy::Nothing:
        break;
    }
    return noDataColor(scheme);
}

} // namespace colibri
