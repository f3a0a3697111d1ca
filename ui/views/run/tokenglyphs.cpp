// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/tokenglyphs.h"

#include <algorithm>

namespace colibri {
namespace {

constexpr QChar lineFeedMark(0x21B5);
constexpr QChar tabMark(0x2192);
constexpr QChar blankMark(0x00B7);
constexpr int tabWidth = 4;

/// The picture of a control character; other characters as they are.
QChar pictured(QChar character)
{
    const char16_t code = character.unicode();
    if (code < 0x20)
        return QChar(0x2400 + code);
    return code == 0x7F ? QChar(0x2421) : character;
}

/// Nothing but controls of the second set (U+0080 to U+009F), which have no pictures.
bool isUnseen(const QString& text)
{
    return !text.isEmpty() && std::all_of(text.begin(), text.end(), [](QChar character) {
        return character.unicode() >= 0x80 && character.unicode() < 0xA0;
    });
}

} // namespace

TokenLook lookOf(const TokenPiece& piece)
{
    if (piece.special)
        return TokenLook::Special;
    if (piece.bytes.isEmpty())
        return TokenLook::Id;
    if (piece.partial || piece.invalid || isUnseen(piece.text))
        return TokenLook::Hex;
    return piece.text.isEmpty() ? TokenLook::Continuation : TokenLook::Text;
}

QString shownText(const TokenPiece& piece)
{
    switch (lookOf(piece)) {
    case TokenLook::Special:
        return QString::fromUtf8(piece.bytes);
    case TokenLook::Id:
        return QString::number(piece.id);
    case TokenLook::Hex:
        return hexBytes(piece.bytes);
    case TokenLook::Continuation:
        return {};
    case TokenLook::Text:
        break;
    }
    QString shown;
    const QString& text = piece.text;
    for (qsizetype at = 0; at < text.size(); ++at) {
        const QChar character = text[at];
        if (character == u'\n')
            shown += QString(lineFeedMark) + u'\n';
        else if (character == u'\t')
            shown += QString(tabMark).leftJustified(tabWidth);
        else if (character == u' ')
            shown += at == 0 && text.size() > 1 && !text[1].isSpace() ? QChar(u' ') : blankMark;
        else
            shown += pictured(character);
    }
    return shown;
}

QString shownOnOneLine(const TokenPiece& piece)
{
    return shownText(piece).remove(u'\n');
}

QString shownOrBytes(const TokenPiece& piece)
{
    return lookOf(piece) == TokenLook::Continuation ? hexBytes(piece.bytes) : shownOnOneLine(piece);
}

double chipPadding(TokenLook look)
{
    switch (look) {
    case TokenLook::Text:
        return 2;
    case TokenLook::Continuation:
        return 6;
    case TokenLook::Hex:
    case TokenLook::Special:
    case TokenLook::Id:
        break;
    }
    return 8;
}

QString hexBytes(const QByteArray& bytes)
{
    return QString::fromLatin1(bytes.toHex(' '));
}

} // namespace colibri
