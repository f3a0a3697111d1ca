// SPDX-License-Identifier: Apache-2.0
// Built once for each target; COLIBRI_FUZZ_TARGET is its function in fuzz/targets.h.
#include "fuzz/targets.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    colibri::test::COLIBRI_FUZZ_TARGET(std::as_bytes(std::span(data, size)));
    return 0;
}
