// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernels.h"
#include "kernels/tables.h"

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace colibri {

namespace {

#if defined(__x86_64__)
/// These ask the operating system as well: registers it does not save count as missing.
bool hasFma()
{
    return __builtin_cpu_supports("fma");
}
/// Clang's builtin does not know its name; it uses AVX's registers.
bool hasF16c()
{
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C);
}
bool hasAvx2()
{
    return hasFma() && __builtin_cpu_supports("avx2") && hasF16c();
}
bool hasAvx512()
{
    return hasAvx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
bool hasVnni()
{
    return hasAvx512() && __builtin_cpu_supports("avx512vnni");
}
#endif

struct Candidate {
    const KernelTable* table;
    bool (*runsHere)();
};

constexpr Candidate candidates[] = {
#if defined(__x86_64__)
    {&vnniKernels, hasVnni},
    {&avx512Kernels, hasAvx512},
    {&avx2Kernels, hasAvx2},
    {&scalarFmaKernels, hasFma},
#endif
    {&scalarKernels, [] { return true; }},
};

} // namespace

std::vector<const KernelTable*> runnableTables()
{
    std::vector<const KernelTable*> tables;
    for (const Candidate& candidate : candidates) {
        if (candidate.runsHere())
            tables.push_back(candidate.table);
    }
    return tables;
}

std::vector<Isa> availableIsas()
{
    std::vector<Isa> isas;
    for (const KernelTable* table : runnableTables())
        isas.push_back(table->isa);
    std::reverse(isas.begin(), isas.end());
    isas.erase(std::unique(isas.begin(), isas.end()), isas.end());
    return isas;
}

const KernelTable* kernelTable(Isa isa)
{
    for (const Candidate& candidate : candidates) {
        if ((isa == Isa::Auto || isa == candidate.table->isa) && candidate.runsHere())
            return candidate.table;
    }
    return nullptr;
}

} // namespace colibri
