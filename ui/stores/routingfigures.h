// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

namespace colibri {

// How evenly amounts x_i >= 0 lie on n experts, such as the loads of a layer. p_i = x_i / sum(x). All give NaN when
// the sum is 0: nothing was counted.

double entropyBits(std::span<const double> amounts); ///< -sum(p_i log2 p_i) (Shannon, 1948); log2 n when even
/// entropyBits / log2 n, 1 when even; NaN also for one expert, which leaves no choice.
double entropyShare(std::span<const double> amounts);
/// sum((2 i - n - 1) x_(i)) / (n sum(x)) over the amounts in ascending order, i from 1; 0 when even, (n - 1) / n when
/// one expert has all.
double gini(std::span<const double> amounts);
double maxOverMean(std::span<const double> amounts); ///< n max(x) / sum(x); 1 when even
double variationCoefficient(std::span<const double> amounts); ///< sqrt(mean((x_i - mean(x))^2)) / mean(x)
double deadCount(std::span<const double> amounts); ///< how many are 0

/// p_i; NaN in all when the sum is 0.
std::vector<double> shares(std::span<const double> amounts);
/// Total variation distance of two distributions of the same length: sum(|p_i - q_i|) / 2, from 0 (the same) to 1
/// (nothing in common). NaN when one of them has a NaN.
double distance(std::span<const double> p, std::span<const double> q);

/// All of them for one layer.
struct LayerFigures {
    double entropyBits;
    double entropyShare;
    double gini;
    double maxOverMean;
    double variation;
    double dead;
};
LayerFigures layerFigures(std::span<const double> loads);

} // namespace colibri
