// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings.h"
#include "studio.h"
#include "ui/support/ownsettings.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"

#include <QAbstractButton>
#include <QPlainTextEdit>
#include <QTest>

using namespace colibri;
using State = RunStore::State;

namespace {

constexpr int answerMs = 60000;

} // namespace

/// What is left of a run that was stopped or has ended, in the whole window with an engine.
class TestRunEnds : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void aPausedRunIsNoTaskUnderWay();
    void stepKeepsARunThatEnded();

private:
    static void begin(Studio& studio, double pace);
    test::OwnSettings m_settings;
};

void TestRunEnds::initTestCase()
{
    QVERIFY(m_settings.begin());
}

void TestRunEnds::begin(Studio& studio, double pace)
{
    MainWindow& window = studio.window();
    window.resize(1200, 800);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    window.openModel(QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32"));
    auto* const page = window.findChild<RunPage*>();
    QVERIFY(QTest::qWaitFor([&] { return page->isVisible(); }, answerMs));
    PromptPanel& panel = page->promptPanel();
    panel.setPrompt(QStringLiteral("the quick brown fox"));
    panel.setPace(pace);
    SamplingChoice choice = panel.sampling().choice();
    choice.maxTokens = 12;
    choice.ignoreEndOfText = true;
    panel.sampling().setChoice(choice);
    QTest::keyClick(panel.findChild<QPlainTextEdit*>(), Qt::Key_Return, Qt::ControlModifier);
}

void TestRunEnds::aPausedRunIsNoTaskUnderWay()
{
    Studio studio;
    begin(studio, 2);
    const auto* const tasks = studio.window().findChild<QAbstractButton*>(QStringLiteral("statusTasks"));
    QVERIFY(QTest::qWaitFor([&] { return tasks->text().contains(u'1'); }, answerMs));
    QTest::keyClick(&studio.window(), Qt::Key_Escape);
    QVERIFY(QTest::qWaitFor([&] { return studio.run().state() == State::Paused; }, answerMs));
    QVERIFY2(!tasks->text().contains(u'1'), qPrintable(tasks->text()));
    QTest::keyClick(&studio.window(), Qt::Key_F5);
    QVERIFY(QTest::qWaitFor([&] { return tasks->text().contains(u'1'); }, answerMs));
    QTest::keyClick(&studio.window(), Qt::Key_Escape);
    QVERIFY(QTest::qWaitFor([&] { return studio.run().state() == State::Paused; }, answerMs));
}

void TestRunEnds::stepKeepsARunThatEnded()
{
    Studio studio;
    begin(studio, 0);
    QVERIFY(QTest::qWaitFor([&] { return studio.run().state() == State::Finished; }, answerMs));
    const int tokens = studio.run().tokens();
    const QString text = studio.run().text();
    QTest::keyClick(&studio.window(), Qt::Key_F10);
    QTest::qWait(200);
    QCOMPARE(studio.run().state(), State::Finished);
    QCOMPARE(studio.run().tokens(), tokens);
    QCOMPARE(studio.run().text(), text);
    studio.window().findChild<RunPage*>()->promptPanel().setPrompt(QStringLiteral("the lazy dog"));
    QTest::keyClick(&studio.window(), Qt::Key_F10);
    QVERIFY(QTest::qWaitFor([&] { return studio.run().state() == State::Paused; }, answerMs));
    QCOMPARE(studio.run().tokens(), studio.run().promptTokens() + 1);
}

QTEST_MAIN(TestRunEnds)
#include "tst_runends.moc"
