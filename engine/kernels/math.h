// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace colibri {

/// The engine's own scalar functions: the same operations, hence the same bits, on every machine and C library.

/// exp, f32: the scalar form of KernelTable::exponentials. Relative error below 2e-7; 0 below -104, infinity
/// above 88.73.
float exactExp(float x);
/// cos and sin of an angle in radians, |x| < 2^20, error below 1e-14.
void sineCosine(double x, double& sine, double& cosine);
/// base^exponent for base > 0, relative error below 1e-14.
double power(double base, double exponent);
/// Natural logarithm of x > 0, relative error below 1e-14. (Losses.)
double naturalLog(double x);
/// exp in double, relative error below 1e-14.
double exponential(double x);

} // namespace colibri
