// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/steps.h"

#include <cmath>
#include <initializer_list>

namespace colibri {
namespace {

double upOn(std::initializer_list<double> digits, double value)
{
    if (!(value > 0) || !std::isfinite(value))
        return 1;
    // A step away from the power that the logarithm names, in case it was rounded.
    const int exponent = static_cast<int>(std::floor(std::log10(value)));
    for (int power = exponent - 1;; ++power) {
        for (const double digit : digits) {
            // Division by a positive power keeps the steps below 1 the nearest doubles to 0.1, 0.2, 0.5.
            const double step = power >= 0 ? digit * std::pow(10., power) : digit / std::pow(10., -power);
            if (step >= value)
                return step;
        }
    }
}

} // namespace

double stepUp(double value)
{
    return upOn({1, 2, 5}, value);
}

double fineStepUp(double value)
{
    return upOn({1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8}, value);
}

} // namespace colibri
