// SPDX-License-Identifier: Apache-2.0
#include "kernels/floatenv.h"

#include <cfenv>
#include <cstdint>

namespace colibri {
namespace {

bool flushesToZero()
{
#if defined(__x86_64__)
    constexpr unsigned flushToZero = 0x8000;
    constexpr unsigned denormalsAreZero = 0x0040;
    return __builtin_ia32_stmxcsr() & (flushToZero | denormalsAreZero);
#elif defined(__aarch64__)
    std::uint64_t control = 0;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    return control & (std::uint64_t{1} << 24);
#else
    return false;
#endif
}

} // namespace

const char* floatEnvironmentFault()
{
    if (std::fegetround() != FE_TONEAREST)
        return "rounding is not to nearest";
    return flushesToZero() ? "subnormal numbers are flushed to zero" : nullptr;
}

void resetFloatEnvironment()
{
    std::fesetenv(FE_DFL_ENV);
}

} // namespace colibri
