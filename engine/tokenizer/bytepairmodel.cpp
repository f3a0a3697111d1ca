// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/bytepairmodel.h"

#include "tokenizer/utf8.h"

namespace colibri {

void BytePairModel::append(
    std::string_view piece, const Vocabulary& vocabulary, Scratch& scratch, std::vector<TokenId>& ids) const
{
    if (const auto whole = ignoreMerges ? vocabulary.idOfBytes(piece) : std::nullopt) {
        ids.push_back(*whole);
        return;
    }
    scratch.symbols.clear();
    if (vocabulary.spelling() == Spelling::Plain)
        spell(piece, vocabulary, scratch.symbols);
    else
        for (const char c : piece)
            scratch.symbols.push_back(byteTokens[static_cast<unsigned char>(c)]);
    merger.append(scratch.symbols, scratch.merges, ids);
}

/// The symbols of characters: a token, else the tokens of the bytes, else the unknown token.
void BytePairModel::spell(std::string_view piece, const Vocabulary& vocabulary, std::vector<TokenId>& symbols) const
{
    bool afterUnknown = false;
    while (!piece.empty()) {
        const std::string_view character = piece.substr(0, utf8Step(piece).size);
        piece.remove_prefix(character.size());
        const auto token = vocabulary.idOfBytes(character);
        const bool isUnknown = !token && !byteFallback;
        if (token)
            symbols.push_back(*token);
        else if (byteFallback)
            for (const char c : character)
                symbols.push_back(byteTokens[static_cast<unsigned char>(c)]);
        else if (!(fuseUnknown && afterUnknown))
            symbols.push_back(unknown);
        afterUnknown = isUnknown;
    }
}

} // namespace colibri
