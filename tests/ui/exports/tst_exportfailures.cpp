// SPDX-License-Identifier: GPL-3.0-or-later
#include "shownexports.h"

#include "ui/session/generatedfolder.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QSpinBox>

using namespace colibri;
using namespace colibri::test;

/// Exports that fail, are cancelled or are left alone by the window.
class TestExportFailures : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init() { QVERIFY(m_folder.renew()); }
    void errorsAreShown();
    void cancelLeavesNothing();
    void comparisonIsLeftOut();
    void closedDuringTheWork();

private:
    ExportFolder m_folder;
    QTemporaryDir m_large; ///< a model that takes a while to export
};

void TestExportFailures::initTestCase()
{
    QVERIFY(m_folder.begin());
    GeneratedModel model;
    model.layers = 4;
    model.experts = 48;
    QVERIFY(writeGeneratedFolder(m_large.path(), model) > 2'000'000'000);
}

void TestExportFailures::errorsAreShown()
{
    Shown shown;
    QVERIFY(shown.open(tinyFolder()));
    QVERIFY(shown.ask(m_folder.path(), QStringLiteral("export")));
    shown.named<QCheckBox>("exportTable").setChecked(true);
    shown.named<QComboBox>("exportTextKind").setCurrentIndex(2);
    shown.named<QLineEdit>("exportTextFile").setText(m_folder.path(QStringLiteral("gone.txt")));
    shown.click("startExport");
    QVERIFY(shown.waitFor(ExportStore::State::Failed));
    QVERIFY(shown.named<QLabel>("exportErrorWhy").isVisible());
    QCOMPARE(shown.named<QLabel>("exportErrorWhere").text(), m_folder.path(QStringLiteral("gone.txt")));
    shown.click("copyExportError");
    QVERIFY(QApplication::clipboard()->text().contains(m_folder.path(QStringLiteral("gone.txt"))));
    QCOMPARE(m_folder.entries(), QStringList());
    // A folder that is taken is refused before anything begins.
    QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("export")));
    shown.named<QCheckBox>("exportTable").setChecked(false);
    shown.click("startExport");
    QCOMPARE(shown.studio.exports().state(), ExportStore::State::Failed); // of the one before
    QVERIFY(shown.named<QLabel>("exportPlaceNote").text().contains(QLatin1String("already")));
    QVERIFY(!shown.named<QPushButton>("startExport").isEnabled());
    shown.named<QLineEdit>("exportName").setText(QStringLiteral("another"));
    shown.click("startExport");
    QVERIFY(shown.waitFor(ExportStore::State::Done));
    QVERIFY(!shown.named<QLabel>("exportErrorWhy").isVisible());
}

void TestExportFailures::cancelLeavesNothing()
{
    Shown shown;
    QVERIFY(shown.open(m_large.path()));
    QVERIFY(shown.ask(m_folder.path(), QStringLiteral("export")));
    shown.click("startExport");
    QVERIFY(shown.waitFor(ExportStore::State::Writing));
    QTRY_VERIFY_WITH_TIMEOUT(shown.named<QProgressBar>("exportBar").value() > 0, answerMs);
    QVERIFY(shown.named<QLabel>("exportNumbers").text().contains(QLatin1String("/s")));
    QVERIFY(!m_folder.entries().isEmpty()); // it is under way
    shown.click("cancelExport");
    QVERIFY(shown.waitFor(ExportStore::State::Cancelled));
    QCOMPARE(m_folder.entries(), QStringList());
    QVERIFY(shown.named<QLabel>("exportEnd").isVisible());
    QVERIFY(shown.named<QPushButton>("startExport").isEnabled());
}

void TestExportFailures::comparisonIsLeftOut()
{
    Shown shown;
    QVERIFY(shown.open(tinyFolder()));
    QVERIFY(shown.ask(m_folder.path(), QStringLiteral("export")));
    shown.named<QSpinBox>("exportCheckTokens").setValue(100'000);
    // Stops it when it has been asked for, before its first look at the progress.
    QObject::connect(&shown.studio.exports(), &ExportStore::stateChanged, &shown.window(), [&] {
        if (shown.studio.exports().state() == ExportStore::State::Comparing)
            shown.click("cancelExport");
    });
    shown.click("startExport");
    QVERIFY(shown.waitFor(ExportStore::State::Done));
    QVERIFY(!shown.report().agreement && shown.report().agreementNote.contains(QLatin1String("left out")));
    QVERIFY(QFile::exists(m_folder.path(QStringLiteral("export/config.json"))));
}

void TestExportFailures::closedDuringTheWork()
{
    {
        Shown shown;
        QVERIFY(shown.open(m_large.path()));
        QVERIFY(shown.ask(m_folder.path(), QStringLiteral("export")));
        shown.click("startExport");
        QTRY_VERIFY_WITH_TIMEOUT(shown.named<QProgressBar>("exportBar").value() > 0, answerMs);
        QVERIFY(!m_folder.entries().isEmpty());
        // Without its dialog it goes on, and the dialog comes back to it.
        QTest::keyClick(shown.dialog(), Qt::Key_Escape);
        QTRY_VERIFY(!shown.dialog());
        QVERIFY(shown.studio.exports().busy());
        shown.action("exportModel")->trigger();
        QVERIFY(shown.named<QProgressBar>("exportBar").isVisible());
        shown.window().close();
    }
    QCOMPARE(m_folder.entries(), QStringList());
}

QTEST_MAIN(TestExportFailures)
#include "tst_exportfailures.moc"
