// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/tokenstream.h"

#include "tokenizer/utf8.h"

#include <algorithm>

namespace colibri {

namespace {

constexpr std::size_t reservedBytes = 512;
constexpr std::string_view replacementCharacter = "\xEF\xBF\xBD";

} // namespace

TokenStream::TokenStream(const TokenTexts& texts, bool specials)
    : m_texts(texts)
    , m_specials(specials)
    , m_utf8(reservedBytes)
{
    m_out.reserve(3 * reservedBytes);
    m_run.reserve(reservedBytes);
}

std::string_view TokenStream::push(TokenId id)
{
    m_out.clear();
    const std::string_view text = m_texts.bytes(id);
    if (text.empty() || (!m_specials && m_texts.isSpecial(id)))
        return {};
    if (m_texts.rules().byteLevel)
        return m_utf8.push(text);
    if (m_texts.isByte(id))
        pushByte(text.front());
    else {
        endRun();
        put(text);
    }
    m_first = false;
    return m_out;
}

std::string_view TokenStream::finish()
{
    m_out.clear();
    endRun();
    m_first = true;
    m_stripped = 0;
    return m_texts.rules().byteLevel ? m_utf8.finish() : m_out;
}

void TokenStream::pushByte(char byte)
{
    if (m_runBroken)
        return put(replacementCharacter);
    m_run += byte;
    const Utf8Step step = utf8Step(std::string_view(m_run).substr(m_runChecked));
    if (step.kind == Utf8Step::Character)
        m_runChecked += step.size;
    if (step.kind != Utf8Step::IllFormed)
        return;
    for (std::size_t i = 0; i < m_run.size(); ++i)
        put(replacementCharacter);
    m_runBroken = true;
}

void TokenStream::endRun()
{
    if (m_runChecked == m_run.size())
        put(m_run);
    else if (!m_runBroken)
        for (std::size_t i = 0; i < m_run.size(); ++i)
            put(replacementCharacter);
    m_run.clear();
    m_runChecked = 0;
    m_runBroken = false;
}

void TokenStream::put(std::string_view text)
{
    const TextRules& rules = m_texts.rules();
    for (; m_stripped < rules.stripCount && text.starts_with(rules.strip); ++m_stripped)
        text.remove_prefix(rules.strip.size());
    if (!text.empty())
        m_stripped = rules.stripCount;
    const std::size_t before = m_out.size();
    m_out += text;
    if (m_first && rules.firstWithoutSpaces)
        m_out.erase(std::remove(m_out.begin() + static_cast<std::ptrdiff_t>(before), m_out.end(), ' '), m_out.end());
}

} // namespace colibri
