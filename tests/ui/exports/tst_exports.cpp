// SPDX-License-Identifier: GPL-3.0-or-later
#include "shownexports.h"

#include "commandpalette.h"
#include "models/exportreport.h"
#include "ui/support/pictures.h"
#include "views/activity/taskpanel.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDesktopServices>
#include <QDirIterator>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QSpinBox>

#include <cstdlib>

using namespace colibri;
using namespace colibri::test;

namespace {

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

} // namespace

/// Exports, as a user of the window makes them.
class TestExports : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init() { QVERIFY(m_folder.renew()); }
    void cleanupTestCase() { QDesktopServices::unsetUrlHandler(QStringLiteral("file")); }
    void theActionFollowsTheModel();
    void previewIsWhatIsWritten_data();
    void previewIsWhatIsWritten();
    void reportIsShownAgain();
    void openedByItsButton();
    void tablesAreMade();
    void modelsChangeUnderTheDialog();

public slots:
    void openFolder(const QUrl& url) { m_folders << url.toLocalFile(); }

private:
    ExportFolder m_folder;
    QStringList m_folders; ///< that were to be shown
};

void TestExports::initTestCase()
{
    QVERIFY(m_folder.begin());
    QDesktopServices::setUrlHandler(QStringLiteral("file"), this, "openFolder");
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
    QVERIFY(shown.open(tinyFolder()));
    QVERIFY(inPalette());
    QVERIFY(action->toolTip().contains(QLatin1String("Ctrl+E")));
    QVERIFY(shown.ask(m_folder.path(), QStringLiteral("a")));
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
    const std::pair<const char*, QString> models[]{{"folder", tinyFolder()}, {"gguf", tinyGguf}};
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
    QVERIFY(shown.ask(m_folder.path(), QStringLiteral("export")));
    shown.choose(choice);
    shown.named<QCheckBox>("exportTable").setChecked(table);
    QCOMPARE(shown.named<QCheckBox>("exportTable").isChecked(), table);
    shown.named<QSpinBox>("exportCheckTokens").setValue(0);
    const ExportSizeFacts planned = *shown.dialog()->form().sizes().chosen();
    QVERIFY(!planned.refusal);
    shown.click("startExport");
    QVERIFY(shown.waitFor(ExportStore::State::Done));
    const OnDisk written = sizesOf(m_folder.path(QStringLiteral("export")));
    QCOMPARE(quint64(planned.dense), written.dense);
    QCOMPARE(quint64(planned.experts), written.experts);
    QCOMPARE(planned.files, written.files);
    const qint64 more = qint64(planned.total) - qint64(written.total);
    QVERIFY2(table ? std::abs(more) < 512 : more == 0, qPrintable(QString::number(more)));
    QCOMPARE(quint64(shown.report().bytesWritten), written.total);
    QCOMPARE(shown.report().table.has_value(), table);
    QVERIFY(!shown.report().agreement && !shown.report().agreementNote.isEmpty());
    QCOMPARE(m_folder.entries(), QStringList{QStringLiteral("export")});
}

void TestExports::reportIsShownAgain()
{
    Shown shown;
    QVERIFY(shown.open(tinyFolder()));
    QVERIFY(shown.ask(m_folder.path(), QStringLiteral("export")));
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
    QTest::qWait(50); // new parts of the page are shown once events were seen to
    QVERIFY(savePicture(*shown.dialog(), QStringLiteral("window-report")));
    shown.click("copyExportReport");
    const QString text = QApplication::clipboard()->text();
    QCOMPARE(text, plainText(report));
    shown.click("showExportFolder");
    QCOMPARE(m_folders, QStringList{m_folder.path(QStringLiteral("export"))});
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
    QCOMPARE(shown.named<QLineEdit>("exportFolder").text(), m_folder.path());
}

void TestExports::openedByItsButton()
{
    Shown shown;
    QVERIFY(shown.open(tinyGguf));
    QVERIFY(shown.ask(m_folder.path(), QStringLiteral("export")));
    shown.choose(2);
    shown.named<QSpinBox>("exportCheckTokens").setValue(16);
    shown.click("startExport");
    QVERIFY(shown.waitFor(ExportStore::State::Done));
    QCOMPARE(shown.report().agreement->tokens, 16u);
    shown.click("openExport");
    QTRY_COMPARE_WITH_TIMEOUT(shown.opened(), m_folder.path(QStringLiteral("export")), answerMs);
    // Once more, of the model that is open now: the name does not collide.
    shown.click("exportAgain");
    QTRY_VERIFY(shown.studio.exports().plan());
    QCOMPARE(shown.studio.exports().plan()->source, m_folder.path(QStringLiteral("export")));
    QCOMPARE(shown.named<QLineEdit>("exportName").text(), QStringLiteral("export-export"));
}

void TestExports::tablesAreMade()
{
    Shown shown;
    QVERIFY(shown.open(tinyFolder()));
    QVERIFY(shown.ask(m_folder.path(), QStringLiteral("export")));
    QFile text(m_folder.path(QStringLiteral("text.txt")));
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
    QVERIFY(shown.open(m_folder.path(QStringLiteral("export"))));
    QVERIFY(QFile::exists(m_folder.path(QStringLiteral("export/config.json"))));
}

void TestExports::modelsChangeUnderTheDialog()
{
    Shown shown;
    QVERIFY(shown.open(tinyFolder()));
    QVERIFY(shown.ask(m_folder.path(), QStringLiteral("export")));
    const std::uint64_t before = shown.dialog()->form().sizes().chosen()->total;
    QVERIFY(shown.open(tinyGguf));
    QTRY_VERIFY(shown.studio.exports().plan() && shown.studio.exports().plan()->source == tinyGguf);
    QVERIFY(shown.dialog()->form().sizes().chosen()->total != before);
    QVERIFY(shown.named<QLineEdit>("exportName").text().startsWith(QLatin1String("model-export")));
    shown.action("closeModel")->trigger();
    QTRY_VERIFY(!shown.dialog()); // there is nothing to export
}

QTEST_MAIN(TestExports)
#include "tst_exports.moc"
