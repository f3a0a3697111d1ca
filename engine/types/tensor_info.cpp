// SPDX-License-Identifier: Apache-2.0
#include "types/tensor_info.h"

#include <algorithm>
#include <array>
#include <bit>

namespace colibri {

std::string_view name(Presence presence)
{
    constexpr std::array<std::string_view, 4> names{"whole", "cut", "absent", "name_only"};
    return names[static_cast<std::size_t>(presence)];
}

std::uint64_t alignmentOf(std::uint64_t offset)
{
    return offset == 0 ? alignmentLimit : std::min(alignmentLimit, std::uint64_t{1} << std::countr_zero(offset));
}

} // namespace colibri
