// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/tokentextlayout.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace colibri {

TokenTextLayout::TokenTextLayout(Measure measure)
    : m_measure(std::move(measure))
    , m_lines{0}
{
}

void TokenTextLayout::clear()
{
    m_tokens.clear();
    m_stretches.clear();
    restartAt(0);
}

void TokenTextLayout::setWidth(double width)
{
    if (width == m_width)
        return;
    m_width = width;
    restartAt(0);
    for (int token = 0; token < tokens(); ++token)
        place(token);
}

void TokenTextLayout::append(const QString& shown, double padding, bool breaksBefore)
{
    m_tokens.push_back({static_cast<int>(m_stretches.size()), breaksBefore, padding});
    qsizetype start = 0;
    do {
        const qsizetype feed = shown.indexOf(u'\n', start);
        const qsizetype end = feed < 0 ? shown.size() : feed;
        const QStringView text = QStringView(shown).mid(start, end - start);
        m_stretches.push_back(
            {static_cast<int>(start), static_cast<int>(text.size()), m_measure(text) + padding, feed >= 0});
        start = end + 1;
    } while (start < shown.size());
    place(tokens() - 1);
}

void TokenTextLayout::truncate(int token)
{
    if (token >= tokens())
        return;
    // What begins a line can depend on the tokens of that line and the next, never on later ones.
    int restart = std::max(0, lineOf(firstFragment(token)) - 2);
    while (restart > 0 && fragment(line(restart).first).start > 0)
        --restart;
    const int from = fragment(line(restart).first).token;
    m_stretches.resize(static_cast<std::size_t>(m_tokens[static_cast<std::size_t>(token)].firstStretch));
    m_tokens.resize(static_cast<std::size_t>(token));
    restartAt(restart);
    for (int again = from; again < token; ++again)
        place(again);
}

/// Forgets the fragments of `line` and of all lines below it.
void TokenTextLayout::restartAt(int line)
{
    m_fragments.resize(static_cast<std::size_t>(m_lines[static_cast<std::size_t>(line)]));
    m_lines.resize(static_cast<std::size_t>(line) + 1);
    m_x = 0;
    m_wordStart = static_cast<int>(m_fragments.size());
}

void TokenTextLayout::place(int token)
{
    const Token& placed = m_tokens[static_cast<std::size_t>(token)];
    const std::size_t end = token + 1 < tokens()
        ? static_cast<std::size_t>(m_tokens[static_cast<std::size_t>(token) + 1].firstStretch)
        : m_stretches.size();
    for (auto at = static_cast<std::size_t>(placed.firstStretch); at < end; ++at)
        placeStretch(token, m_stretches[at], placed.breaksBefore);
}

void TokenTextLayout::placeStretch(int token, const Stretch& stretch, bool mayBreak)
{
    if (mayBreak || m_x == 0)
        m_wordStart = static_cast<int>(m_fragments.size());
    if (m_x > 0 && m_x + stretch.width > m_width) {
        if (m_wordStart > m_lines.back())
            wrapWord();
        if (m_x > 0 && m_x + stretch.width > m_width)
            newLine();
    }
    if (stretch.width > m_width)
        placeCut(token, stretch);
    else
        add({token, stretch.start, stretch.length, m_x, stretch.width});
    if (stretch.endsLine)
        newLine();
}

/// A stretch wider than a line, on lines of its own. Its characters count as equally wide.
void TokenTextLayout::placeCut(int token, const Stretch& stretch)
{
    const double padding = m_tokens[static_cast<std::size_t>(token)].padding;
    const double advance = stretch.length > 0 ? (stretch.width - padding) / stretch.length : 0;
    const int fits =
        advance > 0 ? std::max(1, static_cast<int>(std::floor((m_width - padding) / advance))) : stretch.length;
    for (int done = 0;;) {
        const int length = std::min(fits, stretch.length - done);
        add({token, stretch.start + done, length, m_x, length * advance + padding});
        done += length;
        if (done >= stretch.length)
            return;
        newLine();
    }
}

void TokenTextLayout::add(const Fragment& fragment)
{
    m_fragments.push_back(fragment);
    m_x = fragment.x + fragment.width;
}

void TokenTextLayout::newLine()
{
    m_lines.push_back(static_cast<int>(m_fragments.size()));
    m_x = 0;
    m_wordStart = static_cast<int>(m_fragments.size());
}

/// Moves the word at the end of the last line to a line of its own.
void TokenTextLayout::wrapWord()
{
    m_lines.push_back(m_wordStart);
    m_x = 0;
    for (auto at = static_cast<std::size_t>(m_wordStart); at < m_fragments.size(); ++at) {
        m_fragments[at].x = m_x;
        m_x += m_fragments[at].width;
    }
}

std::pair<int, int> TokenTextLayout::line(int line) const
{
    const auto at = static_cast<std::size_t>(line);
    return {m_lines[at], at + 1 < m_lines.size() ? m_lines[at + 1] : static_cast<int>(m_fragments.size())};
}

int TokenTextLayout::firstFragment(int token) const
{
    const auto found = std::lower_bound(m_fragments.begin(), m_fragments.end(), token,
        [](const Fragment& fragment, int wanted) { return fragment.token < wanted; });
    return static_cast<int>(found - m_fragments.begin());
}

int TokenTextLayout::lineOf(int fragment) const
{
    // The last line that begins at or before the fragment holds it; only lines without fragments share a beginning.
    return static_cast<int>(std::upper_bound(m_lines.begin(), m_lines.end(), fragment) - m_lines.begin()) - 1;
}

int TokenTextLayout::tokenAt(int line, double x) const
{
    const auto [first, end] = this->line(line);
    if (first == end)
        return -1;
    const auto begin = m_fragments.begin() + first;
    const auto after = std::upper_bound(begin, m_fragments.begin() + end, x,
        [](double wanted, const Fragment& fragment) { return wanted < fragment.x; });
    return after == begin ? begin->token : std::prev(after)->token;
}

} // namespace colibri
