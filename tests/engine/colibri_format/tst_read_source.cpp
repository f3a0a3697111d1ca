// SPDX-License-Identifier: Apache-2.0
#include "engine/colibri_format/sample.h"
#include "support/errorcheck.h"

#include "format/readers.h"

#include <QDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace colibri;
using colibri::test::complaint;

class ReadSourceTest : public QObject {
    Q_OBJECT

private slots:
    void choosesTheReader();
    void unfinishedExportsStayClosed();
    void namesWhatIsNoModel();
    void unreadableFolder();

private:
    static Result<ModelSource> read(const QString& path) { return readModelSource(path.toStdString(), {}, {}); }
};

/// Even a complete folder is none under the name that it has until it is published; that name can be given to no
/// export.
void ReadSourceTest::unfinishedExportsStayClosed()
{
    const sample::Model model(DType::F16);
    QVERIFY(writeColibriExport(model.request(model.path("out"), DType::F16), {}, {}));
    const QString hidden = model.path(".out.partial-123-0");
    QVERIFY(QDir().rename(model.path("out"), hidden));
    for (const QString& path : {hidden, hidden + '/', hidden + "/config.json"})
        QCOMPARE(complaint(read(path), Errc::Unsupported, {"not finished"}), QString());
    const auto report = writeColibriExport(model.request(model.path(".x.partial-1"), DType::F16), {}, {});
    QVERIFY(!report && report.error().code == Errc::OutOfRange);
    for (const char* const name : {"out", ".out.partial-123-0x", "out.partial-1-0", ".hidden"}) {
        QVERIFY(QDir().mkpath(model.path("there")));
        QVERIFY(QDir().rename(hidden, model.path(QString("there/") + name)));
        QVERIFY2(read(model.path(QString("there/") + name)), name);
        QVERIFY(QDir().rename(model.path(QString("there/") + name), hidden));
    }
}

void ReadSourceTest::choosesTheReader()
{
    const sample::Model model(DType::F16);
    QVERIFY(writeColibriExport(model.request(model.path("out"), DType::F16), {}, {}));
    for (const char* const path : {"out", "out/", "out/config.json"}) {
        const auto source = read(model.path(path));
        QVERIFY2(source, source ? "" : source.error().message().c_str());
        QCOMPARE(source->format, std::string("colibri"));
        QCOMPARE(source->tensors.size(), model.source.tensors.size());
    }
    const QString before = QDir::currentPath();
    QDir::setCurrent(model.path("out"));
    const auto here = read("config.json");
    QDir::setCurrent(before);
    QVERIFY(here && here->format == "colibri");

    sample::writeFile(model.path("raw/expert_0.bin"), QByteArray(2 * (9 * 9 + 9), '\0'));
    sample::writeFile(model.path("raw/router_table.bin"), QByteArray(8, '\0'));
    const auto raw = read(model.path("raw"));
    QVERIFY2(raw, raw ? "" : raw.error().message().c_str());
    QCOMPARE(raw->format, std::string("raw"));

    // Safetensors are read as a Hugging Face folder: this one is refused by that reader.
    sample::writeFile(model.path("hf/config.json"), "{\"model_type\": \"qwen3_moe\"}");
    sample::writeFile(model.path("hf/model.safetensors"), QByteArray(4, '\0'));
    QCOMPARE(complaint(read(model.path("hf")), Errc::Truncated, {"model.safetensors"}), QString());

    // Options of a raw export decide, whatever else the folder holds.
    QCOMPARE(
        complaint(readModelSource(model.path("hf").toStdString(), RawOptions{}, {}), Errc::NotFound, {"expert_0.bin"}),
        QString());
}

void ReadSourceTest::namesWhatIsNoModel()
{
    QTemporaryDir folder;
    sample::writeFile(folder.filePath("notes.txt"), "hello");
    sample::writeFile(folder.filePath("empty config/config.json"), "{}");
    const QList<QByteArray> lookedFor{"\"format\": \"colibri\"", "*.safetensors", "expert_*.bin"};
    QCOMPARE(complaint(read(folder.path()), Errc::NotFound, QList<QByteArray>{folder.path().toUtf8()} + lookedFor),
        QString());
    QCOMPARE(complaint(read(folder.filePath("empty config")), Errc::NotFound, lookedFor), QString());
    QCOMPARE(
        complaint(read(folder.filePath("missing")), Errc::NotFound, {"missing", "no such file or folder"}), QString());
    QCOMPARE(complaint(read(folder.filePath("notes.txt/config.json")), Errc::NotFound, {"notes.txt/config.json"}),
        QString());
    QCOMPARE(
        complaint(read(folder.filePath("notes.txt")), Errc::Unsupported, {"notes.txt", "is a file", "config.json"}),
        QString());
    QCOMPARE(complaint(read(""), Errc::NotFound, {"no such file or folder"}), QString());
}

void ReadSourceTest::unreadableFolder()
{
    if (geteuid() == 0)
        QSKIP("root may read every folder");
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir("closed"));
    QCOMPARE(chmod(qPrintable(folder.filePath("closed")), 0), 0);
    QCOMPARE(complaint(read(folder.filePath("closed")), Errc::Io, {"closed", "ermission"}), QString());
    QCOMPARE(chmod(qPrintable(folder.filePath("closed")), 0700), 0);
}

QTEST_APPLESS_MAIN(ReadSourceTest)
#include "tst_read_source.moc"
