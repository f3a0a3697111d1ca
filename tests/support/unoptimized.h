// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace colibri::test {

/// How much slower this build may be than a release: bounds of time are multiplied by it.
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double unoptimized = 8.0;
#else
inline constexpr double unoptimized = 1.0;
#endif

} // namespace colibri::test
