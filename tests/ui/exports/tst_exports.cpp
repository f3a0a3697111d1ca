// SPDX-License-Identifier: GPL-3.0-or-later
#include "commandpalette.h"
#include "models/exportreport.h"
#include "studio.h"
#include "ui/session/generatedfolder.h"
#include "views/activity/taskpanel.h"
#include "views/export/exportdialog.h"
#include "views/export/exportform.h"
#include "views/export/exportsizes.h"
#include "views/model/fittedtable.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDesktopServices>
#include <QDir>
#include <QDirIterator>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include <cstdlib>

using namespace colibri;

namespace {

constexpr int answerMs = 120000; ///< far beyond what anything here takes

const QString tinyFolder = QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32");
const QString tinyGguf = QStringLiteral(COLIBRI_TEST_DATA "/gguf/model.gguf");

/// A studio with a shown window, and the ways to its parts.
struct Shown {
    Shown()
    {
        studio->window().resize(1000, 650);
        studio->window().show();
        studio->window().activateWindow();
        (void)QTest::qWaitForWindowActive(&studio->window());
    }
    MainWindow& window() { return studio->window(); }
    QAction* action(const char* name) { return window().findChild<QAction*>(QLatin1String(name)); }
    bool open(const QString& path)
    {
        window().openModel(path);
        return QTest::qWaitFor([&] { return action("exportModel")->isEnabled() && opened() == path; }, answerMs);
    }
    QString opened() { return window().windowTitle().section(QStringLiteral(" - "), 0, 0); }
    ExportDialog* dialog() { return window().findChild<ExportDialog*>(); }
    template <class T>
    T& named(const char* name)
    {
        return *dialog()->findChild<T*>(QLatin1String(name));
    }
    void click(const char* name) { QTest::mouseClick(&named<QPushButton>(name), Qt::LeftButton); }
    /// The action's key.
    void press()
    {
        window().activateWindow();
        (void)QTest::qWaitForWindowActive(&window());
        QTest::keyClick(&window(), Qt::Key_E, Qt::ControlModifier);
    }
    /// Asks for an export by the action's key and waits for the sizes.
    bool ask(const QString& folder, const QString& name)
    {
        press();
        if (!QTest::qWaitFor([&] { return dialog() && dialog()->isVisible() && studio->exports().plan(); }, answerMs))
            return false;
        dialog()->form().setPlace(folder, name);
        return true;
    }
    void choose(int row)
    {
        FittedTable& table = dialog()->form().sizes().table();
        QTest::mouseClick(
            table.viewport(), Qt::LeftButton, {}, table.visualRect(table.model()->index(row, 0)).center());
    }
    bool waitFor(ExportStore::State state)
    {
        return QTest::qWaitFor([&] { return studio->exports().state() == state; }, answerMs);
    }
    const ExportReportFacts& report() { return *studio->exports().report(); }

    std::unique_ptr<Studio> studio = std::make_unique<Studio>();
};

struct OnDisk {
    quint64 dense = 0;
    quint64 experts = 0;
    quint64 total = 0;
    quint32 files = 0;
};

OnDisk sizesOf(const QString& folder)
{
    OnDisk sizes;
    QDirIterator all(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (all.hasNext()) {
        const QFileInfo file(all.next());
        ++sizes.files;
        sizes.total += quint64(file.size());
        if (file.fileName() == QLatin1String("dense.bin"))
            sizes.dense += quint64(file.size());
        if (file.dir().dirName() == QLatin1String("experts"))
            sizes.experts += quint64(file.size());
    }
    return sizes;
}

/// Everything in a folder, hidden or not.
QStringList entries(const QString& folder)
{
    return QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
}

} // namespace

/// Exports, as a user of the window makes them.
class TestExports : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void cleanupTestCase() { QDesktopServices::unsetUrlHandler(QStringLiteral("file")); }
    void theActionFollowsTheModel();
    void previewIsWhatIsWritten_data();
    void previewIsWhatIsWritten();
    void reportIsShownAgain();
    void openedByItsButton();
    void tablesAreMade();
    void errorsAreShown();
    void cancelLeavesNothing();
    void comparisonIsLeftOut();
    void closedDuringTheWork();
    void modelsChangeUnderTheDialog();

public slots:
    void openFolder(const QUrl& url) { m_folders << url.toLocalFile(); }

private:
    QString path(const QString& name) const { return m_folder->filePath(name); }
    std::unique_ptr<QTemporaryDir> m_folder; ///< of one test
    QTemporaryDir m_large; ///< a model that takes a while to export
    QTemporaryDir m_settings;
    QStringList m_folders; ///< that were to be shown
};

void TestExports::initTestCase()
{
    QCoreApplication::setOrganizationName(QStringLiteral("colibri-test"));
    QCoreApplication::setApplicationName(QStringLiteral("colibri-test"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_settings.path());
    QDesktopServices::setUrlHandler(QStringLiteral("file"), this, "openFolder");
    GeneratedModel model;
    model.layers = 4;
    model.experts = 48;
    QVERIFY(writeGeneratedFolder(m_large.path(), model) > 2'000'000'000);
}

void TestExports::init()
{
    QSettings().clear();
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void TestExports::theActionFollowsTheModel()
{
    Shown shown;
    QAction* const action = shown.action("exportModel");
    QVERIFY(action && !action->isEnabled());
    const auto inPalette = [&] {
        for (const Command& command : commandsOf(*shown.window().menuBar()))
            if (command.action == action)
                return true;
        return false;
    };
    QVERIFY(!inPalette());
    QVERIFY(shown.open(tinyFolder));
    QVERIFY(inPalette());
    QVERIFY(action->toolTip().contains(QLatin1String("Ctrl+E")));
    QVERIFY(shown.ask(m_folder->path(), QStringLiteral("a")));
    const ExportDialog* const dialog = shown.dialog();
    action->trigger();
    QCOMPARE(shown.window().findChildren<ExportDialog*>().size(), 1); // the same one
    QCOMPARE(shown.dialog(), dialog);
    QTest::keyClick(shown.dialog(), Qt::Key_Escape);
    QTRY_VERIFY(!shown.dialog());
    shown.action("closeModel")->trigger();
    QVERIFY(!action->isEnabled());
}

void TestExports::previewIsWhatIsWritten_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("choice");
    QTest::addColumn<bool>("table");
    const std::pair<const char*, QString> models[]{{"folder", tinyFolder}, {"gguf", tinyGguf}};
    for (const auto& [name, model] : models) {
        for (std::size_t choice = 0; choice < exportChoices.size(); ++choice) {
            const QString dtype = exportChoiceText(exportChoices[choice]);
            QTest::addRow("%s %s", name, qPrintable(dtype)) << model << int(choice) << false;
            if (choice % 4 == 0)
                QTest::addRow("%s %s with a table", name, qPrintable(dtype)) << model << int(choice) << true;
        }
    }
}

void TestExports::previewIsWhatIsWritten()
{
    QFETCH(const QString, model);
    QFETCH(const int, choice);
    QFETCH(const bool, table);
    Shown shown;
    QVERIFY(shown.open(model));
    QVERIFY(shown.ask(m_folder->path(), QStringLiteral("export")));
    shown.choose(choice);
    shown.named<QCheckBox>("exportTable").setChecked(table);
    QCOMPARE(shown.named<QCheckBox>("exportTable").isChecked(), table);
    shown.named<QSpinBox>("exportCheckTokens").setValue(0);
    const ExportSizeFacts planned = *shown.dialog()->form().sizes().chosen();
    QVERIFY(!planned.refusal);
    shown.click("startExport");
    QVERIFY(shown.waitFor(ExportStore::State::Done));
    const OnDisk written = sizesOf(path(QStringLiteral("export")));
    QCOMPARE(quint64(planned.dense), written.dense);
    QCOMPARE(quint64(planned.experts), written.experts);
    QCOMPARE(planned.files, written.files);
    const qint64 more = qint64(planned.total) - qint64(written.total);
    QVERIFY2(table ? std::abs(more) < 512 : more == 0, qPrintable(QString::number(more)));
    QCOMPARE(quint64(shown.report().bytesWritten), written.total);
    QCOMPARE(shown.report().table.has_value(), table);
    QVERIFY(!shown.report().agreement && !shown.report().agreementNote.isEmpty());
    QCOMPARE(entries(m_folder->path()), QStringList{QStringLiteral("export")});
}

void TestExports::reportIsShownAgain()
{
    Shown shown;
    QVERIFY(shown.open(tinyFolder));
    QVERIFY(shown.ask(m_folder->path(), QStringLiteral("export")));
    shown.choose(1);
    shown.click("startExport");
    QVERIFY(shown.waitFor(ExportStore::State::Done));
    const ExportReportFacts& report = shown.report();
    // f32 of f32 is the same model: nothing may differ.
    QVERIFY(report.agreement.has_value());
    QVERIFY(report.agreement->tokens > 0 && report.agreement->decisions > report.agreement->tokens);
    QCOMPARE(report.agreement->sameExperts, report.agreement->decisions);
    QCOMPARE(report.agreement->sameGreedy, report.agreement->tokens);
    QCOMPARE(report.agreement->maxLogitDifference, 0.);
    QCOMPARE(report.agreement->sourceLoss, report.agreement->exportLoss);
    QVERIFY(report.agreement->sourceLoss > 0);
    QVERIFY(shown.named<QLabel>("exportVerdict").isVisible());
    QDir().mkpath(QStringLiteral(COLIBRI_PICTURES));
    QTest::qWait(50); // new parts of the page are shown once events were seen to
    shown.dialog()->grab().save(QStringLiteral(COLIBRI_PICTURES "/window-report.png"));
    shown.click("copyExportReport");
    const QString text = QApplication::clipboard()->text();
    QCOMPARE(text, plainText(report));
    shown.click("showExportFolder");
    QCOMPARE(m_folders, QStringList{path(QStringLiteral("export"))});
    QTest::keyClick(shown.dialog(), Qt::Key_Escape);
    QTRY_VERIFY(!shown.dialog());
    // Both tasks show it again: by the button, and by Enter.
    shown.window().docks().raise(QStringLiteral("tasks"));
    auto* const panel = shown.window().findChild<TaskPanel*>();
    auto* const list = panel->findChild<QAbstractItemView*>();
    int reports = 0;
    for (int row = 0; row < list->model()->rowCount(); ++row) {
        list->setCurrentIndex(list->model()->index(row, 0));
        auto* const show = panel->findChild<QPushButton*>(QStringLiteral("showTask"));
        const QString title = list->currentIndex().data().toString();
        QCOMPARE(show->isEnabled(),
            title.startsWith(QLatin1String("Export ")) || title.startsWith(QLatin1String("Compare ")));
        if (!show->isEnabled())
            continue;
        if (reports++ == 0)
            QTest::mouseClick(show, Qt::LeftButton);
        else
            QTest::keyClick(list, Qt::Key_Return);
        auto* const again = shown.window().findChild<ExportReportDialog*>();
        QVERIFY(again && again->isVisible());
        QApplication::clipboard()->clear();
        QTest::mouseClick(again->findChild<QPushButton*>(QStringLiteral("copyExportReport")), Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(), text);
        again->close();
        QTRY_VERIFY(!shown.window().findChild<ExportReportDialog*>());
    }
    QCOMPARE(reports, 2);
    // Another one begins anew, under a name that is free.
    shown.press();
    QTRY_VERIFY(shown.dialog() && shown.named<QPushButton>("startExport").isVisible());
    QCOMPARE(shown.named<QLineEdit>("exportFolder").text(), m_folder->path());
}

void TestExports::openedByItsButton()
{
    Shown shown;
    QVERIFY(shown.open(tinyGguf));
    QVERIFY(shown.ask(m_folder->path(), QStringLiteral("export")));
    shown.choose(2);
    shown.named<QSpinBox>("exportCheckTokens").setValue(16);
    shown.click("startExport");
    QVERIFY(shown.waitFor(ExportStore::State::Done));
    QCOMPARE(shown.report().agreement->tokens, 16u);
    shown.click("openExport");
    QTRY_COMPARE_WITH_TIMEOUT(shown.opened(), path(QStringLiteral("export")), answerMs);
    // Once more, of the model that is open now: the name does not collide.
    shown.click("exportAgain");
    QTRY_VERIFY(shown.studio->exports().plan());
    QCOMPARE(shown.studio->exports().plan()->source, path(QStringLiteral("export")));
    QCOMPARE(shown.named<QLineEdit>("exportName").text(), QStringLiteral("export-export"));
}

void TestExports::tablesAreMade()
{
    Shown shown;
    QVERIFY(shown.open(tinyFolder));
    QVERIFY(shown.ask(m_folder->path(), QStringLiteral("export")));
    QFile text(path(QStringLiteral("text.txt")));
    QVERIFY(text.open(QIODevice::WriteOnly));
    text.write("the quick brown fox jumps over the lazy dog\n");
    text.close();
    shown.named<QCheckBox>("exportTable").setChecked(true);
    shown.named<QComboBox>("exportTextKind").setCurrentIndex(2);
    shown.named<QLineEdit>("exportTextFile").setText(text.fileName());
    shown.click("startExport");
    QVERIFY(shown.waitFor(ExportStore::State::Done));
    const auto& table = shown.report().table;
    QVERIFY(table && !table->exact);
    QVERIFY(table->rowsSeen > 3 && table->rowsSeen < table->rows);
    QVERIFY(table->reproduced > 0 && table->reproduced <= table->decisions);
    QVERIFY(plainText(shown.report()).contains(QLatin1String("Near ties")));
    QVERIFY(shown.open(path(QStringLiteral("export"))));
    QVERIFY(QFile::exists(path(QStringLiteral("export/config.json"))));
}

void TestExports::errorsAreShown()
{
    Shown shown;
    QVERIFY(shown.open(tinyFolder));
    QVERIFY(shown.ask(m_folder->path(), QStringLiteral("export")));
    shown.named<QCheckBox>("exportTable").setChecked(true);
    shown.named<QComboBox>("exportTextKind").setCurrentIndex(2);
    shown.named<QLineEdit>("exportTextFile").setText(path(QStringLiteral("gone.txt")));
    shown.click("startExport");
    QVERIFY(shown.waitFor(ExportStore::State::Failed));
    QVERIFY(shown.named<QLabel>("exportErrorWhy").isVisible());
    QCOMPARE(shown.named<QLabel>("exportErrorWhere").text(), path(QStringLiteral("gone.txt")));
    shown.click("copyExportError");
    QVERIFY(QApplication::clipboard()->text().contains(path(QStringLiteral("gone.txt"))));
    QCOMPARE(entries(m_folder->path()), QStringList());
    // A folder that is taken is refused before anything begins.
    QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("export")));
    shown.named<QCheckBox>("exportTable").setChecked(false);
    shown.click("startExport");
    QCOMPARE(shown.studio->exports().state(), ExportStore::State::Failed); // of the one before
    QVERIFY(shown.named<QLabel>("exportPlaceNote").text().contains(QLatin1String("already")));
    QVERIFY(!shown.named<QPushButton>("startExport").isEnabled());
    shown.named<QLineEdit>("exportName").setText(QStringLiteral("another"));
    shown.click("startExport");
    QVERIFY(shown.waitFor(ExportStore::State::Done));
    QVERIFY(!shown.named<QLabel>("exportErrorWhy").isVisible());
}

void TestExports::cancelLeavesNothing()
{
    Shown shown;
    QVERIFY(shown.open(m_large.path()));
    QVERIFY(shown.ask(m_folder->path(), QStringLiteral("export")));
    shown.click("startExport");
    QVERIFY(shown.waitFor(ExportStore::State::Writing));
    QTRY_VERIFY_WITH_TIMEOUT(shown.named<QProgressBar>("exportBar").value() > 0, answerMs);
    QVERIFY(shown.named<QLabel>("exportNumbers").text().contains(QLatin1String("/s")));
    QVERIFY(!entries(m_folder->path()).isEmpty()); // it is under way
    shown.click("cancelExport");
    QVERIFY(shown.waitFor(ExportStore::State::Cancelled));
    QCOMPARE(entries(m_folder->path()), QStringList());
    QVERIFY(shown.named<QLabel>("exportEnd").isVisible());
    QVERIFY(shown.named<QPushButton>("startExport").isEnabled());
}

void TestExports::comparisonIsLeftOut()
{
    Shown shown;
    QVERIFY(shown.open(tinyFolder));
    QVERIFY(shown.ask(m_folder->path(), QStringLiteral("export")));
    shown.named<QSpinBox>("exportCheckTokens").setValue(100'000);
    // Stops it when it has been asked for, before its first look at the progress.
    QObject::connect(&shown.studio->exports(), &ExportStore::stateChanged, &shown.window(), [&] {
        if (shown.studio->exports().state() == ExportStore::State::Comparing)
            shown.click("cancelExport");
    });
    shown.click("startExport");
    QVERIFY(shown.waitFor(ExportStore::State::Done));
    QVERIFY(!shown.report().agreement && shown.report().agreementNote.contains(QLatin1String("left out")));
    QVERIFY(QFile::exists(path(QStringLiteral("export/config.json"))));
}

void TestExports::closedDuringTheWork()
{
    {
        Shown shown;
        QVERIFY(shown.open(m_large.path()));
        QVERIFY(shown.ask(m_folder->path(), QStringLiteral("export")));
        shown.click("startExport");
        QTRY_VERIFY_WITH_TIMEOUT(shown.named<QProgressBar>("exportBar").value() > 0, answerMs);
        QVERIFY(!entries(m_folder->path()).isEmpty());
        // Without its dialog it goes on, and the dialog comes back to it.
        QTest::keyClick(shown.dialog(), Qt::Key_Escape);
        QTRY_VERIFY(!shown.dialog());
        QVERIFY(shown.studio->exports().busy());
        shown.action("exportModel")->trigger();
        QVERIFY(shown.named<QProgressBar>("exportBar").isVisible());
        shown.window().close();
    }
    QCOMPARE(entries(m_folder->path()), QStringList());
}

void TestExports::modelsChangeUnderTheDialog()
{
    Shown shown;
    QVERIFY(shown.open(tinyFolder));
    QVERIFY(shown.ask(m_folder->path(), QStringLiteral("export")));
    const std::uint64_t before = shown.dialog()->form().sizes().chosen()->total;
    QVERIFY(shown.open(tinyGguf));
    QTRY_VERIFY(shown.studio->exports().plan() && shown.studio->exports().plan()->source == tinyGguf);
    QVERIFY(shown.dialog()->form().sizes().chosen()->total != before);
    QVERIFY(shown.named<QLineEdit>("exportName").text().startsWith(QLatin1String("model-export")));
    shown.action("closeModel")->trigger();
    QTRY_VERIFY(!shown.dialog()); // there is nothing to export
}

QTEST_MAIN(TestExports)
#include "tst_exports.moc"
