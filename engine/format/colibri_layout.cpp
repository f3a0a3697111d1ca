// SPDX-License-Identifier: Apache-2.0
#include "format/colibri_layout.h"

#include <charconv>

namespace colibri {
namespace {

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
