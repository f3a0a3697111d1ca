// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings.h"
#include "studio.h"
#include "ui/support/ownsettings.h"
#include "views/run/currentitem.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"

#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTest>

#include <cstdlib>

using namespace colibri;

namespace {

constexpr int answerMs = 60000;
constexpr int fewestPixels = 24; ///< more than a caret has
constexpr int seenStep = 48; ///< of the three channels together

QString described(const QWidget* widget)
{
    QString path;
    for (const QWidget* each = widget; each && path.size() < 200; each = each->parentWidget())
        path += QStringLiteral("%1(%2, %3) < ")
                    .arg(QLatin1String(each->metaObject()->className()), each->objectName(), each->accessibleName());
    return path;
}

/// What is seen of a widget in its window.
QImage seen(QWidget& widget)
{
    QWidget& window = *widget.window();
    return window.grab(QRect(widget.mapTo(&window, QPoint()), widget.size()) & window.rect())
        .toImage()
        .convertToFormat(QImage::Format_RGB32);
}

int differentPixels(const QImage& a, const QImage& b)
{
    if (a.size() != b.size())
        return 0;
    int count = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            const QRgb one = a.pixel(x, y);
            const QRgb other = b.pixel(x, y);
            count += std::abs(qRed(one) - qRed(other)) + std::abs(qGreen(one) - qGreen(other))
                    + std::abs(qBlue(one) - qBlue(other))
                > seenStep;
        }
    }
    return count;
}

} // namespace

/// Where the keys go to can be seen, on every page and in both schemes.
class TestFocus : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void focusIsSeen_data();
    void focusIsSeen();
    void promptPanelGoesDown();

private:
    static void openAndRun(Studio& studio);
    test::OwnSettings m_settings;
};

void TestFocus::initTestCase()
{
    QVERIFY(m_settings.begin());
    QApplication::setCursorFlashTime(0);
}

void TestFocus::focusIsSeen_data()
{
    QTest::addColumn<QString>("page"); // empty: the start page
    QTest::addColumn<QString>("theme"); // the action that chooses it
    Studio studio;
    const auto* const pages = studio.window().findChild<QTabWidget*>(QStringLiteral("pages"));
    for (const auto& [name, theme] : {std::pair("light", "themeLight"), std::pair("dark", "themeDark")}) {
        QTest::addRow("start, %s", name) << QString() << QString::fromLatin1(theme);
        for (int i = 0; i < pages->count(); ++i)
            QTest::addRow("%s, %s", qPrintable(pages->widget(i)->objectName()), name)
                << pages->widget(i)->objectName().mid(5) << QString::fromLatin1(theme);
    }
}

void TestFocus::openAndRun(Studio& studio)
{
    MainWindow& window = studio.window();
    window.openModel(QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32"));
    auto* const run = window.findChild<RunPage*>();
    QVERIFY(QTest::qWaitFor([&] { return run->isVisible(); }, answerMs));
    run->promptPanel().setPrompt(QStringLiteral("the quick brown fox"));
    run->promptPanel().setPace(0);
    run->promptPanel().sampling().setFolded(false);
    run->promptPanel().engine().setFolded(false);
    run->runActions()[0]->trigger();
    QVERIFY(QTest::qWaitFor([&] { return studio.run().state() == RunStore::State::Finished; }, answerMs));
}

void TestFocus::focusIsSeen()
{
    QFETCH(const QString, page);
    QFETCH(const QString, theme);
    Settings().addRecent(QStringLiteral("/models/a"));
    Settings().addRecent(QStringLiteral("/models/b"));
    Studio studio;
    MainWindow& window = studio.window();
    window.resize(1400, 900);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    if (!page.isEmpty()) {
        openAndRun(studio);
        if (QTest::currentTestFailed())
            return;
        for (QDockWidget* const dock : window.findChildren<QDockWidget*>())
            dock->show();
        window.showPage(page);
    }
    window.findChild<QAction*>(theme)->trigger();
    QTest::qWait(100);

    QSet<const QWidget*> reached;
    for (int i = 0; i < 300; ++i) {
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &window, Qt::Key_Tab);
        QWidget* const widget = QApplication::focusWidget();
        if (!widget || reached.contains(widget) || widget->visibleRegion().isEmpty()) // of a panel behind another
            continue;
        reached.insert(widget);
        QCoreApplication::processEvents();
        const QImage focused = seen(*widget);
        widget->clearFocus();
        QCoreApplication::processEvents();
        const QImage unfocused = seen(*widget);
        widget->setFocus(Qt::TabFocusReason);
        const int different = differentPixels(focused, unfocused);
        QVERIFY2(different >= fewestPixels, qPrintable(QStringLiteral("%1 %2").arg(different).arg(described(widget))));
    }
    QVERIFY(reached.size() > 2);
    for (const QAbstractScrollArea* const area : window.findChildren<QAbstractScrollArea*>()) {
        if (dynamic_cast<const CurrentItem*>(area) && !area->visibleRegion().isEmpty())
            QVERIFY2(reached.contains(area), qPrintable(described(area)));
    }
}

/// Tab goes through the prompt panel from top to bottom.
void TestFocus::promptPanelGoesDown()
{
    Studio studio;
    MainWindow& window = studio.window();
    window.resize(1400, 900);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    openAndRun(studio);
    PromptPanel& panel = window.findChild<RunPage*>()->promptPanel();
    panel.findChild<QPlainTextEdit*>()->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Backtab); // the button of earlier prompts
    QVERIFY(panel.isAncestorOf(QApplication::focusWidget()));
    int controls = 0;
    int above = -1;
    for (; panel.isAncestorOf(QApplication::focusWidget()); ++controls) {
        QWidget* const widget = QApplication::focusWidget();
        const int middle = widget->mapTo(&panel, widget->rect().center()).y();
        QVERIFY2(middle >= above, qPrintable(described(widget)));
        above = middle;
        QTest::keyClick(widget, Qt::Key_Tab);
    }
    QVERIFY2(controls > 10, qPrintable(QString::number(controls)));
}

QTEST_MAIN(TestFocus)
#include "tst_focus.moc"
