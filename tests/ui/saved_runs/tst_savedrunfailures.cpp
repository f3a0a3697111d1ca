// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/run_file.h"
#include "shownruns.h"
#include "support/generatedmodel.h"

#include <QElapsedTimer>
#include <QFile>
#include <QSettings>
#include <QToolButton>

using namespace colibri;
using namespace colibri::test;

/// Runs that cannot be saved or do not come back, and work that is overtaken.
class TestSavedRunFailures : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void aModelThatIsAnotherOne();
    void aModelThatIsGone();
    void aDamagedFile();
    void savingThatFails();
    void theNewestWins();
    void closedDuringTheWork();

private:
    QString path(const char* name) const { return m_folder.path(name); }
    SavedRunFolder m_folder;
};

void TestSavedRunFailures::initTestCase()
{
    QVERIFY(m_folder.make());
}

void TestSavedRunFailures::init()
{
    QSettings().clear();
}

void TestSavedRunFailures::aModelThatIsAnotherOne()
{
    QTemporaryDir folder;
    test::GeneratedShape shape;
    QVERIFY(test::writeHuggingFaceModel(folder.path().toStdString(), shape));
    Shown shown;
    QVERIFY(shown.open(folder.path()));
    QVERIFY(shown.runPrompt(QStringLiteral("5, 6 7"), 9));
    QVERIFY(shown.waitFor(RunStore::State::Finished));
    const QString id = QString::fromStdString(shown.run().info().modelId);
    QVERIFY(shown.save(path("old.colibri-run")));
    shown.action("closeModel")->trigger();
    shape.ffn += 3;
    QVERIFY(test::writeHuggingFaceModel(folder.path().toStdString(), shape));
    QVERIFY(shown.drop(path("old.colibri-run")));
    QVERIFY(shown.waitForBox());
    const QString why = shown.box()->informativeText();
    const QString now = QString::fromStdString((*openModel(folder.path().toStdString()))->id());
    QVERIFY(id != now);
    for (const QString& part : {id, now, folder.path(), path("old.colibri-run")})
        QVERIFY2(why.contains(part), qPrintable(why));
    QVERIFY(!shown.box()->isModal());
    QVERIFY2(shown.tasks().contains(now), qPrintable(shown.tasks()));
    QVERIFY(shown.run().file().isEmpty() && shown.run().tokens() == 0);
    QVERIFY(picture(*shown.box(), QStringLiteral("another-model")));
    shown.box()->close();
    // The window works on with the model that is there.
    QVERIFY(shown.runPrompt(QStringLiteral("5, 6 7"), 9));
    QVERIFY(shown.waitFor(RunStore::State::Finished));
}

void TestSavedRunFailures::aModelThatIsGone()
{
    auto folder = std::make_unique<QTemporaryDir>();
    const QString place = folder->path();
    QVERIFY(test::writeHuggingFaceModel(place.toStdString(), {}));
    Shown shown;
    QVERIFY(shown.open(place));
    QVERIFY(shown.runPrompt(QStringLiteral("5, 6 7"), 9));
    QVERIFY(shown.waitFor(RunStore::State::Finished));
    const QString id = QString::fromStdString(shown.run().info().modelId);
    QVERIFY(shown.save(path("gone.colibri-run")));
    QVERIFY(shown.open(tinyFolder()));
    QTRY_VERIFY(shown.window().windowTitle().contains(QStringLiteral("qwen3moe-f32")));
    folder.reset();
    QVERIFY(shown.drop(path("gone.colibri-run")));
    QVERIFY(shown.waitForBox());
    const QString why = shown.box()->informativeText();
    for (const QString& part : {id, place, path("gone.colibri-run"), tinyFolder()})
        QVERIFY2(why.contains(part), qPrintable(why));
    QVERIFY(shown.run().file().isEmpty());
}

void TestSavedRunFailures::aDamagedFile()
{
    QFile good(path("first.colibri-run"));
    QVERIFY(good.open(QIODevice::ReadOnly));
    QByteArray bytes = good.readAll();
    bytes[bytes.size() - 100] = char(bytes[bytes.size() - 100] ^ 4);
    QFile bad(path("bad.colibri-run"));
    QVERIFY(bad.open(QIODevice::WriteOnly) && bad.write(bytes) == bytes.size());
    bad.close();
    Shown shown;
    QVERIFY(shown.open(tinyFolder()));
    QVERIFY(shown.runPrompt(QStringLiteral("the quick brown fox"), 9));
    QVERIFY(shown.waitFor(RunStore::State::Finished));
    const QString text = shown.run().text();
    QVERIFY(shown.drop(path("bad.colibri-run")));
    QVERIFY(shown.waitForBox());
    QVERIFY2(shown.box()->informativeText().contains("XXH64"), qPrintable(shown.box()->informativeText()));
    QVERIFY(shown.box()->informativeText().contains(path("bad.colibri-run")));
    QVERIFY2(shown.tasks().contains("XXH64"), qPrintable(shown.tasks()));
    QCOMPARE(shown.run().text(), text); // what was shown stays
    auto* const log = shown.window().findChild<QToolButton*>(QStringLiteral("statusLog"));
    QVERIFY2(log->text().contains("errors: 1"), qPrintable(log->text()));
}

void TestSavedRunFailures::savingThatFails()
{
    Shown shown;
    QVERIFY(shown.drop(path("first.colibri-run")));
    QTRY_VERIFY_WITH_TIMEOUT(shown.run().tokens() > 20, answerMs);
    const QString target = path("no folder/a.colibri-run");
    shown.action("saveRun")->trigger();
    auto* const dialog = shown.window().findChild<QFileDialog*>(QStringLiteral("saveRunDialog"));
    QVERIFY(dialog && dialog->isVisible());
    QVERIFY(dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->text().startsWith("qwen3moe-f32-"));
    emit dialog->fileSelected(target); // the dialog itself refuses folders that are not there
    dialog->close();
    QVERIFY(shown.waitForBox());
    QVERIFY2(shown.box()->informativeText().contains(target), qPrintable(shown.box()->informativeText()));
}

void TestSavedRunFailures::theNewestWins()
{
    Shown shown;
    QVERIFY(QFile::copy(path("first.colibri-run"), path("second.colibri-run")));
    QVERIFY(shown.open(tinyFolder()));
    for (int i = 0; i < 5; ++i)
        QVERIFY(shown.drop(path("first.colibri-run")));
    QVERIFY(shown.drop(path("second.colibri-run")));
    QTRY_COMPARE_WITH_TIMEOUT(shown.run().file(), path("second.colibri-run"), answerMs);
    QTest::qWait(200);
    QCOMPARE(shown.run().file(), path("second.colibri-run"));
    // An opening of the user's takes the place of the one that a saved run waits for.
    shown.action("closeModel")->trigger();
    QVERIFY(shown.drop(path("first.colibri-run")));
    QVERIFY(shown.open(tinyFolder()));
    QTest::qWait(200);
    QVERIFY(!shown.box());
}

void TestSavedRunFailures::closedDuringTheWork()
{
    for (const int wait : {0, 1, 5, 20}) {
        auto shown = std::make_unique<Shown>();
        QVERIFY(shown->drop(path("first.colibri-run")));
        QTest::qWait(wait);
        QElapsedTimer clock;
        clock.start();
        QVERIFY(shown->window().close());
        shown.reset();
        QVERIFY2(clock.elapsed() < 2000, qPrintable(QString::number(clock.elapsed())));
    }
}

QTEST_MAIN(TestSavedRunFailures)
#include "tst_savedrunfailures.moc"
