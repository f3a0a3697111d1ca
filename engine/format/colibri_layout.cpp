// SPDX-License-Identifier: Apache-2.0
#include "format/colibri_layout.h"

#include "format/gguf_types.h"

#include <algorithm>
#include <charconv>

namespace colibri {
namespace {

struct DTypeCode {
    DType dtype;
    std::uint16_t code;
};
constexpr std::array<DTypeCode, exportDTypes.size()> plainCodes{
    {{DType::F32, 0}, {DType::F16, 1}, {DType::Int8, 2}, {DType::BF16, 3}}};
constexpr std::uint16_t firstGgufCode = 16;

std::string twoDigits(std::uint32_t number)
{
    const std::string digits = std::to_string(number);
    return digits.size() < 2 ? std::string("0").append(digits) : digits;
}

/// Takes a decimal number from the front of `text`.
std::optional<std::uint32_t> takeNumber(std::string_view& text)
{
    std::uint32_t number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status != std::errc{})
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

bool takePrefix(std::string_view& text, std::string_view prefix)
{
    if (!text.starts_with(prefix))
        return false;
    text.remove_prefix(prefix.size());
    return true;
}

} // namespace

std::optional<std::uint16_t> dtypeCode(DType dtype)
{
    const auto plain = std::ranges::find(plainCodes, dtype, &DTypeCode::dtype);
    if (plain != plainCodes.end())
        return plain->code;
    const auto number = isBlocks(dtype) ? ggmlNumber(dtype) : std::nullopt;
    return number ? std::optional(static_cast<std::uint16_t>(firstGgufCode + *number)) : std::nullopt;
}

std::optional<DType> dtypeOfCode(std::uint16_t code)
{
    const auto plain = std::ranges::find(plainCodes, code, &DTypeCode::code);
    if (plain != plainCodes.end())
        return plain->dtype;
    const auto blocks = code >= firstGgufCode ? ggmlType(code - std::uint32_t{firstGgufCode}) : std::nullopt;
    return blocks && isBlocks(*blocks) ? blocks : std::nullopt;
}

std::optional<DType> heldDTypeNamed(std::string_view text)
{
    const auto dtype = dtypeNamed(text);
    return dtype && dtypeCode(*dtype) ? dtype : std::nullopt;
}

std::string heldDTypes()
{
    std::string text;
    for (const DType dtype : exportDTypes)
        text += std::string(name(dtype)) + (dtype == exportDTypes.back() ? " and the block types of GGUF" : ", ");
    return text;
}

std::string expertFileName(ExpertPlace place)
{
    return std::string(expertsFolderName) + "/L" + twoDigits(place.layer) + "_E" + twoDigits(place.expert) + ".bin";
}

std::optional<ExpertPlace> parseExpertFileName(std::string_view file)
{
    std::string_view rest = file;
    if (!takePrefix(rest, expertsFolderName) || !takePrefix(rest, "/L"))
        return std::nullopt;
    const auto layer = takeNumber(rest);
    if (!layer || !takePrefix(rest, "_E"))
        return std::nullopt;
    const auto expert = takeNumber(rest);
    if (!expert || expertFileName({*layer, *expert}) != file)
        return std::nullopt;
    return ExpertPlace{*layer, *expert};
}

std::string checksumText(std::uint64_t checksum)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text(16, '0');
    for (std::size_t i = 0; i < text.size(); ++i)
        text[i] = digits[(checksum >> (60 - 4 * i)) & 0xF];
    return text;
}

std::optional<std::uint64_t> parseChecksum(std::string_view text)
{
    std::uint64_t checksum = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), checksum, 16);
    if (text.size() != 16 || status != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return checksum;
}

} // namespace colibri
