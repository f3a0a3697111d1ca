// SPDX-License-Identifier: GPL-3.0-or-later
#include "finishedrun.h"

#include "settings.h"
#include "ui/support/ownsettings.h"
#include "views/cells/currentitem.h"

#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QPlainTextEdit>
#include <QSettings>

#include <cstdlib>

using namespace colibri;
using namespace colibri::test;

namespace {

constexpr int fewestPixels = 24; ///< more than a caret has
constexpr int seenStep = 48; ///< of the three channels together

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
    void init();
    void focusIsSeen_data();
    void focusIsSeen();
    void promptPanelGoesDown();

private:
    OwnSettings m_settings;
};

void TestFocus::initTestCase()
{
    QVERIFY(m_settings.begin());
    QApplication::setCursorFlashTime(0);
}

void TestFocus::init()
{
    QSettings().clear();
}

void TestFocus::focusIsSeen_data()
{
    QTest::addColumn<QString>("page"); // empty: the start page
    QTest::addColumn<QString>("theme"); // the action that chooses it
    for (const auto& [name, theme] : {std::pair("light", "themeLight"), std::pair("dark", "themeDark")}) {
        QTest::addRow("start, %s", name) << QString() << QString::fromLatin1(theme);
        for (const QString& page : pageNames())
            QTest::addRow("page_%s, %s", qPrintable(page), name) << page << QString::fromLatin1(theme);
    }
}

void TestFocus::focusIsSeen()
{
    QFETCH(const QString, page);
    QFETCH(const QString, theme);
    Settings().addRecent(QStringLiteral("/models/a"));
    Settings().addRecent(QStringLiteral("/models/b"));
    ShownStudio shown({1400, 900});
    MainWindow& window = shown.window();
    QVERIFY(window.isActiveWindow());
    if (!page.isEmpty()) {
        QVERIFY(openAndRun(shown));
        showAll(shown, page);
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
    ShownStudio shown({1400, 900});
    QVERIFY(shown.window().isActiveWindow());
    QVERIFY(openAndRun(shown));
    PromptPanel& panel = shown.prompt();
    panel.findChild<QPlainTextEdit*>()->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Backtab); // the button of earlier prompts
    QVERIFY(panel.isAncestorOf(QApplication::focusWidget()));
    int controls = 0;
    int above = -1;
    for (; controls < 100 && panel.isAncestorOf(QApplication::focusWidget()); ++controls) {
        QWidget* const widget = QApplication::focusWidget();
        const int middle = widget->mapTo(&panel, widget->rect().center()).y();
        QVERIFY2(middle >= above, qPrintable(described(widget)));
        above = middle;
        QTest::keyClick(widget, Qt::Key_Tab);
    }
    QVERIFY2(controls > 10 && controls < 100, qPrintable(QString::number(controls)));
}

QTEST_MAIN(TestFocus)
#include "tst_focus.moc"
