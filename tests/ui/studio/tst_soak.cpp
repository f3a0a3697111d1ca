// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/fault_guard.h"
#include "studio.h"
#include "ui/support/ownsettings.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"

#include <QAction>
#include <QElapsedTimer>
#include <QMenuBar>
#include <QRandomGenerator>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <functional>

using namespace colibri;

/// Open, run, stop, close and whatever else the menus have, in random order: nothing breaks, and the window still works
/// afterwards. COLIBRI_SOAK_SECONDS says for how long; ThreadSanitizer wants a minute.
class TestSoak : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void anythingInAnyOrder();

private:
    test::OwnSettings m_settings;
    QTemporaryDir m_folder;
};

void TestSoak::initTestCase()
{
    QVERIFY(m_folder.isValid() && m_settings.begin());
    installFaultGuard();
}

void TestSoak::anythingInAnyOrder()
{
    constexpr int answerMs = 60000;
    const QString tiny = QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32");
    const int asked = qEnvironmentVariableIntValue("COLIBRI_SOAK_SECONDS");
    QRandomGenerator random(4);
    auto studio = std::make_unique<Studio>();
    MainWindow& window = studio->window();
    window.resize(1200, 800);
    window.show();
    auto* const page = window.findChild<RunPage*>();
    auto* const pages = window.findChild<QTabWidget*>(QStringLiteral("pages"));
    SamplingChoice choice;
    choice.maxTokens = 300;
    page->promptPanel().sampling().setChoice(choice);
    page->promptPanel().setPrompt(QStringLiteral("the quick brown fox"));
    const auto trigger = [&window](const char* name) {
        if (auto* const action = window.findChild<QAction*>(QLatin1String(name)); action && action->isEnabled())
            action->trigger();
    };
    const QList<QAction*> run = page->runActions();
    const std::function<void()> deeds[] = {
        [&] { window.openModel(tiny); },
        [&] { window.openModel(QStringLiteral("demo")); },
        [&] { window.openModel(m_folder.filePath("nothing")); },
        [&] { trigger("closeModel"); },
        [&] { run[random.bounded(4)]->trigger(); },
        [&] { run[0]->trigger(); },
        [&] { page->promptPanel().setPace(random.bounded(2) * 40); },
        [&] { pages->setCurrentIndex(random.bounded(pages->count())); },
        [&] { window.docks().toggles()[random.bounded(4)]->trigger(); },
        [&] { trigger(random.bounded(2) ? "keepRun" : "dropKept"); },
        [&] { trigger(random.bounded(2) ? "themeDark" : "themeLight"); },
        [&] { trigger(random.bounded(2) ? "goBack" : "goForward"); },
        [&] { QTest::keyClick(pages->currentWidget(), Qt::Key_Right); },
        [&] { QTest::qWait(random.bounded(60)); },
        [&] { QTest::qWait(5); },
    };
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < 1000 * (asked > 0 ? asked : 3))
        deeds[random.bounded(int(std::size(deeds)))]();

    window.openModel(tiny);
    QVERIFY(QTest::qWaitFor([&] { return page->promptPanel().isVisible() || pages->isVisible(); }, answerMs));
    window.showPage(QStringLiteral("run"));
    page->promptPanel().setPace(0);
    QVERIFY(QTest::qWaitFor([&] { return run[0]->isEnabled(); }, answerMs));
    run[0]->trigger();
    QVERIFY(QTest::qWaitFor([&] { return studio->run().state() == RunStore::State::Finished; }, answerMs));
    run[0]->trigger();
    QTest::qWait(20);
    clock.start();
    QVERIFY(window.close());
    studio.reset();
    QVERIFY2(clock.elapsed() < 1000, qPrintable(QString::number(clock.elapsed())));
}

QTEST_MAIN(TestSoak)
#include "tst_soak.moc"
