// SPDX-License-Identifier: GPL-3.0-or-later
// What is told of a token and of a run, as figures, bars and texts: pure functions.
#include "ui/support/testrun.h"
#include "views/run/routerbars.h"
#include "views/run/runfigures.h"
#include "views/run/tokenreport.h"

#include <QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace colibri;
using namespace colibri::test;

class TestReports : public QObject {
    Q_OBJECT

private slots:
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

QTEST_GUILESS_MAIN(TestReports)
#include "tst_reports.moc"
