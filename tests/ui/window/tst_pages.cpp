// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/opening/openingpage.h"
#include "views/start/startpage.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace colibri;

namespace {

QString textOf(const QWidget& page, const char* name)
{
    return page.findChild<QLabel*>(QLatin1String(name))->text();
}

} // namespace

class TestPages : public QObject {
    Q_OBJECT

private slots:
    void startPageWithoutRecentModels();
    void recentModelsByKeyboard();
    void actionsAreButtons();
    void openingShowsProgress();
    void openingShowsItsError();
};

void TestPages::startPageWithoutRecentModels()
{
    QAction demo(QStringLiteral("Demo"));
    QAction folder(QStringLiteral("Folder"));
    StartPage page(&demo, &folder);
    page.show();
    QVERIFY(page.findChild<QLabel*>(QStringLiteral("noRecent"))->isVisible());
    QVERIFY(!page.findChild<QListWidget*>()->isVisible());
    page.setRecent({QStringLiteral("/models/a")});
    QVERIFY(!page.findChild<QLabel*>(QStringLiteral("noRecent"))->isVisible());
    QVERIFY(page.findChild<QListWidget*>()->isVisible());
}

void TestPages::recentModelsByKeyboard()
{
    QAction demo(QStringLiteral("Demo"));
    QAction folder(QStringLiteral("Folder"));
    StartPage page(&demo, &folder);
    page.setRecent({QStringLiteral("/models/a"), QStringLiteral("/models/b"), QStringLiteral("/models/c")});
    page.show();
    page.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&page));
    auto* const list = page.findChild<QListWidget*>();
    list->setFocus();
    QSignalSpy opened(&page, &StartPage::openRequested);
    QSignalSpy removed(&page, &StartPage::removeRequested);
    QTest::keyClick(list, Qt::Key_Down);
    QTest::keyClick(list, Qt::Key_Return);
    QCOMPARE(opened.count(), 1);
    QCOMPARE(opened[0][0].toString(), QStringLiteral("/models/b"));
    QTest::keyClick(list, Qt::Key_Delete);
    QCOMPARE(removed.count(), 1);
    QCOMPARE(removed[0][0].toString(), QStringLiteral("/models/b"));
    page.setRecent({QStringLiteral("/models/a"), QStringLiteral("/models/c")});
    QTest::keyClick(list, Qt::Key_Return); // the place in the list stays
    QCOMPARE(opened[1][0].toString(), QStringLiteral("/models/c"));
}

void TestPages::actionsAreButtons()
{
    QAction demo(QStringLiteral("Demo"));
    QAction folder(QStringLiteral("Folder"));
    StartPage page(&demo, &folder);
    page.show();
    QSignalSpy triggered(&demo, &QAction::triggered);
    for (QToolButton* const button : page.findChildren<QToolButton*>()) {
        QVERIFY(!button->accessibleName().isEmpty());
        if (button->defaultAction() == &demo)
            QTest::mouseClick(button, Qt::LeftButton);
    }
    QCOMPARE(triggered.count(), 1);
}

void TestPages::openingShowsProgress()
{
    OpenStore store;
    OpeningPage page(store);
    page.resize(700, 500);
    page.show();
    auto progress = std::make_shared<OpenProgress>();
    store.begin(QStringLiteral("/models/a"), progress);
    QCOMPARE(textOf(page, "openingPath"), QStringLiteral("/models/a"));
    auto* const bar = page.findChild<QProgressBar*>();
    QCOMPARE(bar->maximum(), 0); // the total is not known
    progress->setBytesTotal(4 << 20);
    progress->setDimensions(2, 4);
    progress->addBytes(1 << 20);
    progress->setState(1, 3, ExpertState::Populated);
    store.catchUp();
    QCOMPARE(bar->value() * 4, bar->maximum());
    QVERIFY(textOf(page, "openingNumbers").contains(QStringLiteral("1.0 MiB of 4.0 MiB")));
    QSignalSpy cancelled(&page, &OpeningPage::cancelRequested);
    QTest::mouseClick(page.findChild<QPushButton*>(QStringLiteral("cancelOpening")), Qt::LeftButton);
    QCOMPARE(cancelled.count(), 1);
    page.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&page));
    QTest::keyClick(&page, Qt::Key_Escape);
    QTRY_COMPARE(cancelled.count(), 2); // a button shows that it was pressed, then acts
}

void TestPages::openingShowsItsError()
{
    OpenStore store;
    OpeningPage page(store);
    page.show();
    store.begin(QStringLiteral("/models/a"), std::make_shared<OpenProgress>());
    QVERIFY(!page.findChild<QLabel*>(QStringLiteral("errorWhy"))->isVisible());
    const Error error{Errc::Malformed, "read the header", "/models/a/model.safetensors", 8, "a < b & \"c\""};
    store.fail(error);
    QCOMPARE(textOf(page, "errorWhat"), QStringLiteral("read the header"));
    QCOMPARE(textOf(page, "errorWhere"), QStringLiteral("/models/a/model.safetensors at offset 8 bytes (0x8)"));
    QCOMPARE(textOf(page, "errorWhy"), QStringLiteral("a < b & \"c\""));
    QVERIFY(page.findChild<QLabel*>(QStringLiteral("errorWhy"))->isVisible());
    QVERIFY(!page.findChild<QPushButton*>(QStringLiteral("cancelOpening"))->isVisible());
    QVERIFY(!page.findChild<QWidget*>(QStringLiteral("expertMap"))->isVisible()); // it would be empty
    QTest::mouseClick(page.findChild<QPushButton*>(QStringLiteral("copyError")), Qt::LeftButton);
    QCOMPARE(QGuiApplication::clipboard()->text(), QString::fromStdString(error.message()));
    QSignalSpy back(&page, &OpeningPage::backRequested);
    QTest::mouseClick(page.findChild<QPushButton*>(QStringLiteral("backFromError")), Qt::LeftButton);
    QCOMPARE(back.count(), 1);
}

QTEST_MAIN(TestPages)
#include "tst_pages.moc"
