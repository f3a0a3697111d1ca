// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/addedtokens.h"

#include "tokenizer/unicode.h"
#include "tokenizer/utf8.h"

#include <algorithm>

namespace colibri {

namespace {

bool standsAlone(std::string_view text, std::size_t begin, std::size_t end)
{
    const bool wordBefore = begin > 0 && isWordCharacter(lastCharacter(text.substr(0, begin)));
    const bool wordBehind = end < text.size() && isWordCharacter(firstCharacter(text.substr(end)));
    return !wordBefore && !wordBehind;
}

} // namespace

AddedTokens::AddedTokens(std::vector<Token> tokens)
    : m_tokens(std::move(tokens))
{
    std::sort(m_tokens.begin(), m_tokens.end(), [](const Token& a, const Token& b) { return a.content < b.content; });
}

const AddedTokens::Token* AddedTokens::longestAt(std::string_view text) const
{
    // The tokens from `first` to `last` begin with the `depth` bytes that the text begins with.
    const Token* longest = nullptr;
    auto first = m_tokens.begin();
    auto last = m_tokens.end();
    for (std::size_t depth = 0; first != last; ++depth) {
        if (first->content.size() == depth)
            longest = &*first++;
        if (depth == text.size())
            break;
        const auto byte = [depth](const Token& token) { return static_cast<unsigned char>(token.content[depth]); };
        const auto wanted = static_cast<unsigned char>(text[depth]);
        first =
            std::lower_bound(first, last, wanted, [&](const Token& token, unsigned char b) { return byte(token) < b; });
        last =
            std::upper_bound(first, last, wanted, [&](unsigned char b, const Token& token) { return b < byte(token); });
    }
    return longest;
}

std::vector<AddedTokens::Part> AddedTokens::split(std::string_view text, Look look) const
{
    std::vector<Part> parts;
    std::size_t done = 0; // end of the last part
    const auto upTo = [&](std::size_t end) {
        if (end > done)
            parts.push_back({text.substr(done, end - done), std::nullopt});
        done = std::max(done, end);
    };
    std::size_t at = 0;
    while (look != Look::None && !m_tokens.empty() && at < text.size()) {
        const Token* const token = longestAt(text.substr(at));
        if (!token) {
            ++at;
            continue;
        }
        const std::size_t begin = at;
        at += token->content.size();
        if ((token->special && look == Look::NotSpecial) || (token->singleWord && !standsAlone(text, begin, at)))
            continue;
        upTo(begin - (token->leftStrip ? trailingSpace(text.substr(done, begin - done)) : 0));
        at += token->rightStrip ? leadingSpace(text.substr(at)) : 0;
        parts.push_back({{}, token->id});
        done = at;
    }
    upTo(text.size());
    return parts;
}

} // namespace colibri
