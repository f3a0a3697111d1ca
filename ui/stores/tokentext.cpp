// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/tokentext.h"

#include <algorithm>
#include <array>

namespace colibri {
namespace {

constexpr char32_t replacement = 0xFFFD;

/// What a first byte says of its character (Unicode 15, table 3-7).
struct Lead {
    unsigned char first, last; ///< the first bytes this line is about
    int missing; ///< bytes that follow
    unsigned char lowest, highest; ///< of the second byte
    unsigned char payload; ///< bits of the first byte that belong to the character
};
constexpr std::array<Lead, 9> leads{{
    {0x00, 0x7F, 0, 0, 0, 0x7F},
    {0xC2, 0xDF, 1, 0x80, 0xBF, 0x1F},
    {0xE0, 0xE0, 2, 0xA0, 0xBF, 0x0F},
    {0xE1, 0xEC, 2, 0x80, 0xBF, 0x0F},
    {0xED, 0xED, 2, 0x80, 0x9F, 0x0F},
    {0xEE, 0xEF, 2, 0x80, 0xBF, 0x0F},
    {0xF0, 0xF0, 3, 0x90, 0xBF, 0x07},
    {0xF1, 0xF3, 3, 0x80, 0xBF, 0x07},
    {0xF4, 0xF4, 3, 0x80, 0x8F, 0x07},
}};

QByteArray bytesOf(const ModelFacts& model, TokenId id)
{
    return id < model.tokenBytes.size() ? QByteArray::fromStdString(model.tokenBytes[id]) : QByteArray();
}

bool isSpecial(const ModelFacts& model, TokenId id)
{
    return id < model.specialToken.size() && model.specialToken[id];
}

} // namespace

TokenText::TokenText(ModelFactsPtr model)
    : m_model(std::move(model))
{
}

TokenPiece TokenText::piece(int position) const
{
    const Entry& entry = m_entries[static_cast<std::size_t>(position)];
    const qsizetype begin = position > 0 ? m_entries[static_cast<std::size_t>(position) - 1].end : 0;
    TokenPiece piece;
    piece.id = entry.id;
    piece.text = m_text.mid(begin, entry.end - begin);
    piece.bytes = bytesOf(*m_model, entry.id);
    piece.special = isSpecial(*m_model, entry.id);
    piece.partial = m_owner >= 0 && position >= m_owner && !piece.special && !piece.bytes.isEmpty();
    piece.group = entry.group;
    return piece;
}

int TokenText::append(TokenId id)
{
    const int position = size();
    m_entries.push_back({id, position, static_cast<std::int32_t>(m_text.size())});
    m_firstChanged = position;
    if (!isSpecial(*m_model, id)) {
        for (const char byte : bytesOf(*m_model, id))
            addByte(static_cast<unsigned char>(byte));
    }
    return m_firstChanged;
}

void TokenText::addByte(unsigned char byte)
{
    if (m_owner >= 0 && (byte < m_lowest || byte > m_highest))
        emitCharacter(replacement);
    if (m_owner < 0) {
        startCharacter(byte);
        return;
    }
    Entry& entry = m_entries.back();
    entry.group = std::min(entry.group, m_entries[static_cast<std::size_t>(m_owner)].group);
    m_character = (m_character << 6) | (byte & 0x3Fu);
    m_lowest = 0x80;
    m_highest = 0xBF;
    if (--m_missing == 0)
        emitCharacter(m_character);
}

void TokenText::startCharacter(unsigned char byte)
{
    const auto lead = std::find_if(
        leads.begin(), leads.end(), [byte](const Lead& line) { return byte >= line.first && byte <= line.last; });
    m_owner = size() - 1;
    if (lead == leads.end()) {
        emitCharacter(replacement);
        return;
    }
    m_character = byte & lead->payload;
    m_missing = lead->missing;
    m_lowest = lead->lowest;
    m_highest = lead->highest;
    if (m_missing == 0)
        emitCharacter(m_character);
}

void TokenText::emitCharacter(char32_t character)
{
    // The tokens after the owner have only given bytes to this character: theirs is no text yet.
    m_text += QChar::fromUcs4(character);
    m_firstChanged = std::min(m_firstChanged, m_owner);
    for (std::size_t position = static_cast<std::size_t>(m_owner); position < m_entries.size(); ++position)
        m_entries[position].end = static_cast<std::int32_t>(m_text.size());
    m_owner = -1;
    m_missing = 0;
}

QString TokenText::text() const
{
    return m_owner >= 0 ? m_text + QChar(static_cast<char16_t>(replacement)) : m_text;
}

QString decodeTokens(const ModelFactsPtr& model, std::span<const TokenId> ids)
{
    TokenText text(model);
    for (const TokenId id : ids)
        text.append(id);
    return text.text();
}

} // namespace colibri
