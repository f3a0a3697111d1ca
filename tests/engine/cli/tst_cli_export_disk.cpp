// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/program.h"
#include "support/generatedmodel.h"

#include <QDir>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <random>

#include <sys/mount.h>

using namespace colibri::test;

namespace {

constexpr int kills = 10;

/// All bytes below the folders in `folder` whose names begin with a dot.
qint64 unfinishedBytes(const QString& folder)
{
    qint64 bytes = 0;
    for (const QString& name : QDir(folder).entryList({".*"}, QDir::Dirs | QDir::Hidden | QDir::NoDotAndDotDot))
        for (QDirIterator each(folder + '/' + name, QDir::Files, QDirIterator::Subdirectories); each.hasNext();) {
            each.next();
            bytes += each.fileInfo().size();
        }
    return bytes;
}

/// Starts an export and ends it by SIGKILL once that many bytes lie there, or when it is done.
void killAt(const QString& source, const QString& out, qint64 bytes)
{
    QProcess process;
    process.start(programPath(), {"export", source, "--out", out});
    QElapsedTimer timer;
    timer.start();
    while (process.state() != QProcess::NotRunning && timer.elapsed() < 60000) {
        if (unfinishedBytes(QFileInfo(out).path()) >= bytes)
            process.kill();
        process.waitForFinished(1);
    }
}

/// A small file system for as long as it lives.
class SmallDisk {
public:
    SmallDisk(const QString& folder, const char* options)
        : m_folder(folder.toUtf8())
        , m_mounted(mount("none", m_folder.constData(), "tmpfs", 0, options) == 0)
    {
    }
    ~SmallDisk()
    {
        if (m_mounted)
            umount(m_folder.constData());
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    bool mounted() const { return m_mounted; }

private:
    QByteArray m_folder;
    bool m_mounted;
};

} // namespace

/// `colibri export` when it is ended in the middle, and on a disk that is too small.
class TestCliExportDisk : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void killedLeavesNothingThatOpens();
    void diskTooSmall();
    void diskFillsMeanwhile();
    void changedTypesAreNamed();

private:
    QTemporaryDir m_dir;
    QString m_source;
};

void TestCliExportDisk::initTestCase()
{
    m_source = m_dir.filePath("source");
    GeneratedShape shape;
    shape.vocab = 2048;
    shape.hidden = 256;
    shape.layers = 4;
    shape.experts = 48;
    shape.ffn = 128;
    QVERIFY(QDir().mkpath(m_source) && writeHuggingFaceModel(m_source.toStdString(), shape)); // 40 MB
}

void TestCliExportDisk::killedLeavesNothingThatOpens()
{
    const QTemporaryDir folder;
    const QString out = folder.filePath("out");
    const qint64 all = QFileInfo(m_source + "/model.safetensors").size();
    std::mt19937 random(20); // the same moments in every run of the test
    int unfinished = 0;
    for (int i = 0; i < kills; ++i) {
        killAt(m_source, out, all * qint64(random() % 1000) / 1000 + 1);
        if (QDir(out).exists()) { // it was faster
            QCOMPARE(runColibri({"inspect", out}).code, 0);
            QVERIFY(QDir(out).removeRecursively());
            continue;
        }
        const QStringList left = QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
        QCOMPARE(left.size(), 1);
        const Outcome opened = runColibri({"inspect", folder.filePath(left.front())});
        QCOMPARE(opened.code, 2);
        QVERIFY2(opened.err.contains("not finished"), opened.err.constData());
        ++unfinished;
        QVERIFY(QDir(folder.filePath(left.front())).removeRecursively());
    }
    qInfo("%d of %d were ended in the middle", unfinished, kills);
    QVERIFY(unfinished > 0);
    QCOMPARE(runColibri({"export", m_source, "--out", out}).code, 0);
}

void TestCliExportDisk::diskTooSmall()
{
    const QTemporaryDir folder;
    const SmallDisk disk(folder.path(), "size=1m");
    if (!disk.mounted())
        QSKIP("this user may not mount a file system");
    const Outcome outcome = runColibri({"export", m_source, "--out", folder.filePath("out")});
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.err.contains("bytes, the file system has 1048576 free"), outcome.err.constData());
    QVERIFY(QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
}

/// There is room for the bytes but not for the files.
void TestCliExportDisk::diskFillsMeanwhile()
{
    const QTemporaryDir folder;
    const SmallDisk disk(folder.path(), "size=100m,nr_inodes=20");
    if (!disk.mounted())
        QSKIP("this user may not mount a file system");
    const Outcome outcome = runColibri({"export", m_source, "--out", folder.filePath("out")});
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.err.contains("No space left on device"), outcome.err.constData());
    QVERIFY(QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
}

void TestCliExportDisk::changedTypesAreNamed()
{
    const auto report = onlyJson(runColibri({"export", m_source, "--out", m_dir.filePath("plain"), "--json"}));
    QVERIFY(report);
    QVERIFY((*report)["changed_types"].isArray() && (*report)["changed_types"].toArray().isEmpty());
}

QTEST_GUILESS_MAIN(TestCliExportDisk)
#include "tst_cli_export_disk.moc"
