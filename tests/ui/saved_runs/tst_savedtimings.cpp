// SPDX-License-Identifier: GPL-3.0-or-later
// The window says that the timings of a run were saved, and the log keeps it.
#include "shownruns.h"

#include "views/activity/logpanel.h"
#include "views/latency/latencypage.h"

#include <QAbstractItemView>
#include <QFile>
#include <QStatusBar>

using namespace colibri;
using namespace colibri::test;

class TestSavedTimings : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(m_settings.begin()); }

    void aSavedFileIsNamed()
    {
        Shown shown;
        QVERIFY(shown.open(tinyFolder()));
        QVERIFY(shown.runPrompt(QStringLiteral("the quick brown fox"), 8));
        QVERIFY(shown.waitFor(RunStore::State::Finished));
        auto* const latency = shown.window().findChild<LatencyPage*>();
        shown.window().showPage(QStringLiteral("latency"));
        QTRY_VERIFY(latency->exportActions()[0]->isEnabled());
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("steps.csv"));
        latency->exportActions()[0]->trigger();
        QVERIFY(shown.choose("saveDialog", path));
        QTRY_COMPARE(shown.window().statusBar()->currentMessage(), QStringLiteral("Saved steps.csv"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().count('\n'), int(shown.run().timings().size()) + 1);
        const auto* const log = shown.window().findChild<LogPanel*>()->findChild<QAbstractItemView*>()->model();
        QString last;
        for (int at = 0; at < log->columnCount(); ++at)
            last += log->index(log->rowCount() - 1, at).data().toString() + u'|';
        QVERIFY2(last.contains(QStringLiteral("timings")) && last.contains(path), qPrintable(last));
    }

private:
    OwnSettings m_settings;
};

QTEST_MAIN(TestSavedTimings)
#include "tst_savedtimings.moc"
