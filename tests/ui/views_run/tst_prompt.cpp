// SPDX-License-Identifier: GPL-3.0-or-later
// Prompt, sampling, pace and actions.
#include "ui/support/testrun.h"
#include "views/run/accentbutton.h"
#include "views/run/promptpanel.h"

#include <QAction>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>

using namespace colibri;
using namespace colibri::test;
using State = RunStore::State;

class TestPrompt : public QObject {
    Q_OBJECT

private slots:
    void abilitiesFollowTheState_data()
    {
        QTest::addColumn<State>("state");
        QTest::addColumn<QString>("able"); // with a model and a prompt: r(un) c(ontinue) s(tep) x(stop)
        QTest::newRow("idle") << State::Idle << "r-s-";
        QTest::newRow("starting") << State::Starting << "---x";
        QTest::newRow("running") << State::Running << "---x";
        QTest::newRow("waiting") << State::Waiting << "---x";
        QTest::newRow("stopping") << State::Stopping << "----";
        QTest::newRow("paused") << State::Paused << "rcs-";
        QTest::newRow("finished") << State::Finished << "r-s-";
        QTest::newRow("failed") << State::Failed << "r-s-";
    }
    void abilitiesFollowTheState()
    {
        QFETCH(State, state);
        QFETCH(QString, able);
        const RunAbilities can = abilitiesIn(state, true, true);
        QCOMPARE(QStringLiteral("%1%2%3%4")
                     .arg(can.run ? "r" : "-", can.proceed ? "c" : "-", can.step ? "s" : "-", can.stop ? "x" : "-"),
            able);
        QCOMPARE(abilitiesIn(state, true, false).run, false);
        QCOMPARE(abilitiesIn(state, true, false).step, state == State::Paused); // a paused run needs no prompt
        QCOMPARE(abilitiesIn(state, false, true).run, false);
    }

    void idsAreParsed()
    {
        QCOMPARE(parseTokenIds(QStringLiteral("101, 2001,102\n3002")), (std::vector<TokenId>{101, 2001, 102, 3002}));
        QVERIFY(parseTokenIds(QStringLiteral("101, x")).empty());
        QVERIFY(parseTokenIds(QStringLiteral("-1")).empty());
        QVERIFY(parseTokenIds(QStringLiteral("5000000000")).empty());
        QVERIFY(parseTokenIds(QStringLiteral(" ,\n")).empty());
    }

    void keysAskForEverything()
    {
        RunStore store;
        PromptPanel panel(store);
        panel.show();
        panel.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        QSignalSpy runs(&panel, &PromptPanel::runRequested);
        QSignalSpy steps(&panel, &PromptPanel::stepRequested);
        QSignalSpy stops(&panel, &PromptPanel::stopRequested);
        QSignalSpy continues(&panel, &PromptPanel::continueRequested);
        auto& edit = *panel.findChild<QPlainTextEdit*>();
        edit.setFocus();
        QTest::keyClicks(&edit, QStringLiteral("Once"));
        QTest::keyClick(&edit, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(runs.count(), 0); // there is no model
        panel.setModel(testModel(true));
        QTest::keyClick(&edit, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(runs.count(), 1);
        QCOMPARE(edit.toPlainText(), QStringLiteral("Once")); // Ctrl+Enter writes nothing
        const auto spec = runs[0][0].value<RunSpec>();
        QCOMPARE(spec.promptText, QStringLiteral("Once"));
        QVERIFY(spec.promptIds.empty());
        QCOMPARE(spec.pace, 20.0);
        QCOMPARE(spec.maxTokens, 128u);
        QTest::keyClick(&edit, Qt::Key_F10);
        QCOMPARE(steps.count(), 1);
        QTest::keyClick(&edit, Qt::Key_Escape);
        QCOMPARE(stops.count(), 0);
        store.setState(State::Running);
        QTest::keyClick(&edit, Qt::Key_Escape);
        QCOMPARE(stops.count(), 1);
        QTest::keyClick(&edit, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(runs.count(), 1);
        store.setState(State::Paused);
        QTest::keyClick(&edit, Qt::Key_F5);
        QCOMPARE(continues.count(), 1);
        QTest::keyClick(&edit, Qt::Key_F10);
        QCOMPARE(steps.count(), 2);
    }

    void theNextActionHasTheAccent()
    {
        RunStore store;
        PromptPanel panel(store);
        panel.setModel(testModel(true));
        panel.show();
        auto* const run = panel.findChild<AccentButton*>();
        QVERIFY(run && run->defaultAction() == panel.runActions().first());
        const auto ground = [&] { return run->grab().toImage().pixelColor(run->width() / 2, 4); };
        const QColor plain = ground();
        // The style caches by the palette's identity: one palette for each change would fill its cache.
        const qint64 palette = run->palette().cacheKey();
        panel.setPrompt(QStringLiteral("Once"));
        QVERIFY(run->accent());
        const QColor accent = run->palette().color(QPalette::Highlight);
        QVERIFY(std::abs(ground().hue() - accent.hue()) < 20 && ground().saturation() > plain.saturation());
        store.setState(State::Paused); // Continue comes next
        QVERIFY(!run->accent());
        QCOMPARE(ground().saturation(), plain.saturation());
        QCOMPARE(run->palette().cacheKey(), palette);
    }

    void buttonsDoWhatTheActionsDo()
    {
        RunStore store;
        PromptPanel panel(store);
        panel.setModel(testModel(true));
        panel.setPrompt(QStringLiteral("Once"));
        panel.show();
        QSignalSpy runs(&panel, &PromptPanel::runRequested);
        QSignalSpy stops(&panel, &PromptPanel::stopRequested);
        const auto button = [&](QAction* action) {
            for (auto* candidate : panel.findChildren<QToolButton*>())
                if (candidate->defaultAction() == action)
                    return candidate;
            return static_cast<QToolButton*>(nullptr);
        };
        QTest::mouseClick(button(panel.runActions()[0]), Qt::LeftButton);
        QCOMPARE(runs.count(), 1);
        QVERIFY(!button(panel.runActions()[3])->isEnabled());
        store.setState(State::Running);
        QVERIFY(!button(panel.runActions()[0])->isEnabled());
        QTest::mouseClick(button(panel.runActions()[3]), Qt::LeftButton);
        QCOMPARE(stops.count(), 1);
        for (const QAction* action : panel.runActions()) {
            QVERIFY(!action->shortcut().isEmpty());
            QVERIFY(action->toolTip().contains(action->shortcut().toString(QKeySequence::NativeText)));
        }
    }

    void idsInsteadOfTextWithoutTokenizer()
    {
        RunStore store;
        PromptPanel panel(store);
        panel.setModel(testModel(false));
        panel.setPrompt(QStringLiteral("101, x"));
        QVERIFY(!panel.runActions()[0]->isEnabled());
        panel.setPrompt(QStringLiteral("101 102"));
        QVERIFY(panel.runActions()[0]->isEnabled());
        QCOMPARE(panel.spec().promptIds, (std::vector<TokenId>{101, 102}));
        QVERIFY(panel.spec().promptText.isEmpty());
    }

    void paceGoesFromOneToFullSpeed()
    {
        RunStore store;
        PromptPanel panel(store);
        panel.show();
        QCOMPARE(panel.pace(), 20.0);
        QSignalSpy changes(&panel, &PromptPanel::paceChanged);
        auto& slider = *panel.findChild<QSlider*>();
        QTest::keyClick(&slider, Qt::Key_End);
        QCOMPARE(panel.pace(), 0.0);
        QCOMPARE(changes.last()[0].toDouble(), 0.0);
        QTest::keyClick(&slider, Qt::Key_Left);
        QCOMPARE(panel.pace(), 50.0);
        QTest::keyClick(&slider, Qt::Key_Home);
        QCOMPARE(panel.pace(), 1.0);
        panel.setPace(0);
        QCOMPARE(panel.spec().pace, 0.0);
    }

    void aSpecComesBackAsItWasSet()
    {
        RunStore run;
        PromptPanel panel(run);
        panel.setModel(test::testModel(true));
        RunSpec spec;
        spec.promptText = QStringLiteral("Once");
        spec.maxTokens = 9;
        spec.ignoreEndOfText = true;
        spec.sampling.temperature = 0.5f;
        spec.engine.kv = KvType::F16;
        spec.pace = 7;
        panel.setSpec(spec);
        const RunSpec got = panel.spec();
        QCOMPARE(got.promptText, spec.promptText);
        QCOMPARE(got.maxTokens, 9u);
        QVERIFY(got.ignoreEndOfText);
        QCOMPARE(got.sampling.temperature, 0.5f);
        QVERIFY(got.engine.kv == KvType::F16);
        QCOMPARE(got.pace, 7.0);
    }

    void samplingIsTakenAndReset()
    {
        SamplingForm form;
        form.show();
        QVERIFY(form.isFolded());
        QCOMPARE(SamplingForm::summary(form.choice()), QStringLiteral("greedy, at most 128"));
        const SamplingChoice wanted{{0.8f, 40, 0.95f, 0.05f, 1.1f, 1234567890123456789ull}, 77, true};
        form.setChoice(wanted);
        const SamplingChoice got = form.choice();
        QCOMPARE(got.sampling.temperature, wanted.sampling.temperature);
        QCOMPARE(got.sampling.topK, wanted.sampling.topK);
        QCOMPARE(got.sampling.topP, wanted.sampling.topP);
        QCOMPARE(got.sampling.minP, wanted.sampling.minP);
        QCOMPARE(got.sampling.repeatPenalty, wanted.sampling.repeatPenalty);
        QCOMPARE(got.sampling.seed, wanted.sampling.seed);
        QCOMPARE(got.maxTokens, 77u);
        QVERIFY(got.ignoreEndOfText);
        QCOMPARE(SamplingForm::summary(got),
            QStringLiteral("temperature 0.80, top-k 40, top-p 0.95, min-p 0.05, seed 1234567890123456789, repeat "
                           "penalty 1.10, at most 77, past the end of text"));
        form.resetToDefaults();
        QCOMPARE(form.choice().sampling.temperature, 0.f);
        QCOMPARE(form.choice().sampling.topP, 1.f);
        QCOMPARE(form.choice().maxTokens, 128u);
        QVERIFY(!form.choice().ignoreEndOfText);
        form.setFolded(false);
        QVERIFY(!form.isFolded());
    }
};

QTEST_MAIN(TestPrompt)
#include "tst_prompt.moc"
