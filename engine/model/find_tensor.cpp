// SPDX-License-Identifier: Apache-2.0
#include "model/find_tensor.h"

#include <algorithm>

namespace colibri {

TensorInfo partOf(const TensorInfo& tensor, std::uint64_t index)
{
    TensorInfo part = tensor;
    part.size = tensor.size / tensor.shape.front();
    part.offset = tensor.offset + index * part.size;
    part.shape.erase(part.shape.begin());
    part.xxh64.reset();
    return part;
}

std::optional<FoundTensor> findTensor(
    const ModelSource& source, const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert)
{
    const auto under = [&](std::string_view pattern) -> const TensorInfo* {
        const std::string name = fillName(pattern, layer, expert);
        const auto found = std::ranges::lower_bound(source.tensors, name, {}, &TensorInfo::name);
        return found != source.tensors.end() && found->name == name ? &*found : nullptr;
    };
    if (const TensorInfo* stored = under(slot.name))
        return FoundTensor{stored, *stored, false};
    for (const std::string_view pattern : slot.otherNames) {
        const TensorInfo* stored = pattern.empty() ? nullptr : under(pattern);
        if (!stored)
            continue;
        const bool stacked = isPerExpert(slot) && pattern.find("{expert}") == std::string_view::npos;
        const bool cut = stacked && !stored->shape.empty() && expert < stored->shape.front();
        return FoundTensor{stored, cut ? partOf(*stored, expert) : *stored, stacked};
    }
    return std::nullopt;
}

} // namespace colibri
