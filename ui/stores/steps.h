// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace colibri {

/// The smallest of 1, 2, 5 times a power of ten that is not below `value`, the nearest double to it; 1 for what is not
/// positive or not finite. Ends of axes and scales that grow by it do not jump with every value.
double stepUp(double value);
/// The same over 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8: for an end that grows no more and wastes less room.
double fineStepUp(double value);

} // namespace colibri
