// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/avx2.h"
#include "kernels/simd/table.h"
#include "kernels/tables.h"

namespace colibri {

extern const KernelTable avx2Kernels = simd::table<simd::Avx2>;

} // namespace colibri
