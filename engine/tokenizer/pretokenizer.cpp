// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/pretokenizer.h"

namespace colibri {

namespace {

using Piece = PreTokenizer::Piece;
using Pieces = PreTokenizer::Pieces;

/// Working memory of one call.
struct Scratch {
    std::vector<SplitPart> parts;
    std::vector<std::string_view> texts;
    std::vector<Piece> finer;
};

void appendPieces(const Piece& of, Scratch& scratch)
{
    for (const std::string_view text : scratch.texts)
        scratch.finer.push_back({text, of.first && text.data() == of.text.data()});
}

Result<void> cutPiece(const PreTokenizer::Split& step, const Piece& piece, Pieces&, Scratch& scratch)
{
    scratch.parts.clear();
    scratch.texts.clear();
    if (auto done = step.pattern.find(piece.text, scratch.parts); !done)
        return done;
    for (SplitPart& part : scratch.parts)
        part.match = part.match != step.invert;
    cut(scratch.parts, step.behavior, scratch.texts);
    appendPieces(piece, scratch);
    return {};
}

Result<void> cutPiece(const PreTokenizer::Metaspace& step, const Piece& piece, Pieces& pieces, Scratch& scratch)
{
    const std::string_view mark = step.replacement;
    std::string& text = pieces.made.emplace_back();
    for (const char c : piece.text)
        c == ' ' ? text += mark : text += c;
    const bool wanted =
        step.prepend == PreTokenizer::Prepend::Always || (step.prepend == PreTokenizer::Prepend::First && piece.first);
    if (wanted && !text.starts_with(mark))
        text.insert(0, mark);
    scratch.texts.clear();
    std::size_t begin = 0;
    for (std::size_t at = text.find(mark, 1); step.split && at != text.npos; at = text.find(mark, at + mark.size())) {
        scratch.texts.push_back(std::string_view(text).substr(begin, at - begin));
        begin = at;
    }
    scratch.texts.push_back(std::string_view(text).substr(begin));
    appendPieces({text, piece.first}, scratch);
    return {};
}

Result<void> cutPiece(const PreTokenizer::PrefixSpace&, const Piece& piece, Pieces& pieces, Scratch& scratch)
{
    const bool there = piece.text.starts_with(' ');
    const std::string_view text = there ? piece.text : pieces.made.emplace_back(1, ' ').append(piece.text);
    scratch.finer.push_back({text, piece.first});
    return {};
}

} // namespace

Result<void> PreTokenizer::apply(Pieces& pieces) const
{
    Scratch scratch;
    for (const Step& step : m_steps) {
        scratch.finer.clear();
        for (const Piece& piece : pieces.list) {
            const auto cut = [&](const auto& of) { return cutPiece(of, piece, pieces, scratch); };
            if (auto done = std::visit(cut, step); !done)
                return done;
        }
        pieces.list.swap(scratch.finer);
    }
    return {};
}

} // namespace colibri
