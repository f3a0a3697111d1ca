// SPDX-License-Identifier: Apache-2.0
#include "format/readers.h"
#include "support/errorcheck.h"
#include "support/ggufbytes.h"
#include "support/unoptimized.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <ctime>
#include <filesystem>

using namespace colibri;
using colibri::test::complaint;
using colibri::test::GgufWriter;
using colibri::test::raw;
namespace t = colibri::test;

namespace {

QByteArray part(int number, int count, int tensors, const QList<QByteArray>& names, bool metadata)
{
    GgufWriter w;
    if (metadata)
        w.words("general.architecture", "qwen3moe").number("qwen3moe.block_count", 2);
    w.key("split.no", t::u16, raw(std::uint16_t(number)));
    w.key("split.count", t::u16, raw(std::uint16_t(count)));
    w.key("split.tensors.count", t::i32, raw(std::int32_t(tensors)));
    for (const QByteArray& name : names)
        w.tensor(name, {8}, 0, QByteArray(32, name[0]));
    return w.file();
}

const char* const partNames[]{"m-00001-of-00003.gguf", "m-00002-of-00003.gguf", "m-00003-of-00003.gguf"};

} // namespace

class GgufFilesTest : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void cleanup() { m_folder.reset(); }
    void oneFile();
    void splits();
    void damagedSplits();
    void architectureIsNeeded();
    void cancelled();
    void goldenFiles();
    void hundredGigabytes();

private:
    std::string path(const QString& name) const { return m_folder->filePath(name).toStdString(); }
    void write(const QString& name, const QByteArray& bytes) const
    {
        QFile file(m_folder->filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes), bytes.size());
    }
    void writeParts() const
    {
        write(partNames[0], part(0, 3, 3, {}, true)); // the first may hold metadata alone
        write(partNames[1], part(1, 3, 3, {"c", "a"}, false));
        write(partNames[2], part(2, 3, 3, {"b"}, false));
    }
    Result<ModelSource> read(const QString& name) const { return readModelSource(path(name), {}, {}); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void GgufFilesTest::oneFile()
{
    GgufWriter w;
    w.words("general.architecture", "qwen3moe")
        .number("split.count", 1)
        .tensor("b", {8}, 0, QByteArray(32, 'b'))
        .tensor("a", {8}, 0, QByteArray(32, 'a'));
    write("any name", w.file()); // known by its first bytes
    const auto source = read("any name");
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QCOMPARE(source->format, std::string("gguf"));
    QCOMPARE(source->configFile, path("any name"));
    QCOMPARE(source->metadata.size(), std::size_t{2});
    QCOMPARE(*source->config.find("general.architecture")->string(), std::string("qwen3moe"));
    QCOMPARE(source->tensors.at(0).name, std::string("a"));
    QCOMPARE(char(source->files[0]->bytes()[source->tensors[0].offset]), 'a');

    write("broken.gguf", "GG");
    QCOMPARE(complaint(read("broken.gguf"), Errc::Truncated, {"broken.gguf", "offset 2", "2 bytes"}), QString());
    write("other.gguf", "PKzip file of some kind, which is long enough");
    QCOMPARE(complaint(read("other.gguf"), Errc::Malformed, {"other.gguf", "offset 0", "\"PKzi\""}), QString());
    write("text.txt", "hello");
    QCOMPARE(complaint(read("text.txt"), Errc::Unsupported, {"text.txt", "no GGUF"}), QString());
    QCOMPARE(complaint(read("none.gguf"), Errc::NotFound, {"none.gguf"}), QString());
}

void GgufFilesTest::splits()
{
    writeParts();
    const auto source = read(partNames[0]);
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QCOMPARE(source->files.size(), std::size_t{3});
    QCOMPARE(source->tensors.size(), std::size_t{3});
    for (std::size_t i = 0; i < 3; ++i) {
        const TensorInfo& tensor = source->tensors[i];
        QCOMPARE(tensor.name, std::string(1, char('a' + i)));
        QCOMPARE(char(source->files[tensor.file]->bytes()[tensor.offset]), char('a' + i));
    }
    QCOMPARE(source->config.find("qwen3moe.block_count")->unsignedInteger(), std::optional<std::uint64_t>(2));
    for (int i : {1, 2})
        QCOMPARE(complaint(read(partNames[i]), Errc::Unsupported,
                     {partNames[i], "offset", "is part " + QByteArray::number(i + 1) + " of 3", "open the first one",
                         partNames[0]}),
            QString());
}

void GgufFilesTest::damagedSplits()
{
    const auto refused = [&](Errc code, const QList<QByteArray>& parts) {
        QCOMPARE(complaint(read(partNames[0]), code, parts), QString());
        writeParts();
    };
    writeParts();
    QVERIFY(QFile::remove(m_folder->filePath(partNames[1])));
    refused(Errc::NotFound, {partNames[1], "part 2 of 3"});
    write(partNames[1], part(2, 3, 3, {"c", "a"}, false)); // counted from 1
    refused(Errc::Mismatch, {partNames[1], "offset", "split.no is 2", "needs 1"});
    write(partNames[2], part(2, 4, 3, {"b"}, false));
    refused(Errc::Mismatch, {partNames[2], "offset", "split.count is 4", "needs 3"});
    write(partNames[2], GgufWriter().tensor("b", {8}, 0, QByteArray(32, 'b')).file());
    refused(Errc::Mismatch, {partNames[2], "split.no is missing"});
    write(partNames[2], part(2, 3, 3, {"b", "z"}, false));
    refused(Errc::Mismatch, {partNames[0], "offset", "split.tensors.count is 3", "4 tensors"});
    write(partNames[2], part(2, 3, 3, {"a"}, false));
    refused(Errc::Malformed, {partNames[1], partNames[2], "tensor a stands here and in", "offset"});
    write(partNames[2], part(2, 3, 3, {"b"}, false).chopped(1));
    refused(Errc::Truncated, {partNames[2], "\"b\"", "1 bytes early"});
    write(partNames[0], GgufWriter().words("general.architecture", "x").words("split.count", "three").file());
    refused(Errc::Malformed, {partNames[0], "offset", "split.count is \"three\" of type string", "integer"});

    QVERIFY(QFile::rename(m_folder->filePath(partNames[0]), m_folder->filePath("renamed.gguf")));
    QCOMPARE(complaint(read("renamed.gguf"), Errc::Mismatch,
                 {"renamed.gguf", "split.count is 3", "NAME-00001-of-00003.gguf"}),
        QString());
}

void GgufFilesTest::architectureIsNeeded()
{
    write("m.gguf", GgufWriter().number("general.alignment", 32).file());
    QCOMPARE(complaint(read("m.gguf"), Errc::Malformed, {"m.gguf", "general.architecture is missing"}), QString());
    write("m.gguf", GgufWriter().number("general.architecture", 7).file());
    QCOMPARE(complaint(read("m.gguf"), Errc::Malformed, {"m.gguf", "offset", "general.architecture is 7", "string"}),
        QString());
}

void GgufFilesTest::cancelled()
{
    writeParts();
    std::stop_source stop;
    stop.request_stop();
    QCOMPARE(complaint(readGguf(path(partNames[0]), stop.get_token()), Errc::Cancelled, {partNames[0]}), QString());
}

void GgufFilesTest::goldenFiles()
{
    const QString shared = qEnvironmentVariable("COLIBRI_SHARED");
    if (shared.isEmpty())
        QSKIP("COLIBRI_SHARED is not set");
    int models = 0;
    for (const QString& name : QDir(shared + "/golden").entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const QString folder = shared + "/golden/" + name;
        const bool split = name.endsWith("-split");
        const auto source =
            readModelSource((folder + (split ? "/model-00001-of-00003.gguf" : "/model.gguf")).toStdString(), {}, {});
        QVERIFY2(source, source ? "" : source.error().message().c_str());
        QVERIFY2(source->notes.empty(), source->notes.empty() ? "" : source->notes[0].c_str());
        QFile description(folder + "/golden.json");
        QVERIFY(description.open(QIODevice::ReadOnly));
        const QJsonObject golden = QJsonDocument::fromJson(description.readAll()).object();
        QCOMPARE(
            QString::fromStdString(*source->config.find("general.architecture")->string()), golden["arch"].toString());
        QHash<QString, int> types;
        for (const TensorInfo& tensor : source->tensors)
            ++types[QString::fromUtf8(typeName(tensor).data()).toUpper()];
        const QJsonObject expected = golden["tensor_types"].toObject();
        for (const QString& type : expected.keys())
            QCOMPARE(types[type], expected[type].toInt());
        QCOMPARE(types.size(), expected.size());
        ++models;
    }
    QVERIFY(models > 30);
}

/// 40,000 tensors and a vocabulary of 400,000 pieces in a file of 100 GB that holds no bytes of weights.
void GgufFilesTest::hundredGigabytes()
{
    constexpr std::uint64_t tensorBytes = 2'500'000;
    constexpr std::uint64_t tensors = 40'000;
    GgufWriter w;
    QByteArray pieces;
    for (int i = 0; i < 400'000; ++i)
        pieces += GgufWriter::string("piece" + QByteArray::number(i));
    w.words("general.architecture", "qwen3moe")
        .key("tokenizer.ggml.tokens", t::array, GgufWriter::list(t::text, 400'000, pieces));
    for (std::uint64_t i = 0; i < tensors; ++i)
        w.entry("blk." + QByteArray::number(qulonglong(i)) + ".w.weight", {tensorBytes}, 24, i * tensorBytes);
    write("large.gguf", w.head());
    std::error_code failed;
    std::filesystem::resize_file(path("large.gguf"), std::uint64_t(w.head().size()) + tensors * tensorBytes, failed);
    if (failed)
        QSKIP("the file system has no files of 100 GB");

    const std::clock_t start = std::clock(); // of this process: other programs on the machine do not count
    const auto source = read("large.gguf");
    const double elapsed = double(std::clock() - start) / CLOCKS_PER_SEC;
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QVERIFY(source->files[0]->bytes().size() > 100'000'000'000);
    QCOMPARE(source->tensors.size(), std::size_t(tensors));
    QCOMPARE(source->metadata.at(1).value.count, std::uint64_t{400'000});
    QVERIFY2(elapsed < test::unoptimized * 0.5, qPrintable(QString("%1 s").arg(elapsed)));
}

QTEST_APPLESS_MAIN(GgufFilesTest)
#include "tst_gguf_files.moc"
