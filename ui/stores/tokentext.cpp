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

} // namespace

TokenText::TokenText(ModelFactsPtr model)
    : m_model(std::move(model))
{
}

int TokenText::append(TokenId id)
{
    const int position = size();
    TokenPiece& piece = m_pieces.emplace_back();
    piece.id = id;
    piece.bytes = bytesOf(*m_model, id);
    piece.special = id < m_model->specialToken.size() && m_model->specialToken[id];
    piece.group = position;
    m_firstChanged = position;
    if (!piece.special) {
        for (const char byte : piece.bytes)
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
    TokenPiece& piece = m_pieces.back();
    if (m_owner < size() - 1) {
        piece.group = std::min(piece.group, m_pieces[static_cast<std::size_t>(m_owner)].group);
        piece.partial = true;
    }
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
    else
        m_pieces.back().partial = true;
}

void TokenText::emitCharacter(char32_t character)
{
    m_pieces[static_cast<std::size_t>(m_owner)].text += QChar::fromUcs4(character);
    m_firstChanged = std::min(m_firstChanged, m_owner);
    for (std::size_t position = static_cast<std::size_t>(m_owner); position < m_pieces.size(); ++position)
        m_pieces[position].partial = false;
    m_owner = -1;
    m_missing = 0;
}

QString TokenText::text() const
{
    QString text;
    for (const TokenPiece& piece : m_pieces)
        text += piece.text;
    if (m_owner >= 0)
        text += QChar::fromUcs4(replacement);
    return text;
}

QString decodeTokens(const ModelFactsPtr& model, std::span<const TokenId> ids)
{
    TokenText text(model);
    for (const TokenId id : ids)
        text.append(id);
    return text.text();
}

} // namespace colibri
