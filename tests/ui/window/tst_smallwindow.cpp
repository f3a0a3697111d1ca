// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings.h"
#include "ui/support/ownsettings.h"
#include "ui/support/shownstudio.h"
#include "views/model/fittedtable.h"
#include "views/model/modelpage.h"
#include "views/model/partdetails.h"
#include "views/run/tokendetails.h"

#include <QDockWidget>
#include <QLabel>
#include <QLayout>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSet>
#include <QSettings>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolButton>

using namespace colibri;
using namespace colibri::test;

namespace {

constexpr QSize small(1000, 650);

/// A small window with the tiny model open.
struct Opened : ShownStudio {
    explicit Opened(bool open = true)
        : ShownStudio(small)
    {
        if (!open)
            return;
        window().openModel(tinyFolder());
        (void)QTest::qWaitFor([&] { return page().isVisible(); }, answerMs);
    }
    QDockWidget* dock(const char* id) { return window().findChild<QDockWidget*>(QStringLiteral("dock_") + id); }
    QWidget* named(const char* name) { return part<QWidget>(name); }
    bool run(const QString& text)
    {
        prompt().setPrompt(text);
        prompt().setPace(0);
        SamplingChoice choice{{0.85f, 40, 0.95f, 0.05f, 1.1f, 1234567890123456789ull}, 12, true};
        prompt().sampling().setChoice(choice);
        page().runActions()[0]->trigger();
        return waitFor(RunStore::State::Finished);
    }
    /// Whether the window is as small as it was made, and could be smaller.
    bool staysSmall()
    {
        QTest::qWait(20); // layouts are done from the event loop
        const QSize least = window().layout()->minimumSize();
        if (window().size() != small || least.width() > small.width() || least.height() > small.height())
            qWarning() << window().size() << "at least" << least;
        return window().size() == small && least.width() <= small.width() && least.height() <= small.height();
    }
    bool seen(const char* id) { return dock(id)->isVisible() && !dock(id)->visibleRegion().isEmpty(); }
};

} // namespace

/// No content sets the size of the window, and nothing moves that did not change.
class TestSmallWindow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void nothingMakesItLarger_data();
    void nothingMakesItLarger();
    void anOpenFoldMovesNothing();
    void theFoldThatOpensIsSeen();
    void placesAreFitted_data();
    void placesAreFitted();
    void aPlaceBeyondTheScreenIsNotRestored();
    void panelsAreBroughtToTheFront();
    void withoutAModel();
    void theStatusLineStandsStill();
    void detailsAskForWhatThePageShows();
    void tableOfRulesFits();

private:
    OwnSettings m_settings;
};

void TestSmallWindow::initTestCase()
{
    QVERIFY(m_settings.begin());
}

void TestSmallWindow::init()
{
    QSettings().clear();
}

void TestSmallWindow::nothingMakesItLarger_data()
{
    QTest::addColumn<QStringList>("toggles");
    QTest::newRow("no other panel") << QStringList{};
    QTest::newRow("parts") << QStringList{"toggle_model"};
    QTest::newRow("tasks") << QStringList{"toggle_tasks"};
    QTest::newRow("all") << QStringList{"toggle_model", "toggle_tasks", "toggle_log"};
}

void TestSmallWindow::nothingMakesItLarger()
{
    QFETCH(const QStringList, toggles);
    Opened opened;
    QVERIFY(opened.staysSmall());
    QVERIFY(opened.run(QStringLiteral("the quick brown fox")));
    QVERIFY(opened.staysSmall());
    QTest::keyClick(&opened.window(), Qt::Key_K, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(opened.named("firstToken")->isVisible());
    QVERIFY(opened.staysSmall());
    QVERIFY(opened.run(QStringLiteral("a wholly other prompt, which is rather long, so that it differs at once")));
    QVERIFY(opened.named("firstToken")->isEnabled());
    QVERIFY(opened.staysSmall());
    for (const QString& toggle : toggles) {
        opened.window().findChild<QAction*>(toggle)->trigger();
        QVERIFY2(opened.staysSmall(), qPrintable(toggle));
    }
    opened.prompt().sampling().setFolded(false);
    QVERIFY(opened.staysSmall());
    opened.prompt().engine().setFolded(false);
    QVERIFY(opened.staysSmall());
    const auto* const pages = opened.window().findChild<QTabWidget*>(QStringLiteral("pages"));
    for (int i = 0; i < pages->count(); ++i) {
        opened.window().showPage(pages->widget(i)->objectName().mid(5));
        QVERIFY2(opened.staysSmall(), qPrintable(pages->widget(i)->objectName()));
        const QSize needs = pages->widget(i)->minimumSizeHint();
        const QSize has = pages->widget(i)->size();
        const QString sizes = QStringLiteral("%1 x %2 in %3 x %4");
        QVERIFY2(needs.width() <= has.width() && needs.height() <= has.height(), // nothing lies over anything
            qPrintable(sizes.arg(needs.width()).arg(needs.height()).arg(has.width()).arg(has.height())));
    }
    opened.window().openModel(QStringLiteral("/nothing/") + QString(300, u'x'));
    QTRY_VERIFY_WITH_TIMEOUT(!opened.page().isVisible(), answerMs);
    QVERIFY(opened.staysSmall());
}

void TestSmallWindow::anOpenFoldMovesNothing()
{
    Opened opened;
    PromptPanel& panel = opened.prompt();
    QVERIFY(opened.staysSmall());
    const int width = panel.width();
    panel.sampling().setFolded(false);
    panel.engine().setFolded(false);
    QVERIFY(opened.staysSmall());
    QCOMPARE(panel.width(), width);
    // What the panel is needed for is there beside them, and the forms are whole in the width.
    const QList<QAction*> actions = opened.page().runActions();
    QSet<QAction*> seen;
    for (QToolButton* const button : panel.findChildren<QToolButton*>()) {
        if (!actions.contains(button->defaultAction()))
            continue;
        QVERIFY(!button->visibleRegion().isEmpty() && panel.rect().contains(button->geometry()));
        seen.insert(button->defaultAction());
    }
    QCOMPARE(seen.size(), actions.size());
    const auto* const area = panel.findChild<QScrollArea*>(QStringLiteral("forms"));
    QVERIFY(area);
    QVERIFY(area->verticalScrollBar()->isVisible());
    QVERIFY(area->widget()->width() <= area->viewport()->width());
    QVERIFY(area->widget()->minimumSizeHint().width() <= area->viewport()->width());
}

void TestSmallWindow::theFoldThatOpensIsSeen()
{
    Opened opened;
    opened.action("toggle_tasks")->trigger();
    PromptPanel& panel = opened.prompt();
    panel.sampling().setFolded(false);
    QVERIFY(opened.staysSmall());
    panel.engine().setFolded(false);
    QVERIFY(opened.staysSmall());
    const auto* const area = panel.findChild<QScrollArea*>(QStringLiteral("forms"));
    const int top = panel.engine().mapTo(area->viewport(), QPoint(0, 0)).y();
    QVERIFY2(top >= 0 && top < area->viewport()->height() / 2, qPrintable(QString::number(top)));
}

void TestSmallWindow::placesAreFitted_data()
{
    QTest::addColumn<QRect>("window");
    QTest::addColumn<QRect>("expected");
    QTest::newRow("as it is") << QRect(10, 50, 1000, 650) << QRect(10, 50, 1000, 650);
    QTest::newRow("too wide") << QRect(50, 50, 1693, 650) << QRect(0, 50, 1600, 650);
    QTest::newRow("too high") << QRect(50, 50, 1000, 1300) << QRect(50, 30, 1000, 970);
    QTest::newRow("beyond the right") << QRect(1500, 50, 1000, 650) << QRect(600, 50, 1000, 650);
    QTest::newRow("above") << QRect(-40, -900, 1000, 650) << QRect(0, 30, 1000, 650);
}

void TestSmallWindow::placesAreFitted()
{
    QFETCH(const QRect, window);
    QFETCH(const QRect, expected);
    QCOMPARE(fittedTo(window, QRect(0, 30, 1600, 970)), expected);
}

void TestSmallWindow::aPlaceBeyondTheScreenIsNotRestored()
{
    {
        Opened opened;
        const QSize screen = opened.window().screen()->availableSize();
        opened.window().resize(screen.width() + 300, screen.height() + 200);
        opened.window().move(100, 100);
        QVERIFY(opened.window().close());
    }
    Studio studio;
    const QRect available = studio.window().screen()->availableGeometry();
    QVERIFY(available.contains(studio.window().geometry()));
    studio.window().show();
    studio.window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&studio.window()));
    QTRY_VERIFY(available.contains(studio.window().frameGeometry()));
    studio.window().openModel(tinyFolder());
    QVERIFY(QTest::qWaitFor([&] { return studio.window().findChild<RunPage*>()->isVisible(); }, answerMs));
    QTest::qWait(50);
    QVERIFY(available.contains(studio.window().frameGeometry()));
}

void TestSmallWindow::panelsAreBroughtToTheFront()
{
    Opened opened;
    QTest::keyClick(&opened.window(), Qt::Key_4, Qt::AltModifier);
    QTRY_VERIFY(opened.seen("log") && opened.action("toggle_log")->isChecked());
    QTest::keyClick(&opened.window(), Qt::Key_3, Qt::AltModifier);
    QTRY_VERIFY(opened.seen("tasks") && !opened.seen("log"));
    QVERIFY(opened.action("toggle_tasks")->isChecked() && !opened.action("toggle_log")->isChecked());
    QTest::keyClick(&opened.window(), Qt::Key_4, Qt::AltModifier); // covered: to the front
    QTRY_VERIFY(opened.seen("log") && !opened.seen("tasks"));
    QTest::keyClick(&opened.window(), Qt::Key_4, Qt::AltModifier); // in front: away
    QTRY_VERIFY(!opened.dock("log")->isVisible());
    QTRY_VERIFY(opened.seen("tasks") && opened.action("toggle_tasks")->isChecked());
}

void TestSmallWindow::withoutAModel()
{
    Opened opened(false);
    for (const char* const name : {"go_run", "go_routing", "go_latency", "go_model", "layoutText", "layoutDetails",
             "layoutModel", "resetLayout", "toggle_model", "toggle_details"})
        QVERIFY2(!opened.action(name)->isEnabled(), name);
    // Tasks and log tell of openings, too: by key and by button alike.
    for (const char* const name : {"toggle_tasks", "toggle_log"})
        QVERIFY2(opened.action(name)->isEnabled(), name);
    QTest::mouseClick(opened.named("statusTasks"), Qt::LeftButton);
    QTRY_VERIFY(opened.seen("tasks"));
    QTest::keyClick(&opened.window(), Qt::Key_4, Qt::AltModifier);
    QTRY_VERIFY(opened.seen("log"));
    QVERIFY(opened.staysSmall());
    opened.window().openModel(tinyFolder());
    QTRY_VERIFY_WITH_TIMEOUT(opened.page().isVisible(), answerMs);
    QTRY_VERIFY(opened.seen("log")); // what was opened stays
    QVERIFY(opened.dock("details")->isVisible());
    QVERIFY(opened.action("go_model")->isEnabled() && opened.action("layoutText")->isEnabled());
}

void TestSmallWindow::theStatusLineStandsStill()
{
    Opened opened;
    QTest::qWait(20);
    const auto right = [&](const char* name) { return opened.named(name)->geometry().right(); };
    const int memory = right("statusMemory");
    const QRect tasks = opened.named("statusTasks")->geometry();
    const QRect log = opened.named("statusLog")->geometry();
    PromptPanel& panel = opened.prompt();
    panel.setPrompt(QStringLiteral("the quick brown fox"));
    panel.setPace(20);
    opened.page().runActions()[0]->trigger();
    auto* const button = opened.window().findChild<QToolButton*>("statusTasks");
    QTRY_VERIFY_WITH_TIMEOUT(button->text().contains(u'1'), answerMs);
    QTRY_VERIFY_WITH_TIMEOUT(opened.studio.run().arenaBytes() > 0, answerMs);
    QTest::qWait(20);
    QCOMPARE(right("statusMemory"), memory); // it grows to the left
    QCOMPARE(opened.named("statusTasks")->geometry(), tasks);
    QCOMPARE(opened.named("statusLog")->geometry(), log);
    opened.page().runActions()[3]->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(opened.studio.run().state() == RunStore::State::Paused, answerMs);
    QCOMPARE(opened.named("statusTasks")->geometry(), tasks);
}

/// While nothing is selected they say what can be, on the page that is seen.
void TestSmallWindow::detailsAskForWhatThePageShows()
{
    Opened opened;
    const auto ask = [&](const char* what) {
        for (const QLabel* const label : opened.dock("details")->findChildren<QLabel*>()) {
            if (label->isVisible() && label->text().contains(QLatin1String(what)))
                return true;
        }
        return false;
    };
    const char* const forToken = "Once a run has made tokens, the one you choose is explained here";
    const char* const forPart = "Choose a layer, an expert or a tensor";
    QVERIFY(opened.window().findChild<TokenDetails*>()->isVisible());
    QVERIFY(ask(forToken) && !ask(forPart));
    opened.window().showPage(QStringLiteral("model"));
    QVERIFY(opened.window().findChild<PartDetails*>()->isVisible());
    QVERIFY(!ask(forToken) && ask(forPart));
    opened.window().showPage(QStringLiteral("run"));
    QVERIFY(opened.window().findChild<TokenDetails*>()->isVisible());
    QVERIFY(ask(forToken) && !ask(forPart));
}

void TestSmallWindow::tableOfRulesFits()
{
    Opened opened;
    opened.window().showPage(QStringLiteral("model"));
    auto* const tabs = opened.window().findChild<ModelPage*>()->findChild<QTabWidget*>();
    for (int tab = 0; tab < tabs->count(); ++tab) {
        if (QString(tabs->tabText(tab)).remove(u'&') != QLatin1String("Rules"))
            continue;
        tabs->setCurrentIndex(tab);
        QTest::qWait(20);
        const auto* const table = tabs->widget(tab)->findChild<FittedTable*>();
        QVERIFY(table->isVisible() && !table->horizontalScrollBar()->isVisible());
        const QModelIndex cell = table->model()->index(0, table->model()->columnCount() - 1);
        QVERIFY(table->visualRect(cell).right() <= table->viewport()->width());
        QCOMPARE(cell.data(Qt::ToolTipRole).toString(), cell.data().toString()); // of what is elided
        return;
    }
    QFAIL("there is no table of rules");
}

QTEST_MAIN(TestSmallWindow)
#include "tst_smallwindow.moc"
