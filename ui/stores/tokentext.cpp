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

const Lead* leadOf(unsigned char byte)
{
    const auto lead = std::find_if(
        leads.begin(), leads.end(), [byte](const Lead& line) { return byte >= line.first && byte <= line.last; });
    return lead == leads.end() ? nullptr : &*lead;
}

/// Whether the bytes are whole characters.
bool isUtf8(const QByteArray& bytes)
{
    const auto at = [&](qsizetype i) { return static_cast<unsigned char>(bytes[i]); };
    for (qsizetype i = 0; i < bytes.size();) {
        const Lead* const lead = leadOf(at(i));
        if (!lead || bytes.size() - i <= lead->missing)
            return false;
        for (int more = 1; more <= lead->missing; ++more)
            if (at(i + more) < (more == 1 ? lead->lowest : 0x80) || at(i + more) > (more == 1 ? lead->highest : 0xBF))
                return false;
        i += 1 + lead->missing;
    }
    return true;
}

QByteArray bytesOf(const ModelFacts& model, TokenId id)
{
    return id < model.tokenBytes.size() ? QByteArray::fromStdString(model.tokenBytes[id]) : QByteArray();
}

bool isSpecial(const ModelFacts& model, TokenId id)
{
    return id < model.specialToken.size() && model.specialToken[id];
}

bool isByFallback(const ModelFacts& model, TokenId id)
{
    return !model.textRules.byteLevel && id < model.byteToken.size() && model.byteToken[id];
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
    const int waiting = m_owner >= 0 || m_runPositions.empty() ? m_owner : m_runPositions.front();
    TokenPiece piece;
    piece.id = entry.id;
    piece.text = m_text.mid(begin, entry.end - begin);
    piece.bytes = bytesOf(*m_model, entry.id);
    piece.special = isSpecial(*m_model, entry.id);
    piece.partial = waiting >= 0 && position >= waiting && !piece.special && !piece.bytes.isEmpty();
    piece.invalid = !piece.special && !piece.partial && isReplaced(begin, entry.end, piece.bytes);
    piece.group = entry.group;
    return piece;
}

/// A token without text gave its bytes to the character in front.
bool TokenText::isReplaced(qsizetype begin, qsizetype end, const QByteArray& bytes) const
{
    const QStringView shown = QStringView(m_text).mid(begin < end ? begin : std::max<qsizetype>(0, begin - 1),
        begin < end ? end - begin : std::min<qsizetype>(begin, 1));
    return !bytes.isEmpty() && !shown.isEmpty() && !bytes.contains("\xEF\xBF\xBD")
        && std::ranges::all_of(shown, [](QChar character) { return character.unicode() == replacement; });
}

int TokenText::append(TokenId id)
{
    const int position = size();
    m_entries.push_back({id, position, static_cast<std::int32_t>(m_text.size())});
    m_firstChanged = position;
    const QByteArray bytes = bytesOf(*m_model, id);
    if (bytes.isEmpty() || isSpecial(*m_model, id))
        return m_firstChanged;
    if (isByFallback(*m_model, id)) {
        m_run += bytes.front();
        m_runPositions.push_back(position);
    } else {
        endRun();
        for (const char byte : bytes)
            addByte(static_cast<unsigned char>(byte), position);
    }
    m_first = false;
    return m_firstChanged;
}

/// What is no UTF-8 as a whole is none in any part.
void TokenText::endRun()
{
    const bool whole = isUtf8(m_run);
    for (std::size_t i = 0; i < m_runPositions.size(); ++i) {
        if (whole) {
            addByte(static_cast<unsigned char>(m_run[static_cast<qsizetype>(i)]), m_runPositions[i]);
        } else {
            m_owner = m_runPositions[i];
            emitCharacter(replacement);
        }
    }
    m_run.clear();
    m_runPositions.clear();
}

void TokenText::addByte(unsigned char byte, int position)
{
    if (m_owner >= 0 && (byte < m_lowest || byte > m_highest))
        emitCharacter(replacement);
    if (m_owner < 0) {
        startCharacter(byte, position);
        return;
    }
    Entry& entry = m_entries[static_cast<std::size_t>(position)];
    entry.group = std::min(entry.group, m_entries[static_cast<std::size_t>(m_owner)].group);
    m_character = (m_character << 6) | (byte & 0x3Fu);
    m_lowest = 0x80;
    m_highest = 0xBF;
    if (--m_missing == 0)
        emitCharacter(m_character);
}

void TokenText::startCharacter(unsigned char byte, int position)
{
    const Lead* const lead = leadOf(byte);
    m_owner = position;
    if (!lead) {
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
    // The tokens after the owner have only given bytes to this character, or wait for it: theirs is no text yet.
    if (!isRemoved(character))
        m_text += QChar::fromUcs4(character);
    m_firstChanged = std::min(m_firstChanged, m_owner);
    for (std::size_t position = static_cast<std::size_t>(m_owner); position < m_entries.size(); ++position)
        m_entries[position].end = static_cast<std::int32_t>(m_text.size());
    m_owner = -1;
    m_missing = 0;
}

/// By rules for the front of a text.
bool TokenText::isRemoved(char32_t character)
{
    const TextRules& rules = m_model->textRules;
    if (rules.byteLevel)
        return false;
    if (m_stripped < rules.stripCount) {
        const QString one = QString::fromUcs4(&character, 1);
        m_stripped = one == QString::fromStdString(rules.strip) ? m_stripped + 1 : rules.stripCount;
        if (one == QString::fromStdString(rules.strip))
            return true;
    }
    return m_first && rules.firstWithoutSpaces && character == U' ';
}

QString TokenText::text() const
{
    if (m_runPositions.empty())
        return m_owner >= 0 ? m_text + QChar(static_cast<char16_t>(replacement)) : m_text;
    TokenText ended = *this;
    ended.endRun();
    return ended.m_text;
}

QString decodeTokens(const ModelFactsPtr& model, std::span<const TokenId> ids)
{
    TokenText text(model);
    for (const TokenId id : ids)
        text.append(id);
    return text.text();
}

} // namespace colibri
