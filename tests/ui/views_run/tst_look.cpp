// SPDX-License-Identifier: GPL-3.0-or-later
// Figures, details and actions are seen whole, explained, and read in both schemes.
#include "ui/support/seen.h"
#include "ui/support/testrun.h"
#include "views/run/accentbutton.h"
#include "views/run/promptpanel.h"
#include "views/run/routerbars.h"
#include "views/run/runfigures.h"
#include "views/run/tokendetails.h"
#include "views/theme/theme.h"
#include "views/theme/tips.h"

#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <cmath>

using namespace colibri;
using namespace colibri::test;
using State = RunStore::State;

namespace {

QLabel* labelOf(QWidget& widget, const QString& accessibleName)
{
    for (QLabel* const label : widget.findChildren<QLabel*>()) {
        if (label->accessibleName() == accessibleName)
            return label;
    }
    return nullptr;
}

} // namespace

class TestLook : public QObject {
    Q_OBJECT

private slots:
    void figuresFollowTheScheme()
    {
        Theme theme;
        theme.setChoice(ThemeChoice::Light);
        RunStore store;
        RunFigures figures(store);
        TestRun run({}, store);
        run.fillWithStory();
        for (std::size_t i = 0; i < run.ring().capacity() + 3; ++i)
            run.ring().tryPush({});
        for (const bool failed : {false, true}) {
            if (failed)
                store.fail({Errc::Lost, "run", "model.bin", 7, "the file shrank"});
            else
                store.finish(StopReason::EndOfText);
            figures.show();
            for (const ThemeChoice choice : {ThemeChoice::Dark, ThemeChoice::Light}) {
                theme.setChoice(choice);
                QCoreApplication::processEvents();
                int shown = 0;
                for (const QLabel* const label : figures.findChildren<QLabel*>()) {
                    if (label->isHidden())
                        continue;
                    ++shown;
                    const double contrast = contrastRatio(label->palette().color(label->foregroundRole()).rgb(),
                        QApplication::palette().color(QPalette::Window).rgb());
                    QVERIFY2(contrast >= 4.5, qPrintable(QStringLiteral("%1: %2").arg(label->text()).arg(contrast)));
                }
                QVERIFY(shown >= 11);
                QCOMPARE(labelOf(figures, QStringLiteral("Gap"))->palette().color(QPalette::WindowText).rgb(),
                    themeColors(schemeOf(figures.palette())).warningText);
                const QLabel& state = *labelOf(figures, QStringLiteral("State of the run"));
                QCOMPARE(state.palette().color(state.foregroundRole()).rgb()
                        == themeColors(schemeOf(figures.palette())).errorText,
                    failed);
            }
        }
    }

    /// Styles cache by palette: a run must not make new ones.
    void figuresKeepTheirPalettes()
    {
        RunStore store;
        RunFigures figures(store);
        figures.show();
        const auto keys = [&figures] {
            QList<qint64> all;
            for (const QLabel* const label : figures.findChildren<QLabel*>())
                all << label->palette().cacheKey();
            return all;
        };
        TestRun run({}, store);
        run.setPrompt(run.ids("The"));
        run.show();
        const QList<qint64> before = keys();
        for (int i = 0; i < 20; ++i) {
            store.setState(i % 2 ? State::Running : State::Waiting);
            run.append(run.ids("a")[0]);
            run.show();
        }
        QCOMPARE(keys(), before);
    }

    void detailsShowTheirValues_data()
    {
        QTest::addColumn<int>("width");
        QTest::newRow("narrow") << 300;
        QTest::newRow("usual") << 360;
        QTest::newRow("wide") << 700;
    }
    void detailsShowTheirValues()
    {
        QFETCH(const int, width);
        RunStore store;
        SelectionStore selection;
        TestRun run({}, store);
        run.fillWithStory();
        TokenDetails details(store, selection);
        details.resize(width, 700);
        details.setVisible(true);
        const int end = store.tokens() - 1;
        for (int token = 0; token <= end; ++token) {
            selection.select({token, 2, -1, -1});
            QCoreApplication::processEvents();
            for (const char* const name : {"Token", "Id", "Bytes", "Position", "Time", "Experts", "Margin"}) {
                QLabel& label = *labelOf(details, QString::fromLatin1(name));
                // Whole, or elided with the whole in the tool tip.
                QCOMPARE(label.text().contains(QChar(0x2026)), toolTipAt(label, {2, 2}) != plainTip(label.toolTip()));
                if (width >= 700 || qstrcmp(name, "Token") != 0)
                    QVERIFY2(!label.text().contains(QChar(0x2026)), qPrintable(label.text()));
                for (const QString& line : label.text().split(u'\n'))
                    QVERIFY2(label.fontMetrics().horizontalAdvance(line) <= label.contentsRect().width(),
                        qPrintable(QStringLiteral("%1: %2 in %3")
                                       .arg(QString::fromLatin1(name), line)
                                       .arg(label.contentsRect().width())));
            }
        }
    }

    void stepDoesNotThrowAwayARunThatEnded()
    {
        RunStore store;
        PromptPanel panel(store);
        TestRun run({}, store);
        panel.setModel(run.model());
        panel.setPrompt(QStringLiteral("Once"));
        panel.show();
        panel.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&panel)); // else it has no keys
        QAction& step = *panel.runActions()[2];
        QSignalSpy steps(&panel, &PromptPanel::stepRequested);
        const auto press = [&] { // the button and the key
            for (QToolButton* const button : panel.findChildren<QToolButton*>()) {
                if (button->defaultAction() == &step)
                    QTest::mouseClick(button, Qt::LeftButton);
            }
            QTest::keyClick(&panel, Qt::Key_F10);
            return steps.count();
        };
        RunStart start;
        start.model = run.model();
        start.record = std::make_shared<RunRecord>(RunRecord::Shape{64, 6, 16, 2, 0});
        start.timings = std::make_shared<TimingRing>(timingRingCapacity);
        start.spec = panel.spec();
        start.spec.engine.threads = 7; // what "all cores but one" came to
        start.spec.pace = 3;
        store.begin(start);
        store.finish(StopReason::MaxTokens);
        QVERIFY(!step.isEnabled());
        QVERIFY(step.toolTip().contains(QStringLiteral("ended")));
        QVERIFY(panel.runActions()[0]->isEnabled());
        QCOMPARE(press(), 0);
        panel.setPrompt(QStringLiteral("Twice"));
        QVERIFY(step.isEnabled());
        QVERIFY(step.toolTip().contains(QStringLiteral("new run")));
        panel.setPrompt(QStringLiteral("Once"));
        QVERIFY(!step.isEnabled());
        SamplingChoice warmer = panel.sampling().choice();
        warmer.sampling.temperature = 0.5f;
        panel.sampling().setChoice(warmer);
        QVERIFY(step.isEnabled());
        QCOMPARE(press(), 2);
        store.setState(State::Paused);
        QVERIFY(step.isEnabled());
        QVERIFY(!step.toolTip().contains(QStringLiteral("new run")));
        // A saved run stays in its file.
        start.spec = panel.spec();
        start.file = QStringLiteral("/runs/saved.colibri-run");
        start.timings = std::make_shared<TimingRing>(timingRingCapacity);
        store.restore(start, StopReason::MaxTokens, {});
        QVERIFY(step.isEnabled());
        QVERIFY(step.toolTip().contains(QStringLiteral("new run")));
    }

    void theAccentIsThereAfterTheSchemeChanged()
    {
        Theme theme;
        theme.setChoice(ThemeChoice::Light);
        AccentButton always;
        AccentButton later;
        for (AccentButton* const button : {&always, &later}) {
            button->setText(QStringLiteral("Run"));
            button->resize(120, 32);
        }
        later.setEnabled(false);
        theme.setChoice(ThemeChoice::Dark);
        QCoreApplication::processEvents();
        later.setEnabled(true);
        const Seen plain(always);
        QCOMPARE(Seen(later), plain);
        always.setAccent(true);
        later.setAccent(true);
        QVERIFY(Seen(always) != plain);
        QCOMPARE(Seen(later), Seen(always));
    }

    void aLargerLogitHasALongerBar()
    {
        const std::vector<float> logits{-7.5f, -3.25f, -3.f, -9.f, -1.5f};
        const BarScale scale = barScale(logits);
        for (const float a : logits) {
            for (const float b : logits)
                QCOMPARE(scale.share(double(a)) > scale.share(double(b)), a > b);
        }
        QCOMPARE(scale.share(-9), 0.);
        QCOMPARE(scale.share(-1.5), 1.);
    }

    void theAxisOfTheBarsIsExplained()
    {
        RunStore store;
        SelectionStore selection;
        TestRun run({}, store);
        run.fillWithStory();
        TokenDetails details(store, selection);
        details.resize(360, 700);
        details.setVisible(true);
        selection.select({20, 2, -1, -1});
        QCoreApplication::processEvents();
        auto& bars = *details.findChild<RouterBars*>();
        const BarScale scale = barScale(details.report()->logits);
        const QString tip = toolTipAt(*bars.viewport(), {20, 2});
        QVERIFY2(tip.contains(QString::number(scale.low, 'g', 3)) && tip.contains(QString::number(scale.high, 'g', 3)),
            qPrintable(tip));
        QVERIFY(bars.rowRect(0).top() > 0);
        const QLabel* const legend = labelOf(details, QStringLiteral("Legend of the router logits"));
        QVERIFY(legend && legend->isVisible());
        // Painted, a row's bar is as long as its place on the scale says.
        std::vector<float> logits = details.report()->logits;
        std::sort(logits.rbegin(), logits.rend()); // as the rows
        const Seen image(*bars.viewport());
        const auto inked = [&](int row, int x) {
            const QRect rect = bars.rowRect(row);
            return x >= 0 && x < image.width() && image.pixel(x, rect.top() + 5) != image.pixel(2, rect.center().y());
        };
        int begin = 5 * bars.fontMetrics().horizontalAdvance(u'0') + 8; // in the longest one, behind the numbers
        while (inked(0, begin - 1))
            --begin;
        int whole = 0;
        while (inked(0, begin + whole))
            ++whole;
        QVERIFY2(whole > 80, qPrintable(QString::number(whole)));
        for (const int row : {5, 10, 15}) { // those between end at the lines of the margin
            QVERIFY(bars.rowRect(row).bottom() < image.height());
            const double wanted = std::max(2., scale.share(double(logits[std::size_t(row)])) * whole);
            int length = 0;
            while (inked(row, begin + length))
                ++length;
            QVERIFY2(std::abs(length - wanted) <= 1,
                qPrintable(QStringLiteral("%1: %2, not %3").arg(row).arg(length).arg(wanted)));
        }
    }
};

QTEST_MAIN(TestLook)
#include "tst_look.moc"
