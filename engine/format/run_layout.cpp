// SPDX-License-Identifier: Apache-2.0
#include "format/run_layout.h"

#include "types/checked.h"

namespace colibri {

std::optional<std::array<std::uint64_t, RunSectionCount>> runSectionBytes(const RunCounts& counts)
{
    const std::uint64_t tokens = counts.tokens;
    const std::uint64_t layers = counts.layers;
    const std::uint64_t held = counts.routed - counts.logitsFrom;
    const std::array<std::array<std::uint64_t, 4>, RunSectionCount> dimensions{{
        {tokens, 1, 1, sizeof(std::uint32_t)},
        {tokens, layers, counts.k, sizeof(std::uint16_t)},
        {tokens, layers, counts.k, sizeof(float)},
        {tokens, layers, 1, sizeof(float)},
        {tokens, layers, 1, sizeof(std::uint32_t)},
        {held, layers, counts.experts, sizeof(float)},
        {counts.timings, 1, 1, runTimingBytes},
    }};
    std::array<std::uint64_t, RunSectionCount> bytes{};
    for (std::size_t section = 0; section < RunSectionCount; ++section) {
        const auto product = checkedProduct(dimensions[section]);
        if (!product)
            return std::nullopt;
        bytes[section] = *product;
    }
    return bytes;
}

} // namespace colibri
