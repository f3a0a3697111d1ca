// SPDX-License-Identifier: GPL-3.0-or-later
// What tokens look like, and where lines of them break: pure functions.
#include "views/run/tokenglyphs.h"
#include "views/run/tokentextlayout.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace colibri;

namespace {

TokenPiece piece(const char* text, const QByteArray& bytes = "x", bool special = false, bool partial = false)
{
    return {1, QString::fromUtf8(text), bytes, special, partial, 0};
}

TokenTextLayout tenPerCharacter()
{
    return TokenTextLayout([](QStringView text) { return 10.0 * double(text.size()); });
}

struct Line {
    QString shown;
    double padding;
    bool breaksBefore;
};

/// Words, pieces of words, line feeds and slivers, some wider than a line.
std::vector<Line> randomTokens(int count, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<Line> tokens;
    for (int i = 0; i < count; ++i) {
        const unsigned kind = random() % 10;
        const int length = 1 + static_cast<int>(random() % 8);
        if (kind == 0)
            tokens.push_back({QStringLiteral("v\n"), 2, true});
        else if (kind == 1)
            tokens.push_back({{}, 6, false});
        else if (kind == 2)
            tokens.push_back({QString(length * 5, u'-'), 2, false});
        else if (kind == 3)
            tokens.push_back({QStringLiteral("a\n\nb"), 2, false});
        else
            tokens.push_back({QString(length, u'w'), 2, kind > 6});
    }
    return tokens;
}

bool same(const TokenTextLayout& a, const TokenTextLayout& b)
{
    if (a.tokens() != b.tokens() || a.lines() != b.lines())
        return false;
    for (int line = 0; line < a.lines(); ++line) {
        if (a.line(line) != b.line(line))
            return false;
        for (int at = a.line(line).first; at < a.line(line).second; ++at) {
            const auto& x = a.fragment(at);
            const auto& y = b.fragment(at);
            if (x.token != y.token || x.start != y.start || x.length != y.length || x.x != y.x || x.width != y.width)
                return false;
        }
    }
    return true;
}

} // namespace

class TestTextLayout : public QObject {
    Q_OBJECT

private slots:
    void whiteSpaceIsShown()
    {
        QCOMPARE(shownText(piece("word")), QStringLiteral("word"));
        QCOMPARE(shownText(piece(" word")), QStringLiteral(" word"));
        QCOMPARE(shownText(piece(" ")), QStringLiteral("\u00b7"));
        QCOMPARE(shownText(piece("  word")), QStringLiteral("\u00b7\u00b7word"));
        QCOMPARE(shownText(piece("word ")), QStringLiteral("word\u00b7"));
        QCOMPARE(shownText(piece("a\n\n")), QStringLiteral("a\u21b5\n\u21b5\n"));
        QCOMPARE(shownOnOneLine(piece("a\n\n")), QStringLiteral("a\u21b5\u21b5"));
        QCOMPARE(shownText(piece("\t")), QStringLiteral("\u2192   "));
        QCOMPARE(shownText(piece("\r")), QStringLiteral("\u240d"));
        QCOMPARE(shownText(piece("\x7f")), QStringLiteral("\u2421"));
    }

    void looksFollowThePiece()
    {
        QCOMPARE(lookOf(piece("word")), TokenLook::Text);
        QCOMPARE(lookOf(piece("", "<|end|>", true)), TokenLook::Special);
        QCOMPARE(shownText(piece("", "<|end|>", true)), QStringLiteral("<|end|>"));
        QCOMPARE(lookOf(piece("", "\xe2\x82", false, true)), TokenLook::Hex);
        QCOMPARE(shownText(piece("", "\xe2\x82", false, true)), QStringLiteral("e2 82"));
        QCOMPARE(lookOf(piece("", "\xac")), TokenLook::Continuation);
        QCOMPARE(shownText(piece("", "\xac")), QString());
        QCOMPARE(lookOf(piece("", "")), TokenLook::Id);
        QCOMPARE(shownText(piece("", "")), QStringLiteral("1"));
    }

    void wordsStayTogether()
    {
        TokenTextLayout layout = tenPerCharacter();
        layout.setWidth(100);
        layout.append(QStringLiteral("hello"), 0, false);
        layout.append(QStringLiteral(" in"), 0, true);
        layout.append(QStringLiteral("ter"), 0, false); // " inter" does not fit behind "hello" and moves as a whole
        QCOMPARE(layout.lines(), 2);
        QCOMPARE(layout.fragment(layout.line(1).first).token, 1);
        QCOMPARE(layout.fragment(2).x, 30.0);
        QCOMPARE(layout.tokenAt(1, 35), 2);
        QCOMPARE(layout.tokenAt(1, 500), 2);
        QCOMPARE(layout.tokenAt(0, -5), 0);
        layout.append(QString(23, u'-'), 0, false); // wider than a line: three lines of its own
        QCOMPARE(layout.lines(), 5);
        QCOMPARE(layout.fragment(layout.firstFragment(3)).length, 10);
        QCOMPARE(layout.lineOf(layout.firstFragment(3)), 2);
        layout.append(QStringLiteral("v\n"), 0, true);
        QCOMPARE(layout.lines(), 6);
        QCOMPARE(layout.line(5).first, layout.line(5).second);
        QCOMPARE(layout.tokenAt(5, 0), -1);
    }

    void everyCharacterIsLaidOutOnceInOrder()
    {
        for (unsigned seed = 0; seed < 20; ++seed) {
            const auto tokens = randomTokens(300, seed);
            TokenTextLayout layout = tenPerCharacter();
            layout.setWidth(177);
            for (const Line& token : tokens)
                layout.append(token.shown, token.padding, token.breaksBefore);
            std::vector<QString> seen(tokens.size());
            for (int line = 0; line < layout.lines(); ++line) {
                double x = 0;
                for (int at = layout.line(line).first; at < layout.line(line).second; ++at) {
                    const auto& fragment = layout.fragment(at);
                    QCOMPARE(fragment.x, x);
                    x += fragment.width;
                    QVERIFY(x <= 177);
                    seen[std::size_t(fragment.token)] +=
                        tokens[std::size_t(fragment.token)].shown.mid(fragment.start, fragment.length);
                    QCOMPARE(layout.lineOf(at), line);
                }
            }
            for (std::size_t token = 0; token < tokens.size(); ++token)
                QCOMPARE(seen[token], QString(tokens[token].shown).remove(u'\n'));
        }
    }

    void growingAndTruncatingGiveTheLayoutOfTheWhole()
    {
        std::mt19937 random(3);
        for (unsigned seed = 0; seed < 30; ++seed) {
            const auto tokens = randomTokens(400, seed);
            const double width = 60 + 20 * (seed % 7);
            TokenTextLayout whole = tenPerCharacter();
            whole.setWidth(width);
            for (const Line& token : tokens)
                whole.append(token.shown, token.padding, token.breaksBefore);
            TokenTextLayout grown = tenPerCharacter();
            grown.setWidth(93);
            for (int i = 0; i < 400; ++i) {
                grown.append(
                    tokens[std::size_t(i)].shown, tokens[std::size_t(i)].padding, tokens[std::size_t(i)].breaksBefore);
                if (i == 200)
                    grown.setWidth(width);
                if (random() % 5 == 0) {
                    const int back = static_cast<int>(random() % 6);
                    grown.truncate(std::max(0, i - back));
                    i = std::max(0, i - back) - 1;
                }
            }
            QVERIFY(same(grown, whole));
        }
    }
};

QTEST_GUILESS_MAIN(TestTextLayout)
#include "tst_textlayout.moc"
