// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/tokentext.h"

#include <QString>

namespace colibri {

/// How a token is drawn.
enum class TokenLook : std::uint8_t {
    Text, ///< characters
    Hex, ///< bytes that are no character: a part of one that is not complete, no UTF-8, or a control without picture
    Special, ///< the name of a special token
    Id, ///< a number, when there is no tokenizer or the id is unknown to it
    Continuation, ///< its bytes completed a character that stands in an earlier token: a narrow sliver
};

TokenLook lookOf(const TokenPiece& piece);

/// What is drawn for a token. White space is visible: a line feed is a mark followed by a real line feed (where the
/// line breaks), a tab an arrow filled up with blanks, other control characters are their Unicode pictures, and blanks
/// are raised dots but for a single one in front of a word. Empty for a continuation.
QString shownText(const TokenPiece& piece);
/// The same on one line: line feeds are marks only.
QString shownOnOneLine(const TokenPiece& piece);
/// The same, where each token stands alone: a continuation is its bytes.
QString shownOrBytes(const TokenPiece& piece);

/// Pixels left and right of a token's characters together; all of the width of a continuation.
double chipPadding(TokenLook look);

/// "e2 82 ac"; empty for none.
QString hexBytes(const QByteArray& bytes);

} // namespace colibri
