// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/unicode_standins.h"

#include "tokenizer/utf8.h"

#include <algorithm>
#include <array>

namespace colibri {

namespace {

struct Range {
    char32_t first, last;
    char32_t standIn;
};

// By category and bytes in UTF-8.
constexpr char32_t spacingMark3 = 0x0903;
constexpr char32_t mark3 = 0x0941;
constexpr char32_t punctuation3 = 0x104A;
constexpr char32_t upper3 = 0x1E00;
constexpr char32_t lower3 = 0x1E01;
constexpr char32_t symbol3 = 0x2400;
constexpr char32_t letter4 = 0x10000;
constexpr char32_t punctuation4 = 0x10100;
constexpr char32_t number4 = 0x10107;
constexpr char32_t symbol4 = 0x10137;
constexpr char32_t upper4 = 0x10400;
constexpr char32_t lower4 = 0x10428;
constexpr char32_t digit4 = 0x104A0;
constexpr char32_t modifier4 = 0x10780;
constexpr char32_t dash4 = 0x10EAD;
constexpr char32_t spacingMark4 = 0x11000;
constexpr char32_t mark4 = 0x11001;
constexpr char32_t format4 = 0x110BD;
constexpr char32_t math4 = 0x1D6C1;
constexpr char32_t han4 = 0x20000;

/// From the general categories of Unicode 16.0: what is unassigned in Unicode 14.0, and U+1171E, whose category
/// changed.
constexpr std::array<Range, 127> ranges{{
    {0x0897, 0x0897, mark3},
    {0x0CF3, 0x0CF3, spacingMark3},
    {0x0ECE, 0x0ECE, mark3},
    {0x1B4E, 0x1B4F, punctuation3},
    {0x1B7F, 0x1B7F, punctuation3},
    {0x1C89, 0x1C89, upper3},
    {0x1C8A, 0x1C8A, lower3},
    {0x2427, 0x2429, symbol3},
    {0x2FFC, 0x2FFF, symbol3},
    {0x31E4, 0x31E5, symbol3},
    {0x31EF, 0x31EF, symbol3},
    {0xA7CB, 0xA7CC, upper3},
    {0xA7CD, 0xA7CD, lower3},
    {0xA7DA, 0xA7DA, upper3},
    {0xA7DB, 0xA7DB, lower3},
    {0xA7DC, 0xA7DC, upper3},
    {0x105C0, 0x105F3, letter4},
    {0x10D40, 0x10D49, digit4},
    {0x10D4A, 0x10D4D, letter4},
    {0x10D4E, 0x10D4E, modifier4},
    {0x10D4F, 0x10D4F, letter4},
    {0x10D50, 0x10D65, upper4},
    {0x10D69, 0x10D6D, mark4},
    {0x10D6E, 0x10D6E, dash4},
    {0x10D6F, 0x10D6F, modifier4},
    {0x10D70, 0x10D85, lower4},
    {0x10D8E, 0x10D8F, math4},
    {0x10EC2, 0x10EC4, letter4},
    {0x10EFC, 0x10EFF, mark4},
    {0x1123F, 0x11240, letter4},
    {0x11241, 0x11241, mark4},
    {0x11380, 0x11389, letter4},
    {0x1138B, 0x1138B, letter4},
    {0x1138E, 0x1138E, letter4},
    {0x11390, 0x113B5, letter4},
    {0x113B7, 0x113B7, letter4},
    {0x113B8, 0x113BA, spacingMark4},
    {0x113BB, 0x113C0, mark4},
    {0x113C2, 0x113C2, spacingMark4},
    {0x113C5, 0x113C5, spacingMark4},
    {0x113C7, 0x113CA, spacingMark4},
    {0x113CC, 0x113CD, spacingMark4},
    {0x113CE, 0x113CE, mark4},
    {0x113CF, 0x113CF, spacingMark4},
    {0x113D0, 0x113D0, mark4},
    {0x113D1, 0x113D1, letter4},
    {0x113D2, 0x113D2, mark4},
    {0x113D3, 0x113D3, letter4},
    {0x113D4, 0x113D5, punctuation4},
    {0x113D7, 0x113D8, punctuation4},
    {0x113E1, 0x113E2, mark4},
    {0x116D0, 0x116E3, digit4},
    {0x1171E, 0x1171E, spacingMark4},
    {0x11B00, 0x11B09, punctuation4},
    {0x11BC0, 0x11BE0, letter4},
    {0x11BE1, 0x11BE1, punctuation4},
    {0x11BF0, 0x11BF9, digit4},
    {0x11F00, 0x11F01, mark4},
    {0x11F02, 0x11F02, letter4},
    {0x11F03, 0x11F03, spacingMark4},
    {0x11F04, 0x11F10, letter4},
    {0x11F12, 0x11F33, letter4},
    {0x11F34, 0x11F35, spacingMark4},
    {0x11F36, 0x11F3A, mark4},
    {0x11F3E, 0x11F3F, spacingMark4},
    {0x11F40, 0x11F40, mark4},
    {0x11F41, 0x11F41, spacingMark4},
    {0x11F42, 0x11F42, mark4},
    {0x11F43, 0x11F4F, punctuation4},
    {0x11F50, 0x11F59, digit4},
    {0x11F5A, 0x11F5A, mark4},
    {0x1342F, 0x1342F, letter4},
    {0x13439, 0x1343F, format4},
    {0x13440, 0x13440, mark4},
    {0x13441, 0x13446, letter4},
    {0x13447, 0x13455, mark4},
    {0x13460, 0x143FA, letter4},
    {0x16100, 0x1611D, letter4},
    {0x1611E, 0x16129, mark4},
    {0x1612A, 0x1612C, spacingMark4},
    {0x1612D, 0x1612F, mark4},
    {0x16130, 0x16139, digit4},
    {0x16D40, 0x16D42, modifier4},
    {0x16D43, 0x16D6A, letter4},
    {0x16D6B, 0x16D6C, modifier4},
    {0x16D6D, 0x16D6F, punctuation4},
    {0x16D70, 0x16D79, digit4},
    {0x18CFF, 0x18CFF, letter4},
    {0x1B132, 0x1B132, letter4},
    {0x1B155, 0x1B155, letter4},
    {0x1CC00, 0x1CCEF, symbol4},
    {0x1CCF0, 0x1CCF9, digit4},
    {0x1CD00, 0x1CEB3, symbol4},
    {0x1D2C0, 0x1D2D3, number4},
    {0x1DF25, 0x1DF2A, lower4},
    {0x1E030, 0x1E06D, modifier4},
    {0x1E08F, 0x1E08F, mark4},
    {0x1E4D0, 0x1E4EA, letter4},
    {0x1E4EB, 0x1E4EB, modifier4},
    {0x1E4EC, 0x1E4EF, mark4},
    {0x1E4F0, 0x1E4F9, digit4},
    {0x1E5D0, 0x1E5ED, letter4},
    {0x1E5EE, 0x1E5EF, mark4},
    {0x1E5F0, 0x1E5F0, letter4},
    {0x1E5F1, 0x1E5FA, digit4},
    {0x1E5FF, 0x1E5FF, punctuation4},
    {0x1F6DC, 0x1F6DC, symbol4},
    {0x1F774, 0x1F776, symbol4},
    {0x1F77B, 0x1F77F, symbol4},
    {0x1F7D9, 0x1F7D9, symbol4},
    {0x1F8B2, 0x1F8BB, symbol4},
    {0x1F8C0, 0x1F8C1, symbol4},
    {0x1FA75, 0x1FA77, symbol4},
    {0x1FA87, 0x1FA89, symbol4},
    {0x1FA8F, 0x1FA8F, symbol4},
    {0x1FAAD, 0x1FAAF, symbol4},
    {0x1FABB, 0x1FABF, symbol4},
    {0x1FAC6, 0x1FAC6, symbol4},
    {0x1FACE, 0x1FACF, symbol4},
    {0x1FADA, 0x1FADC, symbol4},
    {0x1FADF, 0x1FADF, symbol4},
    {0x1FAE8, 0x1FAE9, symbol4},
    {0x1FAF7, 0x1FAF8, symbol4},
    {0x1FBCB, 0x1FBEF, symbol4},
    {0x2B739, 0x2B739, han4},
    {0x2EBF0, 0x2EE5D, han4},
    {0x31350, 0x323AF, han4},
}};

std::string encoded(char32_t character)
{
    const std::size_t size = utf8Size(character);
    std::string bytes(size, '\0');
    for (std::size_t i = size; i-- > 1; character >>= 6)
        bytes[i] = static_cast<char>(0x80 | (character & 0x3F));
    bytes[0] = static_cast<char>((size == 1 ? 0 : 0xF00 >> size) | character);
    return bytes;
}

} // namespace

char32_t standIn(char32_t character)
{
    const auto at = std::upper_bound(ranges.begin(), ranges.end(), character,
        [](char32_t value, const Range& range) { return value < range.first; });
    return at != ranges.begin() && character <= at[-1].last ? at[-1].standIn : character;
}

std::optional<std::string> withStandIns(std::string_view text)
{
    std::optional<std::string> replaced;
    for (std::size_t at = 0; at < text.size();) {
        const auto lead = static_cast<unsigned char>(text[at]);
        const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if (size > 2) { // all of them are
            const char32_t character = firstCharacter(text.substr(at));
            if (const char32_t other = standIn(character); other != character) {
                if (!replaced)
                    replaced.emplace(text);
                replaced->replace(at, size, encoded(other));
            }
        }
        at += size;
    }
    return replaced;
}

} // namespace colibri
