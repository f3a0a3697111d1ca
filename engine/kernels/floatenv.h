// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace colibri {

/// What of the calling thread's floating-point state would change results: "rounding is not to nearest", "subnormal
/// numbers are flushed to zero"; nullptr when nothing would. A library that was loaded into the process may have set
/// it.
const char* floatEnvironmentFault();
/// Gives the calling thread the state of a fresh process.
void resetFloatEnvironment();

} // namespace colibri
