// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/support/ownsettings.h"
#include "ui/support/shownstudio.h"

#include <QAbstractButton>
#include <QPlainTextEdit>

using namespace colibri;
using namespace colibri::test;
using State = RunStore::State;

/// What is left of a run that was stopped or has ended, in the whole window with an engine.
class TestRunEnds : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void aPausedRunIsNoTaskUnderWay();
    void stepKeepsARunThatEnded();

private:
    static bool begin(ShownStudio& shown, double pace); ///< a run, by its key
    OwnSettings m_settings;
};

void TestRunEnds::initTestCase()
{
    QVERIFY(m_settings.begin());
}

bool TestRunEnds::begin(ShownStudio& shown, double pace)
{
    shown.window().openModel(tinyFolder());
    if (!shown.window().isActiveWindow() || !QTest::qWaitFor([&] { return shown.page().isVisible(); }, answerMs))
        return false;
    PromptPanel& panel = shown.prompt();
    panel.setPrompt(QStringLiteral("the quick brown fox"));
    panel.setPace(pace);
    SamplingChoice choice = panel.sampling().choice();
    choice.maxTokens = 12;
    choice.ignoreEndOfText = true;
    panel.sampling().setChoice(choice);
    QTest::keyClick(panel.findChild<QPlainTextEdit*>(), Qt::Key_Return, Qt::ControlModifier);
    return true;
}

void TestRunEnds::aPausedRunIsNoTaskUnderWay()
{
    ShownStudio shown({1200, 800});
    QVERIFY(begin(shown, 2));
    const auto* const tasks = shown.part<QAbstractButton>("statusTasks");
    QVERIFY(QTest::qWaitFor([&] { return tasks->text().contains(u'1'); }, answerMs));
    QTest::keyClick(&shown.window(), Qt::Key_Escape);
    QVERIFY(shown.waitFor(State::Paused));
    QVERIFY2(!tasks->text().contains(u'1'), qPrintable(tasks->text()));
    QTest::keyClick(&shown.window(), Qt::Key_F5);
    QVERIFY(QTest::qWaitFor([&] { return tasks->text().contains(u'1'); }, answerMs));
    QTest::keyClick(&shown.window(), Qt::Key_Escape);
    QVERIFY(shown.waitFor(State::Paused));
}

void TestRunEnds::stepKeepsARunThatEnded()
{
    ShownStudio shown({1200, 800});
    QVERIFY(begin(shown, 0));
    QVERIFY(shown.waitFor(State::Finished));
    const int tokens = shown.studio.run().tokens();
    const QString text = shown.studio.run().text();
    QTest::keyClick(&shown.window(), Qt::Key_F10);
    QTest::qWait(200);
    QCOMPARE(shown.studio.run().state(), State::Finished);
    QCOMPARE(shown.studio.run().tokens(), tokens);
    QCOMPARE(shown.studio.run().text(), text);
    shown.prompt().setPrompt(QStringLiteral("the lazy dog"));
    QTest::keyClick(&shown.window(), Qt::Key_F10);
    QVERIFY(shown.waitFor(State::Paused));
    QCOMPARE(shown.studio.run().tokens(), shown.studio.run().promptTokens() + 1);
}

QTEST_MAIN(TestRunEnds)
#include "tst_runends.moc"
