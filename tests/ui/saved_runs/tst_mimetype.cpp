// SPDX-License-Identifier: GPL-3.0-or-later
// What a desktop knows of saved runs, by the files that are installed for it.
#include "api/run_file.h"
#include "stores/runsnapshot.h"
#include "ui/support/testrun.h"

#include <QDir>
#include <QMimeDatabase>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

using namespace colibri;
using namespace colibri::test;

class TestMimeType : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const QString packages = m_folder.filePath(QStringLiteral("mime/packages"));
        QVERIFY(QDir().mkpath(packages));
        QVERIFY(QFile::copy(
            QStringLiteral(COLIBRI_PACKAGING "/colibri-run.xml"), packages + QStringLiteral("/colibri-run.xml")));
        qputenv("XDG_DATA_HOME", m_folder.path().toUtf8());
    }

    void savedRunIsKnown_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("by name and content") << "a.colibri-run";
        QTest::newRow("by content") << "a";
    }
    void savedRunIsKnown()
    {
        QFETCH(const QString, name);
        RunStore store;
        TestRun run({}, store);
        run.fillWithStory();
        store.finish(StopReason::MaxTokens);
        const QString path = m_folder.filePath(name);
        QVERIFY(saveRun(snapshotOf(store), path.toStdString(), {}, {}));
        QCOMPARE(QMimeDatabase().mimeTypeForFile(path, QMimeDatabase::MatchContent).name(), type);
        QCOMPARE(QMimeDatabase().mimeTypeForFile(path).name(), type);
    }

    void programOpensThem()
    {
        const QSettings entry(QStringLiteral(COLIBRI_PACKAGING "/colibri-studio.desktop"), QSettings::IniFormat);
        const QString types = entry.value(QStringLiteral("Desktop Entry/MimeType")).toString();
        QVERIFY(types.startsWith(type));
        QVERIFY(entry.value(QStringLiteral("Desktop Entry/Exec")).toString().endsWith(QStringLiteral("%f")));
    }

private:
    const QString type = QStringLiteral("application/x-colibri-run");
    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestMimeType)
#include "tst_mimetype.moc"
