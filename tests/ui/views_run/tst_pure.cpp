// SPDX-License-Identifier: GPL-3.0-or-later
// The pure functions of the run page: what tokens look like, where lines break, where cells lie, what is reported.
#include "ui/support/testrun.h"
#include "views/run/gridcells.h"
#include "views/run/gridgeometry.h"
#include "views/run/routerbars.h"
#include "views/run/runfigures.h"
#include "views/run/tokenglyphs.h"
#include "views/run/tokenreport.h"
#include "views/run/tokentextlayout.h"
#include "views/theme/theme.h"

#include <QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>

using namespace colibri;
using namespace colibri::test;

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

class TestPure : public QObject {
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

    void geometryAndItsInverseAgree()
    {
        GridGeometry grid;
        grid.tokens = 1000;
        grid.layers = 48;
        grid.viewport = {500, 300};
        for (int level = 0; level < zoomLevels; ++level) {
            grid.cell = cellSize(level);
            for (const QPoint scroll :
                {QPoint(0, 0), QPoint(37, 11), QPoint(grid.scrollRange().width(), grid.scrollRange().height())}) {
                grid.scroll = {std::min(scroll.x(), grid.scrollRange().width()),
                    std::min(scroll.y(), grid.scrollRange().height())};
                const Range tokens = grid.visibleTokens();
                for (const int token : {tokens.first, tokens.end - 1}) {
                    const QRect cell = grid.cellRect(token, grid.visibleLayers().first).intersected(grid.cellArea());
                    QVERIFY(!cell.isEmpty());
                    QCOMPARE(grid.tokenAt(cell.center().x()), token);
                    QCOMPARE(grid.layerAt(cell.center().y()), grid.visibleLayers().first);
                }
                if (tokens.first > 0)
                    QVERIFY(grid.cellRect(tokens.first - 1, 0).right() < grid.cellArea().left());
                QVERIFY(tokens.end == 1000 || grid.cellRect(tokens.end, 0).left() > grid.cellArea().right());
            }
            for (const int token : {0, 17, 999}) {
                grid.scroll = grid.scrollShowing(token, 47);
                QVERIFY(grid.cellArea().contains(grid.cellRect(token, 47)));
                QCOMPARE(grid.scrollShowing(token, 47), grid.scroll);
            }
        }
        QCOMPARE(grid.tokenAt(10), -1); // in the header
        QCOMPARE(grid.tokenAt(500), -1);
        grid.tokens = 2;
        grid.scroll = {};
        QCOMPARE(grid.tokenAt(499), -1); // behind the last one
    }

    void stepsAndIdsFit()
    {
        QCOMPARE(labelStep(100, 30), 1);
        QCOMPARE(labelStep(10, 30), 5);
        QCOMPARE(labelStep(2, 30), 20);
        QCOMPARE(idsThatFit({44, 20}, 16, 8, 16), 2);
        QCOMPARE(idsThatFit({43, 20}, 16, 8, 16), 1);
        QCOMPARE(idsThatFit({44, 15}, 16, 8, 16), 0);
        QCOMPARE(idsThatFit({8, 20}, 16, 8, 16), 0);
    }

    void cellsHaveTheColoursOfTheirDecisions()
    {
        RunStore store;
        TestRun run({}, store);
        run.fillWithStory();
        for (const ColorScheme scheme : {ColorScheme::Light, ColorScheme::Dark}) {
            for (const ColorBy by : {ColorBy::Expert, ColorBy::Margin, ColorBy::Nothing}) {
                for (const int rank : {0, 1}) {
                    const CellRequest request{{5, 60}, {1, 6}, 50, by, rank, scheme};
                    const QImage image = renderCells(run.record(), request, false);
                    QCOMPARE(image.size(), QSize(55, 5));
                    for (int token = 5; token < 60; ++token)
                        for (int layer = 1; layer < 6; ++layer)
                            QCOMPARE(image.pixel(token - 5, layer - 1),
                                token < 50 ? decisionColor(run.record(), token, layer, by, rank, scheme)
                                           : themeColors(scheme).pending);
                }
            }
        }
        QVERIFY(renderCells(run.record(), {{5, 5}, {0, 6}}, false).isNull());
    }

    void decisionColoursAreTheMapsOwn()
    {
        RunStore store;
        TestRun run({}, store);
        run.fillWithStory();
        const RunRecord& record = run.record();
        QCOMPARE(decisionColor(record, 9, 3, ColorBy::Expert, 1, ColorScheme::Dark),
            expertColor(record.experts(9, 3)[1], 16, ColorScheme::Dark));
        QCOMPARE(decisionColor(record, 9, 3, ColorBy::Margin, 0, ColorScheme::Light),
            amountColor(marginShare(record.margin(9, 3)), ColorScheme::Light));
        QCOMPARE(decisionColor(record, 9, 3, ColorBy::Expert, 2, ColorScheme::Light),
            noDataColor(ColorScheme::Light)); // no such rank
        QCOMPARE(marginShare(0.f), 0.0);
        QCOMPARE(marginShare(1.f), 0.5);
        QVERIFY(std::isnan(marginShare(std::numeric_limits<float>::quiet_NaN())));
    }

    void zeroedCellsAreMarked()
    {
        RunStore store;
        TestRun run({}, store);
        run.zeroNext();
        run.setPrompt(run.ids("The"));
        const QImage image =
            renderCells(run.record(), {{0, 1}, {0, 6}, 1, ColorBy::Expert, 0, ColorScheme::Light}, true);
        QCOMPARE(image.pixel(0, 1), themeColors(ColorScheme::Light).errorText);
        QVERIFY(image.pixel(0, 0) != themeColors(ColorScheme::Light).errorText);
    }

    void digitsSpellTheIds()
    {
        RunStore store;
        TestRun run({}, store);
        run.fillWithStory();
        const CellRequest request{{3, 9}, {0, 6}, 8, ColorBy::Expert, 0, ColorScheme::Light};
        const QSize cell(44, 20);
        const DigitMetrics metrics{8, 15, 2, 2};
        const CellText text = cellText(run.record(), request, cell, metrics);
        for (int token = 3; token < 9; ++token) {
            for (int layer = 0; layer < 6; ++layer) {
                const QRectF here(QPointF((token - 3) * 44, layer * 20), QSizeF(cell));
                std::map<double, quint32> found;
                const QRgb ground = token < 8
                    ? decisionColor(run.record(), token, layer, ColorBy::Expert, 0, ColorScheme::Light)
                    : 0xff000000;
                const bool dark = readableOn(ground) == qRgb(0, 0, 0);
                const CellDigits& ink = dark ? text.dark : text.light;
                for (qsizetype i = 0; i < ink.digits.size(); ++i)
                    if (here.contains(ink.points[i]))
                        found[ink.points[i].x()] = ink.digits[i];
                QString read;
                double last = -1;
                for (const auto& [x, digit] : found) {
                    if (last >= 0 && x > last + 8)
                        read += u' ';
                    read += QString::number(digit);
                    last = x;
                }
                const auto experts =
                    run.record().experts(static_cast<std::uint32_t>(token), static_cast<std::uint32_t>(layer));
                QCOMPARE(read, token < 8 ? QStringLiteral("%1 %2").arg(experts[0]).arg(experts[1]) : QString());
            }
        }
    }

    void reportTellsTheRecord()
    {
        RunStore store;
        TestRun run({}, store);
        run.fillWithStory();
        const TokenReport report = makeTokenReport(store, 20, 4);
        QCOMPARE(report.logitState, LogitState::Held);
        QCOMPARE(report.logits.size(), std::size_t{16});
        const std::vector<int> order = barOrder(report, BarOrder::ByValue);
        QCOMPARE(order[0], report.chosen[0].expert);
        QCOMPARE(order[1], report.chosen[1].expert);
        QCOMPARE(order[2], report.firstRejected);
        QCOMPARE(report.margin, report.logits[std::size_t(order[1])] - report.logits[std::size_t(order[2])]);
        QVERIFY(std::is_sorted(order.begin(), order.end(),
            [&](int a, int b) { return report.logits[std::size_t(a)] > report.logits[std::size_t(b)]; }));
        QCOMPARE(rankOf(report, order[1]), 1);
        QCOMPARE(rankOf(report, order[5]), -1);
        QVERIFY(!report.prompt);
        QCOMPARE(report.timing->tokens, 1u);
        QVERIFY(makeTokenReport(store, 3, 0).prompt);
        const TokenReport last = makeTokenReport(store, store.tokens() - 1, 0);
        QCOMPARE(last.logitState, LogitState::NotRouted);
        QVERIFY(last.chosen.empty());
        QVERIFY(TokenReportText::summary(last).contains(QStringLiteral("not routed yet")));
    }

    void equalLogitsOrderById()
    {
        TokenReport report;
        report.logits = {1, 2, std::nanf(""), 2, 1};
        QCOMPARE(barOrder(report, BarOrder::ByValue), (std::vector<int>{1, 3, 0, 4, 2}));
        QCOMPARE(barOrder(report, BarOrder::ByExpert), (std::vector<int>{0, 1, 2, 3, 4}));
    }

    void logitsThatAreGoneAreSaidToBe()
    {
        RunStore store;
        TestRun run({512, 6, 16, 2, 10 * 6 * 16 * sizeof(float)}, store);
        run.fillWithStory();
        const TokenReport gone = makeTokenReport(store, 20, 4);
        QCOMPARE(gone.logitState, LogitState::NoLongerHeld);
        QVERIFY(gone.logits.empty());
        QCOMPARE(gone.chosen.size(), std::size_t{2});
        QVERIFY(TokenReportText::logitState(gone).contains(QStringLiteral("no longer held")));
        QCOMPARE(TokenReportText::csv(gone, BarOrder::ByValue).count(u'\n'), 3); // header and the chosen ones
        QCOMPARE(makeTokenReport(store, store.routed() - 1, 4).logitState, LogitState::Held);
    }

    void csvAndTextGiveBackTheBits()
    {
        RunStore store;
        TestRun run({}, store);
        run.fillWithStory();
        const TokenReport report = makeTokenReport(store, 22, 1);
        const QStringList rows = TokenReportText::csv(report, BarOrder::ByExpert).split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(rows.size(), 17);
        for (int expert = 0; expert < 16; ++expert) {
            const QStringList fields = rows[expert + 1].split(u',');
            QCOMPARE(fields.size(), 9);
            QCOMPARE(fields[4].toInt(), expert);
            QCOMPARE(fields[7].toFloat(), report.logits[std::size_t(expert)]);
            QCOMPARE(
                fields[8].mid(2).toUInt(nullptr, 16), std::bit_cast<std::uint32_t>(report.logits[std::size_t(expert)]));
            QCOMPARE(fields[5].isEmpty(), rankOf(report, expert) < 0);
        }
        const QString plain = TokenReportText::plain(report, BarOrder::ByValue);
        for (const float value : report.logits)
            QVERIFY(plain.contains(bitsText(value)));
        QVERIFY(plain.contains(QStringLiteral("first rejected")));
        QCOMPARE(bitsText(1.f), QStringLiteral("0x3f800000"));
    }

    void barsLieOnTheScale()
    {
        const BarScale scale = barScale({-1, 3, std::numeric_limits<float>::infinity(), std::nanf("")});
        QCOMPARE(scale.low, -1.0);
        QCOMPARE(scale.high, 3.0);
        QCOMPARE(scale.share(0), 0.25);
        QCOMPARE(scale.share(std::numeric_limits<double>::infinity()), 1.0);
        QCOMPARE(scale.share(std::nan("")), 0.0);
        QCOMPARE(barScale({}).share(0), 0.0);
    }

    void figuresFollowTheStore()
    {
        RunStore store;
        QCOMPARE(figuresOf(store).tokens, QStringLiteral("\u2013"));
        TestRun run({}, store);
        run.fillWithStory();
        FigureTexts texts = figuresOf(store);
        QCOMPARE(texts.tokens,
            QStringLiteral("%1 + %2").arg(store.promptTokens()).arg(store.tokens() - store.promptTokens()));
        QCOMPARE(texts.prefill, QStringLiteral("769 tok/s"));
        QVERIFY(texts.last.endsWith(QStringLiteral(" ms")));
        QCOMPARE(texts.breaker, QStringLiteral("not finite: 1"));
        QVERIFY(texts.gap.isEmpty());
        for (std::size_t i = 0; i < run.ring().capacity() + 3; ++i)
            run.ring().tryPush({});
        QCOMPARE(figuresOf(store).gap, QStringLiteral("timings missing: 3"));
        store.fail({Errc::Lost, "run", "model.bin", 7, "the file shrank"});
        texts = figuresOf(store);
        QVERIFY(texts.failed);
        QVERIFY2(texts.state.contains(QStringLiteral("the file shrank")), qPrintable(texts.state));
    }
};

QTEST_GUILESS_MAIN(TestPure)
#include "tst_pure.moc"
