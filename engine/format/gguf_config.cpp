// SPDX-License-Identifier: Apache-2.0
#include "format/gguf.h"

#include <algorithm>
#include <optional>

namespace colibri {
namespace {

constexpr std::uint64_t maxArrayElements = 4096; ///< one for each layer, and the models with most have some hundred
constexpr std::uint64_t maxAllElements = 65536; ///< a value takes many times its bytes of the file

std::optional<JsonValue> scalar(const GgufValue& value)
{
    JsonValue json{nullptr, value.offset};
    if (const auto text = value.string())
        json.data = std::string(*text);
    else if (const auto flag = value.boolean())
        json.data = *flag;
    else if (const auto small = value.signedInteger())
        json.data = *small;
    else if (const auto large = value.unsignedInteger())
        json.data = *large;
    else if (const auto number = value.number())
        json.data = *number;
    else
        return std::nullopt;
    return json;
}

/// `left` is how many elements may still be taken.
std::optional<JsonValue> array(const GgufValue& value, std::uint64_t& left)
{
    const bool numbers = value.elementType != GgufType::String && value.elementType != GgufType::Array;
    if (!numbers || value.count > std::min(maxArrayElements, left))
        return std::nullopt;
    left -= value.count;
    JsonValue::Array elements;
    GgufElements stored(value);
    while (const auto element = stored.next())
        if (auto json = scalar(*element))
            elements.push_back(std::move(*json));
    return JsonValue{std::move(elements), value.offset};
}

} // namespace

JsonValue configOf(std::span<const GgufEntry> metadata)
{
    JsonValue::Object members;
    std::uint64_t left = maxAllElements;
    for (const GgufEntry& entry : metadata)
        if (auto value = entry.value.type == GgufType::Array ? array(entry.value, left) : scalar(entry.value))
            members.push_back({std::string(entry.key), std::move(*value)});
    return JsonValue{std::move(members), 0};
}

} // namespace colibri
