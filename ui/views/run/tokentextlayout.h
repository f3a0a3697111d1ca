// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>
#include <vector>

namespace colibri {

/// Breaks tokens into lines. Appending costs the new tokens and at most the line before them; a width change costs one
/// pass over all tokens without measuring any of them again. Lengths in pixels. No widget: tests use it alone.
class TokenTextLayout {
public:
    /// A part of a token's shown text on one line.
    struct Fragment {
        int token = 0;
        int start = 0; ///< characters of the shown text
        int length = 0;
        double x = 0;
        double width = 0;
    };
    using Measure = std::function<double(QStringView)>;

    /// `measure` gives the width of a text; it is asked once for each new stretch.
    explicit TokenTextLayout(Measure measure);

    void clear();
    void setWidth(double width);
    double width() const { return m_width; }

    /// Adds a token. `shown`: its text, where a line feed ends a line. `padding`: room on both sides together.
    /// `breaksBefore`: a line may break before it even though no white space stands there.
    void append(const QString& shown, double padding, bool breaksBefore);
    /// Forgets tokens from `token` on.
    void truncate(int token);

    int tokens() const { return static_cast<int>(m_tokens.size()); }
    int lines() const { return static_cast<int>(m_lines.size()); }
    /// Fragments of a line: indices first to one past the last. A line may be empty (after a last line feed).
    std::pair<int, int> line(int line) const;
    const Fragment& fragment(int index) const { return m_fragments[static_cast<std::size_t>(index)]; }
    int firstFragment(int token) const; ///< its first fragment
    int lineOf(int fragment) const;
    /// The token at `x` of a line, or the nearest one on it; -1 on an empty line.
    int tokenAt(int line, double x) const;

private:
    /// A stretch of a token that no line feed divides.
    struct Stretch {
        int start = 0;
        int length = 0;
        double width = 0;
        bool endsLine = false;
    };
    struct Token {
        int firstStretch = 0;
        bool breaksBefore = false;
        double padding = 0;
    };
    void restartAt(int line);
    void place(int token);
    void placeStretch(int token, const Stretch& stretch, bool mayBreak);
    void placeCut(int token, const Stretch& stretch);
    void add(const Fragment& fragment);
    void newLine();
    void wrapWord();

    Measure m_measure;
    double m_width = 0;
    double m_x = 0; ///< where the next fragment begins on the last line
    std::vector<Token> m_tokens;
    std::vector<Stretch> m_stretches; ///< of all tokens
    std::vector<Fragment> m_fragments;
    std::vector<int> m_lines; ///< first fragment of each
    int m_wordStart = 0; ///< first fragment of the word that the last line ends with
};

} // namespace colibri
