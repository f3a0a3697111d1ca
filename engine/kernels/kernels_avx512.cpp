// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/avx512.h"
#include "kernels/simd/table.h"
#include "kernels/tables.h"

namespace colibri {

extern const KernelTable avx512Kernels = simd::table<simd::Avx512>;

} // namespace colibri
