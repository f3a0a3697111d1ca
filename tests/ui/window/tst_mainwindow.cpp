// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings.h"
#include "studio.h"
#include "ui/support/ownsettings.h"
#include "views/opening/openingpage.h"
#include "views/run/runpage.h"
#include "views/start/startpage.h"

#include <QDialog>
#include <QDropEvent>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

using namespace colibri;

namespace {

constexpr int answerMs = 60000;

QString tinyFolder()
{
    return QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32");
}

template <class Page>
bool shows(Studio& studio)
{
    QWidget* const view = studio.window().findChild<QStackedWidget*>(QStringLiteral("views"))->currentWidget();
    auto* const tabs = qobject_cast<QTabWidget*>(view);
    return qobject_cast<Page*>(tabs ? tabs->currentWidget() : view) != nullptr;
}

template <class Page>
bool waitForPage(Studio& studio)
{
    return QTest::qWaitFor([&] { return shows<Page>(studio); }, answerMs);
}

void trigger(Studio& studio, const char* action)
{
    studio.window().findChild<QAction*>(QLatin1String(action))->trigger();
}

QString textOf(Studio& studio, const char* label)
{
    return studio.window().findChild<QLabel*>(QLatin1String(label))->text();
}

/// Drags a file over a widget and lets go of it. Returns whether it was taken.
bool drop(QWidget* target, const QMimeData& data)
{
    QDragEnterEvent enter({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(target, &enter);
    QDropEvent dropped({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(target, &dropped);
    return enter.isAccepted() && dropped.isAccepted();
}

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void pagesFollowTheOpening();
    void theDialogTakesFilesAndFolders_data();
    void theDialogTakesFilesAndFolders();
    void anErrorLeadsBack();
    void droppedFilesOpen();
    void recentModels();
    void rememberedFoldersExist();
    void themesAreRemembered();
    void theWindowIsRemembered();
    void everyActionIsReachable();
    void helpDialogs();

private:
    QTemporaryDir m_folder;
    test::OwnSettings m_settings;
};

void TestMainWindow::initTestCase()
{
    QVERIFY(m_folder.isValid() && m_settings.begin());
}

void TestMainWindow::init()
{
    QSettings().clear();
}

void TestMainWindow::pagesFollowTheOpening()
{
    Studio studio;
    studio.window().show();
    QVERIFY(shows<StartPage>(studio));
    QCOMPARE(studio.window().windowTitle(), QStringLiteral("Colibri"));
    QVERIFY(!studio.window().findChild<QAction*>(QStringLiteral("closeModel"))->isEnabled());
    studio.window().openModel(tinyFolder());
    QVERIFY(shows<OpeningPage>(studio));
    QVERIFY(waitForPage<RunPage>(studio));
    QCOMPARE(studio.window().focusWidget(), studio.window().findChild<QPlainTextEdit*>());
    QVERIFY(studio.window().windowTitle().contains(QStringLiteral("qwen3moe-f32")));
    QVERIFY(textOf(studio, "statusModel").contains(QStringLiteral("2 MoE layers × 6 experts, 2 active")));
    QVERIFY(textOf(studio, "statusMemory").contains(QStringLiteral("MiB")));
    trigger(studio, "closeModel");
    QVERIFY(shows<StartPage>(studio));
    QCOMPARE(studio.window().windowTitle(), QStringLiteral("Colibri"));
}

void TestMainWindow::theDialogTakesFilesAndFolders_data()
{
    QTest::addColumn<QString>("path");
    QTest::newRow("GGUF") << QStringLiteral(COLIBRI_TEST_DATA "/gguf/model.gguf");
    QTest::newRow("split GGUF") << QStringLiteral(COLIBRI_TEST_DATA "/gguf/model-00001-of-00003.gguf");
    QTest::newRow("folder") << tinyFolder();
    QTest::newRow("config.json") << tinyFolder() + QStringLiteral("/config.json");
}

void TestMainWindow::theDialogTakesFilesAndFolders()
{
    QFETCH(const QString, path);
    Studio studio;
    studio.window().show();
    trigger(studio, "openModel");
    auto* const dialog = studio.window().findChild<QDialog*>(QStringLiteral("modelDialog"));
    QVERIFY(dialog != nullptr && dialog->isVisible());
    auto* const name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
    name->setText(path);
    QTest::keyClick(name, Qt::Key_Return);
    QVERIFY(waitForPage<RunPage>(studio));
    QVERIFY(textOf(studio, "statusModel").contains(QStringLiteral("MoE layers")));
}

void TestMainWindow::anErrorLeadsBack()
{
    Studio studio;
    studio.window().show();
    auto* const why = studio.window().findChild<QLabel*>(QStringLiteral("errorWhy"));
    auto* const back = studio.window().findChild<QPushButton*>(QStringLiteral("backFromError"));
    studio.window().openModel(m_folder.filePath("nothing"));
    QVERIFY(QTest::qWaitFor([&] { return why->isVisible(); }, answerMs));
    QVERIFY(shows<OpeningPage>(studio));
    QTest::mouseClick(back, Qt::LeftButton);
    QVERIFY(shows<StartPage>(studio));
    studio.window().openModel(tinyFolder());
    QVERIFY(waitForPage<RunPage>(studio));
    studio.window().openModel(m_folder.filePath("nothing"));
    QVERIFY(QTest::qWaitFor([&] { return why->isVisible(); }, answerMs));
    QTest::mouseClick(back, Qt::LeftButton);
    QVERIFY(shows<RunPage>(studio));
    QVERIFY(studio.window().windowTitle().contains(QStringLiteral("qwen3moe-f32")));
}

void TestMainWindow::droppedFilesOpen()
{
    Studio studio;
    studio.window().show();
    QMimeData folder;
    folder.setUrls({QUrl::fromLocalFile(tinyFolder())});
    QVERIFY(drop(studio.window().findChild<StartPage*>(), folder));
    QVERIFY(waitForPage<RunPage>(studio));
    QMimeData two;
    two.setUrls({QUrl::fromLocalFile(tinyFolder()), QUrl::fromLocalFile(m_folder.path())});
    QVERIFY(!drop(&studio.window(), two));
    QMimeData text;
    text.setText(QStringLiteral("a prompt"));
    QVERIFY(!drop(&studio.window(), text));
    QVERIFY(shows<RunPage>(studio));
    auto* const prompt = studio.window().findChild<QPlainTextEdit*>();
    const QString before = prompt->toPlainText();
    QMimeData config;
    config.setUrls({QUrl::fromLocalFile(tinyFolder() + QStringLiteral("/config.json"))});
    QVERIFY(drop(prompt->viewport(), config));
    QVERIFY(shows<OpeningPage>(studio));
    QVERIFY(waitForPage<RunPage>(studio));
    QCOMPARE(prompt->toPlainText(), before);
}

void TestMainWindow::recentModels()
{
    {
        Studio studio;
        studio.window().openModel(tinyFolder());
        QVERIFY(waitForPage<RunPage>(studio));
        studio.window().openModel(m_folder.filePath("nothing")); // what could not be opened is not remembered
        QVERIFY(waitForPage<OpeningPage>(studio));
    }
    Studio studio;
    studio.window().show();
    auto* const list = studio.window().findChild<QListWidget*>(QStringLiteral("recentList"));
    QCOMPARE(list->count(), 1);
    QCOMPARE(list->item(0)->data(Qt::UserRole).toString(), tinyFolder());
    trigger(studio, "recent1");
    QVERIFY(waitForPage<RunPage>(studio));
    trigger(studio, "closeModel");
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Delete);
    QCOMPARE(list->count(), 0);
    QVERIFY(Settings().recent().isEmpty());
    for (int i = 0; i < 20; ++i)
        Settings().addRecent(QStringLiteral("/models/%1").arg(i % 12));
    QCOMPARE(Settings().recent().size(), qsizetype(Settings::recentCount));
    QCOMPARE(Settings().recent().front(), QStringLiteral("/models/7"));
}

void TestMainWindow::rememberedFoldersExist()
{
    Settings settings;
    QVERIFY(QFileInfo(settings.savedRunFolder()).isDir() && QFileInfo(settings.exportFolder()).isDir());
    settings.setSavedRunFolder(m_folder.path());
    settings.setExportFolder(m_folder.path());
    QCOMPARE(settings.savedRunFolder(), m_folder.path());
    QCOMPARE(settings.exportFolder(), m_folder.path());
    const QString gone = m_folder.filePath(QStringLiteral("gone"));
    settings.setSavedRunFolder(gone);
    settings.setExportFolder(gone);
    QVERIFY(QFileInfo(settings.savedRunFolder()).isDir() && QFileInfo(settings.exportFolder()).isDir());
}

void TestMainWindow::themesAreRemembered()
{
    {
        Studio studio;
        trigger(studio, "themeDark");
        QCOMPARE(schemeOf(QGuiApplication::palette()), ColorScheme::Dark);
    }
    {
        Studio studio;
        QVERIFY(studio.window().findChild<QAction*>(QStringLiteral("themeDark"))->isChecked());
        QCOMPARE(schemeOf(QGuiApplication::palette()), ColorScheme::Dark);
        trigger(studio, "themeLight");
    }
    Studio studio;
    QCOMPARE(schemeOf(QGuiApplication::palette()), ColorScheme::Light);
    QVERIFY(!studio.window().findChild<QAction*>(QStringLiteral("themeDark"))->isChecked());
}

void TestMainWindow::theWindowIsRemembered()
{
    {
        Studio studio;
        studio.window().show();
        studio.window().resize(790, 700);
        QVERIFY(studio.window().close());
    }
    Studio studio;
    QCOMPARE(studio.window().size(), QSize(790, 700));
}

void TestMainWindow::everyActionIsReachable()
{
    Settings().addRecent(QStringLiteral("/models/a"));
    Studio studio;
    QMap<QString, QString> owners;
    for (const QMenu* const menu : studio.window().menuBar()->findChildren<QMenu*>()) {
        for (const QAction* const action : menu->actions()) {
            if (action->isSeparator() || action->menu())
                continue;
            QVERIFY2(!action->shortcut().isEmpty(), qPrintable(action->text()));
            QVERIFY2(action->toolTip().contains(action->shortcut().toString(QKeySequence::NativeText)),
                qPrintable(action->text()));
            const QString key = action->shortcut().toString();
            QVERIFY2(!owners.contains(key), qPrintable(key + owners[key]));
            owners[key] = action->text();
        }
    }
    QCOMPARE(owners.size(), 38);
    for (const QAbstractButton* const button : studio.window().findChildren<QAbstractButton*>()) {
        if (button->isVisibleTo(&studio.window()))
            QVERIFY2(
                !button->accessibleName().isEmpty() || !button->text().isEmpty(), qPrintable(button->objectName()));
    }
}

void TestMainWindow::helpDialogs()
{
    Studio studio;
    studio.window().show();
    trigger(studio, "shortcuts");
    auto* const table = studio.window().findChild<QTableWidget*>(QStringLiteral("shortcutTable"));
    QVERIFY(table && table->isVisible());
    QStringList keys;
    for (int row = 0; row < table->rowCount(); ++row) {
        keys << table->item(row, 0)->text();
        QVERIFY(!table->item(row, 1)->text().isEmpty());
    }
    QVERIFY(keys.contains(QStringLiteral("Ctrl+O")) && keys.contains(QStringLiteral("F10")));
    table->window()->close();
    trigger(studio, "about");
    QVERIFY(
        QTest::qWaitFor([&] { return studio.window().findChild<QDialog*>(QStringLiteral("aboutDialog")); }, answerMs));
}

QTEST_MAIN(TestMainWindow)
#include "tst_mainwindow.moc"
