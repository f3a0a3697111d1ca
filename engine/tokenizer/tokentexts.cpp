// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/tokentexts.h"

#include <charconv>

namespace colibri {

namespace {

std::string replaced(std::string_view text, const TextRules& rules)
{
    std::string result(text);
    for (const auto& [from, to] : rules.replacements)
        for (std::size_t at = result.find(from); at != result.npos; at = result.find(from, at + to.size()))
            result.replace(at, from.size(), to);
    return result;
}

} // namespace

std::optional<unsigned char> fallbackByte(std::string_view name)
{
    if (name.size() != 6 || !name.starts_with("<0x") || name.back() != '>')
        return std::nullopt;
    unsigned char byte = 0;
    const auto [end, error] = std::from_chars(name.data() + 3, name.data() + 5, byte, 16);
    return error == std::errc() && end == name.data() + 5 ? std::optional(byte) : std::nullopt;
}

TokenTexts::TokenTexts(const Vocabulary& vocabulary, TextRules rules)
    : m_rules(std::move(rules))
    , m_tokens(vocabulary.size())
{
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
        Token& token = m_tokens[id];
        const std::string_view name = vocabulary.bytes(id);
        const auto byte = m_rules.byteFallback ? fallbackByte(name) : std::nullopt;
        token = {m_pool.size(), 0, vocabulary.isSpecial(id), byte.has_value()};
        if (byte)
            m_pool += static_cast<char>(*byte);
        else if (m_rules.replacements.empty())
            m_pool += name;
        else
            m_pool += replaced(name, m_rules);
        token.size = static_cast<std::uint32_t>(m_pool.size() - token.begin);
    }
}

std::string_view TokenTexts::bytes(TokenId id) const
{
    if (id >= m_tokens.size())
        return {};
    return std::string_view(m_pool).substr(m_tokens[id].begin, m_tokens[id].size);
}

} // namespace colibri
