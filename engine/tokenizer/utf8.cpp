// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/utf8.h"

#include <array>

namespace colibri {

namespace {

/// Characters by their first byte: how many bytes, and between which values the second one lies.
struct LeadRange {
    unsigned char first, last;
    std::uint32_t size;
    unsigned char secondFirst, secondLast;
};
constexpr std::array<LeadRange, 9> leads{{
    {0x00, 0x7F, 1, 0, 0},
    {0xC2, 0xDF, 2, 0x80, 0xBF},
    {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3, 0x80, 0xBF},
    {0xED, 0xED, 3, 0x80, 0x9F},
    {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF},
    {0xF1, 0xF3, 4, 0x80, 0xBF},
    {0xF4, 0xF4, 4, 0x80, 0x8F},
}};

unsigned char byteAt(std::string_view bytes, std::size_t index)
{
    return static_cast<unsigned char>(bytes[index]);
}

} // namespace

Utf8Step utf8Step(std::string_view bytes)
{
    const unsigned char lead = byteAt(bytes, 0);
    for (const LeadRange& range : leads) {
        if (lead < range.first || lead > range.last)
            continue;
        for (std::uint32_t i = 1; i < range.size; ++i) {
            if (i == bytes.size())
                return {Utf8Step::Incomplete, i};
            const unsigned char first = i == 1 ? range.secondFirst : 0x80;
            const unsigned char last = i == 1 ? range.secondLast : 0xBF;
            if (byteAt(bytes, i) < first || byteAt(bytes, i) > last)
                return {Utf8Step::IllFormed, i};
        }
        return {Utf8Step::Character, range.size};
    }
    return {Utf8Step::IllFormed, 1};
}

std::size_t findIllFormedUtf8(std::string_view text)
{
    std::size_t at = 0;
    while (at < text.size()) {
        const Utf8Step step = utf8Step(text.substr(at));
        if (step.kind != Utf8Step::Character)
            return at;
        at += step.size;
    }
    return text.npos;
}

char32_t firstCharacter(std::string_view text)
{
    const std::uint32_t size = utf8Step(text).size;
    if (size == 1)
        return byteAt(text, 0);
    char32_t character = byteAt(text, 0) & (0x7Fu >> size);
    for (std::uint32_t i = 1; i < size; ++i)
        character = character << 6 | (byteAt(text, i) & 0x3Fu);
    return character;
}

char32_t lastCharacter(std::string_view text)
{
    std::size_t at = text.size() - 1;
    while (at > 0 && (byteAt(text, at) & 0xC0) == 0x80)
        --at;
    return firstCharacter(text.substr(at));
}

std::size_t utf8Size(char32_t character)
{
    return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
}

} // namespace colibri
