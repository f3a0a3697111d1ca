// SPDX-License-Identifier: GPL-3.0-or-later
#include "commandpalette.h"
#include "settings.h"
#include "studio.h"
#include "ui/support/ownsettings.h"
#include "views/run/expertgridview.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"
#include "views/run/tokendetails.h"
#include "views/run/tokentextview.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

using namespace colibri;

namespace {

constexpr int answerMs = 60000;

/// A shown studio with the tiny model open.
struct Opened {
    Studio studio;

    Opened()
    {
        MainWindow& window = studio.window();
        window.resize(1200, 800);
        window.show();
        window.activateWindow();
        (void)QTest::qWaitForWindowActive(&window);
        window.openModel(QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32"));
        (void)QTest::qWaitFor([&] { return page()->isVisible(); }, answerMs);
    }
    MainWindow& window() { return studio.window(); }
    RunPage* page() { return window().findChild<RunPage*>(); }
    QDockWidget* dock(const char* id) { return window().findChild<QDockWidget*>(QStringLiteral("dock_") + id); }
    QAction* action(const char* name) { return window().findChild<QAction*>(QLatin1String(name)); }
    bool run(const QString& prompt)
    {
        page()->promptPanel().setPrompt(prompt);
        page()->promptPanel().setPace(0);
        SamplingChoice choice = page()->promptPanel().sampling().choice();
        choice.maxTokens = 12;
        page()->promptPanel().sampling().setChoice(choice);
        page()->runActions()[0]->trigger();
        return QTest::qWaitFor([&] { return studio.run().state() == RunStore::State::Finished; }, answerMs);
    }
};

} // namespace

/// Panels, layouts, the palette, back and forward, the kept run: what surrounds the pages.
class TestFrame : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void panelsComeWithAModel();
    void panelsAreRemembered();
    void layoutsAndReset();
    void scores();
    void paletteRunsACommand();
    void paletteListsTheMenus();
    void backAndForward();
    void anotherWindowIsAskedFor();
    void aKeptRunIsCompared();
    void promptsAreRemembered();
    void statusButtonsOpenThePanels();

private:
    test::OwnSettings m_settings;
};

void TestFrame::initTestCase()
{
    QVERIFY(m_settings.begin());
}

void TestFrame::init()
{
    QSettings().clear();
}

void TestFrame::panelsComeWithAModel()
{
    Studio studio;
    studio.window().show();
    for (const QDockWidget* const dock : studio.window().findChildren<QDockWidget*>()) {
        QVERIFY2(!dock->isVisible(), qPrintable(dock->objectName()));
        const bool ofModel = dock->objectName() == "dock_details" || dock->objectName() == "dock_model";
        QCOMPARE(dock->toggleViewAction()->isEnabled(), !ofModel);
    }
    Opened opened;
    QVERIFY(opened.dock("details")->isVisible());
    QVERIFY(!opened.dock("tasks")->isVisible() && !opened.dock("log")->isVisible());
    opened.action("toggle_log")->trigger();
    QVERIFY(opened.dock("log")->isVisible());
    opened.action("closeModel")->trigger();
    QVERIFY(!opened.dock("details")->isVisible());
    QVERIFY(opened.dock("log")->isVisible()); // it is of no model
}

void TestFrame::panelsAreRemembered()
{
    {
        Opened opened;
        opened.action("toggle_details")->trigger();
        opened.action("toggle_tasks")->trigger();
        opened.dock("tasks")->setFloating(true);
        opened.action("closeModel")->trigger(); // the arrangement outlives the model
        QVERIFY(opened.window().close());
    }
    Opened opened;
    QVERIFY(!opened.dock("details")->isVisible());
    QVERIFY(opened.dock("tasks")->isVisible() && opened.dock("tasks")->isFloating());
    opened.action("resetLayout")->trigger();
    QVERIFY(opened.dock("details")->isVisible());
    QVERIFY(!opened.dock("tasks")->isVisible() && !opened.dock("tasks")->isFloating());
}

void TestFrame::layoutsAndReset()
{
    Opened opened;
    opened.action("layoutText")->trigger();
    QVERIFY(!opened.dock("details")->isVisible());
    QCOMPARE(opened.window().currentPage(), static_cast<QWidget*>(opened.page()));
    opened.action("layoutDetails")->trigger();
    QVERIFY(opened.dock("details")->isVisible());
}

void TestFrame::scores()
{
    QCOMPARE(matchScore("", "anything"), 1);
    QCOMPARE(matchScore("xyz", "Open the demo"), 0);
    QVERIFY(matchScore("demo", "Open the demo") > matchScore("emo", "Open the demo"));
    QVERIFY(matchScore("emo", "Open the demo") > matchScore("otd", "Open the demo"));
    QVERIFY(matchScore("otd", "Open the demo") > 0);
    QVERIFY(matchScore("DEMO open", "Open the demo") > 0); // words in any order, in either case
    QCOMPARE(matchScore("open close", "Open the demo"), 0);
}

void TestFrame::paletteRunsACommand()
{
    Opened opened;
    QTest::keyClick(&opened.window(), Qt::Key_K, Qt::ControlModifier);
    auto* const palette = opened.window().findChild<CommandPalette*>();
    QVERIFY(palette && palette->isVisible());
    auto* const query = palette->findChild<QLineEdit*>();
    auto* const list = palette->findChild<QTreeWidget*>();
    const int all = list->topLevelItemCount();
    QTest::keyClicks(query, "dark");
    QVERIFY(list->topLevelItemCount() < all);
    QCOMPARE(list->currentItem()->text(0), QStringLiteral("Dark colours"));
    QTest::keyClick(query, Qt::Key_Return);
    QTRY_COMPARE(schemeOf(QGuiApplication::palette()), ColorScheme::Dark);
    opened.action("themeLight")->trigger();
    QTRY_VERIFY(opened.window().findChildren<CommandPalette*>().isEmpty());
    opened.action("commands")->trigger();
    auto* const again = opened.window().findChild<CommandPalette*>();
    QVERIFY(again);
    QTest::keyClicks(again->findChild<QLineEdit*>(), "colours");
    const QString first = again->findChild<QTreeWidget*>()->currentItem()->text(0);
    QTest::keyClick(again->findChild<QLineEdit*>(), Qt::Key_Down);
    QVERIFY(again->findChild<QTreeWidget*>()->currentItem()->text(0) != first);
    QTest::keyClick(again, Qt::Key_Escape);
    QTRY_VERIFY(opened.window().findChildren<CommandPalette*>().isEmpty());
}

void TestFrame::paletteListsTheMenus()
{
    Opened opened;
    QStringList names;
    for (const Command& command : commandsOf(*opened.window().menuBar())) {
        QVERIFY(command.action->isEnabled());
        QVERIFY(!command.menu.isEmpty());
        names << command.action->objectName();
    }
    for (const char* const name : {"openDemo", "go_run", "toggle_details", "layoutText", "keepRun", "resetLayout"})
        QCOMPARE(
            names.contains(QLatin1String(name)), QLatin1String(name) != QLatin1String("keepRun")); // nothing to keep
    QVERIFY(names.contains("recent1"));
}

void TestFrame::backAndForward()
{
    Opened opened;
    QVERIFY(opened.run("the quick brown fox"));
    QVERIFY(!opened.action("goBack")->isEnabled());
    ExpertGridView& grid = opened.page()->gridView();
    auto* const details = opened.window().findChild<TokenDetails*>();
    QWidget* const view = &grid;
    view->setFocus();
    QTest::keyClick(view, Qt::Key_Home);
    QTest::keyClick(view, Qt::Key_Home); // the first key only chooses where to walk from
    QVERIFY(details->report());
    const int first = details->report()->position;
    QTest::qWait(SelectionStore::visitMs + 50);
    QTest::keyClick(view, Qt::Key_End);
    const int last = details->report()->position;
    QVERIFY(last > first);
    QTest::keyClick(&opened.window(), Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(details->report()->position, first);
    QTest::keyClick(&opened.window(), Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(details->report()->position, last);
    opened.action("closeModel")->trigger();
    QVERIFY(!opened.action("goBack")->isEnabled());
}

void TestFrame::anotherWindowIsAskedFor()
{
    Opened opened;
    QSignalSpy asked(&opened.window(), &MainWindow::newWindowRequested);
    QTest::keyClick(&opened.window(), Qt::Key_N, Qt::ControlModifier);
    QCOMPARE(asked.size(), 1);
    QVERIFY(asked[0][0].toString().isEmpty());
}

void TestFrame::aKeptRunIsCompared()
{
    Opened opened;
    auto* const token = opened.window().findChild<QToolButton*>("firstToken");
    QVERIFY(!opened.action("keepRun")->isEnabled() && !opened.action("dropKept")->isEnabled());
    QVERIFY(opened.run("the quick brown fox"));
    QVERIFY(!token->isVisible());
    QTest::keyClick(&opened.window(), Qt::Key_K, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(token->isVisible() && !token->isEnabled()); // the same run: nothing differs
    QVERIFY(opened.page()->keptView().isVisible());

    // Other numerics give the same bits, so the same text; another prompt does not.
    EngineOptions scalar;
    scalar.numerics = Numerics::Scalar;
    opened.page()->promptPanel().engine().setOptions(scalar);
    QVERIFY(opened.run("the quick brown fox"));
    QCOMPARE(opened.studio.run().info().numerics, Numerics::Scalar);
    QVERIFY(!token->isEnabled());
    QVERIFY(opened.run("the quick brown dog"));
    QVERIFY(token->isEnabled());
    int parted = 0;
    {
        Opened other; // an independent look: the ids of both prompts
        QVERIFY(other.run("the quick brown fox"));
        while (other.studio.run().piece(parted).id == opened.studio.run().piece(parted).id)
            ++parted;
    }
    QTest::mouseClick(token, Qt::LeftButton);
    QCOMPARE(opened.window().findChild<TokenDetails*>()->report()->position, parted);
    opened.action("dropKept")->trigger();
    QVERIFY(!token->isVisible());
}

void TestFrame::promptsAreRemembered()
{
    {
        Opened opened;
        QVERIFY(opened.run("one"));
        QVERIFY(opened.run("two"));
    }
    Opened opened;
    PromptPanel& panel = opened.page()->promptPanel();
    QCOMPARE(panel.history(), QStringList({"two", "one"}));
    auto* const edit = panel.findChild<QPlainTextEdit*>();
    edit->setFocus();
    QTest::keyClicks(edit, "thr");
    QTest::keyClick(edit, Qt::Key_Up, Qt::ControlModifier);
    QCOMPARE(edit->toPlainText(), QStringLiteral("two"));
    QTest::keyClick(edit, Qt::Key_Up, Qt::ControlModifier);
    QTest::keyClick(edit, Qt::Key_Up, Qt::ControlModifier); // there is nothing older
    QCOMPARE(edit->toPlainText(), QStringLiteral("one"));
    QTest::keyClick(edit, Qt::Key_Down, Qt::ControlModifier);
    QTest::keyClick(edit, Qt::Key_Down, Qt::ControlModifier);
    QCOMPARE(edit->toPlainText(), QStringLiteral("thr")); // what was being written is not lost
}

void TestFrame::statusButtonsOpenThePanels()
{
    Opened opened;
    auto* const log = opened.window().findChild<QToolButton*>("statusLog");
    auto* const tasks = opened.window().findChild<QToolButton*>("statusTasks");
    QTest::mouseClick(tasks, Qt::LeftButton);
    QVERIFY(opened.dock("tasks")->isVisible());
    opened.window().openModel("/nothing/there");
    QTRY_VERIFY_WITH_TIMEOUT(log->text().contains("errors: 1"), answerMs);
    QTest::mouseClick(log, Qt::LeftButton);
    QVERIFY(opened.dock("log")->isVisible());
    QCOMPARE(log->text(), QStringLiteral("Log"));
}

QTEST_MAIN(TestFrame)
#include "tst_frame.moc"
