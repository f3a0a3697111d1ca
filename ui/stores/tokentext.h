// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/modelfacts.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <span>
#include <vector>

namespace colibri {

/// What one token looks like in the text.
struct TokenPiece {
    TokenId id = 0;
    QString text; ///< complete characters that begin in this token. Joined over all tokens: the text of the run
    QByteArray bytes; ///< the token's own bytes; the vocabulary's name of a special token; empty for an unknown id
    bool special = false; ///< adds nothing to the text
    bool partial = false; ///< some of its bytes wait for the rest of their character: show the bytes as a hex chip
    bool invalid = false; ///< its bytes are no UTF-8, and `text` has U+FFFD for them: show the bytes here, too
    int group = 0; ///< position of the first of the tokens that share characters with this one; its own when none does
};

/// Turns ids into pieces one after the other, by the rules of the model: the text is that of Model::detokenize. Bytes
/// that are no UTF-8 become U+FFFD, one for each maximal part of a character (Unicode 15, 3.9, practice of substituting
/// maximal subparts); of bytes by fallback, one for each byte of a run, whose characters are text when the run ends.
class TokenText {
public:
    explicit TokenText(ModelFactsPtr model);

    /// Adds a token. Returns the position of the first piece that is new or has changed: below the new one when an
    /// earlier token's character was completed.
    int append(TokenId id);

    int size() const { return static_cast<int>(m_entries.size()); }
    TokenPiece piece(
        int position) const; ///< made on request: a run of 10^6 tokens keeps 12 bytes a token, and its text
    TokenId id(int position) const { return m_entries[static_cast<std::size_t>(position)].id; }
    /// All characters so far; an unfinished one counts as U+FFFD.
    QString text() const;

private:
    struct Entry {
        TokenId id;
        std::int32_t group;
        std::int32_t end; ///< of its text in m_text; it begins at the end of the one before
    };
    void endRun();
    void addByte(unsigned char byte, int position);
    void startCharacter(unsigned char byte, int position);
    void emitCharacter(char32_t character);
    bool isRemoved(char32_t character);
    bool isReplaced(qsizetype begin, qsizetype end, const QByteArray& bytes) const;

    ModelFactsPtr m_model;
    std::vector<Entry> m_entries;
    QString m_text;
    int m_owner = -1; ///< token in which the unfinished character began; -1: none
    int m_firstChanged = 0;
    int m_missing = 0; ///< bytes that the unfinished character still needs
    char32_t m_character = 0;
    unsigned char m_lowest = 0x80; ///< bounds of its next byte
    unsigned char m_highest = 0xBF;
    QByteArray m_run; ///< bytes by fallback, each of a token, that no other token has followed
    std::vector<int> m_runPositions; ///< of these tokens
    bool m_first = true; ///< no token in front of this one has added text or bytes
    std::uint32_t m_stripped = 0; ///< characters taken from the front; all that are allowed once another has come
};

/// The text of some ids by themselves: what Model::detokenize gives.
QString decodeTokens(const ModelFactsPtr& model, std::span<const TokenId> ids);

} // namespace colibri
