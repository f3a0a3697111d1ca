// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings.h"
#include "studio.h"
#include "ui/support/ownsettings.h"
#include "views/run/runpage.h"

#include <QAbstractButton>
#include <QAction>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace colibri;

namespace {

constexpr int answerMs = 60000;

struct Shown {
    Shown()
    {
        studio.window().resize(1200, 800);
        studio.window().show();
    }
    bool open()
    {
        studio.window().openModel(QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32"));
        auto* const page = studio.window().findChild<RunPage*>();
        return QTest::qWaitFor([&] { return page->isVisible(); }, answerMs);
    }
    bool fail()
    {
        studio.window().openModel(QStringLiteral("/nothing/there"));
        auto* const back = studio.window().findChild<QAbstractButton*>(QStringLiteral("backFromError"));
        return QTest::qWaitFor([&] { return back->isVisible(); }, answerMs);
    }
    void toggle(const char* id)
    {
        studio.window().findChild<QAction*>(QStringLiteral("toggle_") + QLatin1String(id))->trigger();
    }
    bool sees(const char* id)
    {
        return studio.window().findChild<QDockWidget*>(QStringLiteral("dock_") + QLatin1String(id))->isVisible();
    }
    Studio studio;
};

} // namespace

/// Panels that are of no model, while models come and go.
class TestPanels : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(m_settings.begin()); }
    void init() { QSettings().clear(); }
    void theLogStaysWhileAnotherModelOpens();
    void theFirstPageKeepsThem();
    void bothMenusOfferThem();

private:
    test::OwnSettings m_settings;
};

void TestPanels::theLogStaysWhileAnotherModelOpens()
{
    Shown shown;
    QVERIFY(shown.open());
    shown.toggle("log");
    QVERIFY(shown.sees("log") && shown.sees("details"));
    QVERIFY(shown.fail());
    QVERIFY(shown.sees("log") && !shown.sees("details"));
    shown.toggle("log"); // put away on the page of the error
    QVERIFY(!shown.sees("log"));
    QTest::mouseClick(
        shown.studio.window().findChild<QAbstractButton*>(QStringLiteral("backFromError")), Qt::LeftButton);
    QVERIFY(!shown.sees("log") && shown.sees("details"));
}

void TestPanels::theFirstPageKeepsThem()
{
    {
        Shown shown;
        shown.toggle("log");
        QVERIFY(shown.sees("log") && !shown.sees("details"));
        QVERIFY(shown.open());
        QVERIFY(shown.sees("log") && shown.sees("details"));
        QVERIFY(shown.studio.window().close());
    }
    Shown again;
    QVERIFY(again.sees("log") && !again.sees("details"));
    QVERIFY(again.open());
    QVERIFY(again.sees("log") && again.sees("details"));
}

void TestPanels::bothMenusOfferThem()
{
    Shown shown;
    MainWindow& window = shown.studio.window();
    const std::unique_ptr<QMenu> context(window.createPopupMenu());
    const auto menus = window.menuBar()->findChildren<QMenu*>();
    const auto own =
        std::ranges::find_if(menus, [](const QMenu* menu) { return menu->title() == QStringLiteral("&Window"); });
    QVERIFY(context && own != menus.end());
    /// Panels that a menu offers, and whether they can be chosen.
    const auto in = [&](const QMenu& menu) {
        QMap<QString, bool> all;
        for (const QDockWidget* const dock : window.findChildren<QDockWidget*>()) {
            const QString name = dock->objectName().mid(5);
            for (const QAction* const action : menu.actions()) {
                if (action == dock->toggleViewAction() || action->objectName() == QStringLiteral("toggle_") + name)
                    all[name] = action->isEnabled();
            }
        }
        return all;
    };
    for (const QMenu* const menu : {context.get(), *own})
        QCOMPARE(
            in(*menu), (QMap<QString, bool>{{"details", false}, {"log", true}, {"model", false}, {"tasks", true}}));
    QVERIFY(shown.open());
    for (const QMenu* const menu : {context.get(), *own})
        QCOMPARE(in(*menu).values(), QList<bool>(4, true));
}

QTEST_MAIN(TestPanels)
#include "tst_panels.moc"
