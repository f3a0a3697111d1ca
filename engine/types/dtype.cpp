// SPDX-License-Identifier: Apache-2.0
#include "types/dtype.h"

#include "types/checked.h"

#include <algorithm>
#include <array>

namespace colibri {
namespace {

constexpr std::array<std::string_view, 2> layouts{"row_major", "column_major"};

} // namespace

std::string_view name(Layout layout)
{
    return layouts[static_cast<std::size_t>(layout)];
}
std::optional<DType> dtypeNamed(std::string_view text)
{
    const auto found = std::ranges::find(dtypeTraits, text, &DTypeTraits::name);
    return found != dtypeTraits.end() ? std::optional(static_cast<DType>(found - dtypeTraits.begin())) : std::nullopt;
}

std::optional<DType> exportDTypeNamed(std::string_view text)
{
    const auto found = std::ranges::find(exportDTypes, text, [](DType dtype) { return name(dtype); });
    return found != exportDTypes.end() ? std::optional(*found) : std::nullopt;
}

std::optional<Layout> layoutNamed(std::string_view text)
{
    for (std::size_t i = 0; i < layouts.size(); ++i)
        if (layouts[i] == text)
            return static_cast<Layout>(i);
    return std::nullopt;
}

std::optional<std::uint64_t> scaleBytes(DType dtype, std::span<const std::uint64_t> shape)
{
    if (dtype != DType::Int8)
        return 0;
    const std::uint64_t columns = shape.empty() ? 1 : shape.back();
    const auto rows = checkedProduct(shape.first(shape.empty() ? 0 : shape.size() - 1));
    const std::uint64_t groups = columns / int8GroupSize + (columns % int8GroupSize != 0);
    const auto scales = rows ? checkedMultiply(*rows, groups) : std::nullopt;
    const auto bytes = scales ? checkedMultiply(*scales, sizeof(float)) : std::nullopt;
    return bytes ? checkedRoundUp(*bytes, 64) : std::nullopt;
}

std::optional<std::uint64_t> tensorBytes(DType dtype, std::span<const std::uint64_t> shape)
{
    const DTypeTraits& type = traits(dtype);
    if (!isWholeBlocks(dtype, shape.empty() ? 1 : shape.back()))
        return std::nullopt;
    const auto elements = checkedProduct(shape);
    const auto payload = elements ? checkedMultiply(*elements / type.blockElements, type.blockBytes) : std::nullopt;
    const auto scales = scaleBytes(dtype, shape);
    return payload && scales ? checkedAdd(*scales, *payload) : std::nullopt;
}

} // namespace colibri
