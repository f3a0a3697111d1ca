// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/unicode.h"

#include "tokenizer/unicode_standins.h"
#include "tokenizer/utf8.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

namespace colibri {

namespace {

constexpr std::size_t maxCombiningRun = 4096;

/// utf8proc's options, by NormalizationForm.
constexpr std::array<int, 4> optionsOf{UTF8PROC_STABLE | UTF8PROC_COMPOSE, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE,
    UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT};

/// Circled and squared letters: alphabetic, though their category is "other symbol".
constexpr std::array<std::pair<char32_t, char32_t>, 4> letterSymbols{
    {{0x24B6, 0x24E9}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}}};

std::size_t longestCombiningRun(std::string_view text)
{
    std::size_t longest = 0;
    std::size_t run = 0;
    while (!text.empty()) {
        const auto* const property = utf8proc_get_property(static_cast<utf8proc_int32_t>(firstCharacter(text)));
        run = property->combining_class ? run + 1 : 0;
        longest = std::max(longest, run);
        text.remove_prefix(utf8Step(text).size);
    }
    return longest;
}

} // namespace

Result<std::string> normalized(std::string_view text, NormalizationForm form)
{
    const bool ascii =
        std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (ascii)
        return std::string(text);
    if (const std::size_t run = longestCombiningRun(text); run > maxCombiningRun)
        return Error{Errc::Unsupported, "normalize the text", {}, {},
            std::to_string(run) + " combining marks stand in a row, at most " + std::to_string(maxCombiningRun)
                + " may"};
    utf8proc_uint8_t* made = nullptr;
    const auto options = static_cast<utf8proc_option_t>(optionsOf[static_cast<std::size_t>(form)]);
    const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
        static_cast<utf8proc_ssize_t>(text.size()), &made, options);
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
    if (size < 0)
        return Error{size == UTF8PROC_ERROR_NOMEM ? Errc::OutOfMemory : Errc::Malformed, "normalize the text", {}, {},
            utf8proc_errmsg(size)};
    return std::string(reinterpret_cast<const char*>(made), static_cast<std::size_t>(size));
}

bool isWordCharacter(char32_t character)
{
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(standIn(character)))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
        return true;
    default:
        break;
    }
    const auto within = [&](const auto& range) { return character >= range.first && character <= range.second; };
    return character == 0x200C || character == 0x200D
        || std::any_of(letterSymbols.begin(), letterSymbols.end(), within);
}

bool isWhiteSpace(char32_t character)
{
    return (character >= 0x09 && character <= 0x0D) || character == 0x20 || character == 0x85 || character == 0xA0
        || character == 0x1680 || (character >= 0x2000 && character <= 0x200A) || character == 0x2028
        || character == 0x2029 || character == 0x202F || character == 0x205F || character == 0x3000;
}

std::size_t leadingSpace(std::string_view text)
{
    std::size_t size = 0;
    while (size < text.size() && isWhiteSpace(firstCharacter(text.substr(size))))
        size += utf8Step(text.substr(size)).size;
    return size;
}

std::size_t trailingSpace(std::string_view text)
{
    std::size_t left = text.size();
    while (left > 0 && isWhiteSpace(lastCharacter(text.substr(0, left))))
        left -= utf8Size(lastCharacter(text.substr(0, left)));
    return text.size() - left;
}

} // namespace colibri
