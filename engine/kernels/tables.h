// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernels.h"

namespace colibri {

/// The kernels of each object file. All give the same bits; kernelTable() chooses among those this machine can run.
extern const KernelTable scalarKernels;
#if defined(__x86_64__)
extern const KernelTable scalarFmaKernels; ///< the source of scalarKernels, compiled for the fma instruction
extern const KernelTable avx2Kernels; ///< AVX2, FMA, F16C
extern const KernelTable avx512Kernels; ///< AVX-512 F, BW, DQ, VL and what avx2Kernels needs
extern const KernelTable vnniKernels; ///< avx512Kernels with AVX-512 VNNI for int8 x int8
#endif

/// What one isa's table can consist of, best first; the tests compare all that run here.
std::vector<const KernelTable*> runnableTables();

} // namespace colibri
