// SPDX-License-Identifier: Apache-2.0
#include "api/export.h"
#include "api/inspect.h"
#include "support/errorcheck.h"
#include "support/ggufbytes.h"
#include "support/safetensorsfile.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace colibri;
using colibri::test::complaint;
using colibri::test::GgufWriter;
using colibri::test::raw;
namespace t = colibri::test;

namespace {

const QString tiny = QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32/");

bool holds(const std::vector<std::string>& notes, const std::string& part)
{
    return std::ranges::any_of(notes, [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

} // namespace

/// What inspection says of parts that are damaged or cannot be sized, and of files that ask for too much.
class TestInspectDamage : public QObject {
    Q_OBJECT

private slots:
    void init();
    void unknownTypesBehindTheEnd();
    void unknownArchitectureOfACutFile();
    void aSplitOfManyParts();
    void moreShardsThanAnyone();
    void damagedShards_data();
    void damagedShards();
    void tensorInTheOtherShard();
    void damagedExpert();
    void tables_data();
    void tables();

private:
    QString path(const QString& name) const { return m_folder->filePath(name); }
    void write(const QString& name, const QByteArray& bytes) const;
    void writeShards(bool twice) const;
    Result<Inspection> seen(const QString& name = {}) const
    {
        return inspectModel((name.isEmpty() ? m_folder->path() : path(name)).toStdString());
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestInspectDamage::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestInspectDamage::write(const QString& name, const QByteArray& bytes) const
{
    QFile file(path(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), bytes.size());
}

/// A type without a known size is marked by where it begins; as many are marked as the error counts.
void TestInspectDamage::unknownTypesBehindTheEnd()
{
    GgufWriter w;
    w.words("general.architecture", "qwen3moe");
    for (const char* const name : {"a", "b", "c"})
        w.tensor(name, {256}, 200, QByteArray(64, 'x'));
    w.tensor("d", {8}, 0, QByteArray(32, 'y'));
    const QByteArray file = w.file();
    const auto at = [&](qsizetype dataBytes) {
        write("x.gguf", file.left(w.head().size() + dataBytes));
        std::vector<Presence> marks;
        const auto inspection = seen("x.gguf");
        if (!inspection)
            return marks;
        const auto cut = std::ranges::count_if(
            inspection->tensors, [](const TensorInfo& tensor) { return tensor.presence != Presence::Whole; });
        const std::string why = inspection->refused->why;
        if (cut > 1 && why.find(std::to_string(cut) + " tensors are cut or missing") == std::string::npos)
            return marks;
        for (const TensorInfo& tensor : inspection->tensors)
            marks.push_back(tensor.presence);
        return marks;
    };
    using P = Presence;
    QCOMPARE(at(224), (std::vector<P>{P::Whole, P::Whole, P::Whole, P::Whole}));
    QCOMPARE(at(200), (std::vector<P>{P::Whole, P::Whole, P::Whole, P::Cut}));
    QCOMPARE(at(129), (std::vector<P>{P::Whole, P::Whole, P::Whole, P::Absent}));
    QCOMPARE(at(128), (std::vector<P>{P::Whole, P::Whole, P::Absent, P::Absent}));
    QCOMPARE(at(10), (std::vector<P>{P::Whole, P::Absent, P::Absent, P::Absent}));
    QCOMPARE(complaint(*seen("x.gguf")->refused, Errc::Truncated,
                 {"tensor \"b\" of an unknown size at offset 64", "ends before it begins",
                     "whole file has " + QByteArray::number(file.size()) + " bytes or more"}),
        QString());
}

void TestInspectDamage::unknownArchitectureOfACutFile()
{
    GgufWriter w;
    w.words("general.architecture", "mamba").tensor("a", {8}, 0, QByteArray(32, 'y'));
    write("x.gguf", w.file().chopped(1));
    const auto inspection = seen("x.gguf");
    QVERIFY(inspection && inspection->refused && !inspection->config);
    QCOMPARE(complaint(*inspection->refused, Errc::Truncated, {"1 bytes early"}), QString());
    QVERIFY(holds(inspection->notes, "architecture \"mamba\" is not known"));
    write("x.gguf", w.file());
    const auto whole = seen("x.gguf");
    QVERIFY(whole && whole->refused);
    QCOMPARE(complaint(*whole->refused, Errc::Unsupported, {"architecture \"mamba\" is not known"}), QString());
    QVERIFY(!holds(whole->notes, "is not known")); // said once
}

/// A head of 200 bytes that states 65,535 parts makes a list of a bounded length; one that contradicts itself, none.
void TestInspectDamage::aSplitOfManyParts()
{
    const auto first = [](bool statesTensors) {
        GgufWriter w;
        w.words("general.architecture", "qwen3moe").key("split.count", t::u16, raw(std::uint16_t(65535)));
        if (statesTensors)
            w.key("split.tensors.count", t::i32, raw(std::int32_t(7)));
        return w.file();
    };
    write("x-00001-of-65535.gguf", first(false));
    const auto inspection = seen("x-00001-of-65535.gguf");
    QVERIFY2(inspection, inspection ? "" : inspection.error().message().c_str());
    QCOMPARE(inspection->files.size(), std::size_t{101});
    QVERIFY(inspection->notes.size() < 110);
    QCOMPARE(complaint(*inspection->refused, Errc::NotFound, {"x-00002-of-65535.gguf", "part 2 of 65535"}), QString());
    QVERIFY(holds(inspection->notes, "x-00102-of-65535.gguf: the file does not exist, nor do 65433 parts behind it"));

    write("x-00001-of-65535.gguf", first(true));
    QCOMPARE(complaint(seen("x-00001-of-65535.gguf"), Errc::Malformed,
                 {"x-00001-of-65535.gguf", "offset", "split.count is 65535", "split.tensors.count 7"}),
        QString());
}

/// As many shards as tensors, none of them there: time and lists grow with the index, not with its square.
void TestInspectDamage::moreShardsThanAnyone()
{
    constexpr int count = 100000;
    QByteArray map;
    for (int i = 0; i < count; ++i)
        map += (i ? ",\"t" : "\"t") + QByteArray::number(i) + "\":\"s" + QByteArray::number(i) + "\"";
    write("model.safetensors.index.json", "{\"weight_map\":{" + map + "}}");
    QVERIFY(QFile::copy(tiny + "config.json", path("config.json")));
    QElapsedTimer timer;
    timer.start();
    const auto inspection = seen();
    QVERIFY2(inspection, inspection ? "" : inspection.error().message().c_str());
    QCOMPARE(inspection->tensors.size(), std::size_t{count});
    QCOMPARE(inspection->files.size(), std::size_t{count});
    for (const TensorInfo& tensor : inspection->tensors)
        QVERIFY(inspection->files[tensor.file].path.ends_with("/s" + tensor.name.substr(1)));
    QVERIFY2(timer.elapsed() < 60000, qPrintable(QString::number(timer.elapsed()))); // squared: some minutes
}

void TestInspectDamage::writeShards(bool twice) const
{
    test::StoredTensors all = test::readSafetensors(tiny + "model.safetensors");
    all.erase("__metadata__");
    test::StoredTensors halves[2];
    QByteArray map;
    for (const auto& [name, tensor] : all) {
        const int half = name.find("layers.1.") != std::string::npos;
        halves[half][name] = tensor;
        map += (map.isEmpty() ? "\"" : ",\"") + QByteArray::fromStdString(name)
            + (half ? "\":\"1.safetensors\"" : "\":\"2.safetensors\"");
    }
    if (twice)
        halves[0]["model.layers.1.mlp.gate.weight"] = all["model.layers.1.mlp.gate.weight"];
    QVERIFY(test::writeSafetensors(path("1.safetensors"), halves[1]));
    QVERIFY(test::writeSafetensors(path("2.safetensors"), halves[0]));
    QVERIFY(QFile::copy(tiny + "config.json", path("config.json")));
    write("model.safetensors.index.json", "{\"weight_map\":{" + map + "}}");
}

void TestInspectDamage::damagedShards_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<Errc>("code");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("pointer") << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4711\n")
                             << Errc::Malformed << QByteArray("Git LFS");
    QTest::newRow("zeros") << QByteArray(4096, '\0') << Errc::Truncated << QByteArray("unexpected end of input");
    QTest::newRow("a length without end") << QByteArray(4096, '\xFF') << Errc::Malformed << QByteArray("header length");
    QTest::newRow("no JSON") << QByteArray("\x08\0\0\0\0\0\0\0{\"a\":::}", 16) << Errc::Malformed
                             << QByteArray("offset");
}

/// Names come from the index; the other shard is listed with all that it says.
void TestInspectDamage::damagedShards()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const Errc, code);
    QFETCH(const QByteArray, says);
    writeShards(false);
    write("1.safetensors", bytes);
    const auto inspection = seen();
    QVERIFY2(inspection, inspection ? "" : inspection.error().message().c_str());
    QVERIFY(!inspection->model);
    QCOMPARE(complaint(*inspection->refused, code, {"1.safetensors", says}), QString());
    QCOMPARE(inspection->tensors.size(), std::size_t{57});
    for (const TensorInfo& tensor : inspection->tensors)
        QCOMPARE(
            tensor.presence, tensor.name.find("layers.1.") == std::string::npos ? Presence::Whole : Presence::NameOnly);
    QVERIFY(!inspection->files[0].absent);
    QVERIFY(!openModel(m_folder->path().toStdString()));
}

/// The file that is not there is not said to hold anything.
void TestInspectDamage::tensorInTheOtherShard()
{
    writeShards(true);
    QVERIFY(QFile::remove(path("1.safetensors")));
    QCOMPARE(complaint(seen(), Errc::Mismatch,
                 {"model.safetensors.index.json", "model.layers.1.mlp.gate.weight into 1.safetensors", "it stands in",
                     "2.safetensors"}),
        QString());
}

void TestInspectDamage::damagedExpert()
{
    const auto source = openModel(tiny.toStdString());
    QVERIFY(source);
    const QString out = path("out");
    QVERIFY(exportModel(**source, out.toStdString(), {}, nullptr, {}));
    const QString blob = out + "/experts/L01_E03.bin";
    const auto size = QFileInfo(blob).size();
    QVERIFY(QFile::remove(blob));
    QCOMPARE(
        complaint(openModel(out.toStdString()), Errc::NotFound,
            {"config.json", "offset", "tensors[", "].file is \"experts/L01_E03.bin\"", "does not exist", "3 tensors"}),
        QString());
    write("out/experts/L01_E03.bin", QByteArray(size, '\0'));
    const auto inspection = seen("out");
    QVERIFY2(inspection, inspection ? "" : inspection.error().message().c_str());
    QCOMPARE(complaint(*inspection->refused, Errc::Malformed, {"experts/L01_E03.bin", "magic"}), QString());
    QVERIFY(QFile::resize(blob, size - 1));
    QCOMPARE(complaint(openModel(out.toStdString()), Errc::Malformed, {"experts/L01_E03.bin", "magic"}), QString());

    QVERIFY(QFile::remove(out + "/dense.bin"));
    write("out/dense.bin", QByteArray(100, '\0'));
    const auto opened = openModel(out.toStdString());
    QCOMPARE(complaint(opened, Errc::Truncated,
                 {"dense.bin", "ends at 100", "bytes early", "tensors are cut or missing, the whole file has"}),
        QString());
}

void TestInspectDamage::tables_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("bytes"); // the first ones; null: the file is removed
    QTest::addColumn<Errc>("code");
    QTest::addColumn<bool>("noted");
    QTest::newRow("no table") << "router_table.bin" << QByteArray() << Errc::NotFound << true;
    QTest::newRow("bad ids") << "router_table.bin" << QByteArray(2, '\xFF') << Errc::Malformed << true;
    QTest::newRow("other ids") << "router_table.bin" << QByteArray("swap") << Errc::Mismatch << false;
    QTest::newRow("no logits") << "router_logits.bin" << QByteArray() << Errc::NotFound << false;
    QTest::newRow("bad scales") << "router_logits.bin" << QByteArray("end") << Errc::Malformed << false;
}

/// However a table is damaged, the rest is listed, and the file stands among the files.
void TestInspectDamage::tables()
{
    QFETCH(const QString, file);
    QFETCH(const QByteArray, bytes);
    QFETCH(const Errc, code);
    const auto source = openModel(tiny.toStdString());
    QVERIFY(source);
    ExportOptions options;
    options.routerTable.emplace();
    for (TokenId id = 0; id < 40; ++id)
        options.routerTable->tokens.push_back(id);
    const auto report = exportModel(**source, path("out").toStdString(), options, nullptr, {});
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    const auto whole = seen("out");
    QVERIFY(whole && whole->model);
    const QString name = path("out/" + file);
    QFile content(name);
    QVERIFY(content.open(QIODevice::ReadOnly));
    QByteArray all = content.readAll();
    content.close();
    QVERIFY(QFile::remove(name));
    if (bytes == "swap") // of every row, so of those that sanity tells
        for (qsizetype i = 0; i + 3 < all.size(); i += 4)
            std::swap_ranges(all.begin() + i, all.begin() + i + 2, all.begin() + i + 2);
    else if (bytes == "end")
        all.replace(all.size() - 8, 8, QByteArray(8, '\xFF'));
    else
        all.replace(0, bytes.size(), bytes);
    if (!bytes.isNull())
        write("out/" + file, all);
    const auto inspection = seen("out");
    QVERIFY2(inspection, inspection ? "" : inspection.error().message().c_str());
    QVERIFY(!inspection->model);
    QVERIFY2(complaint(*inspection->refused, code, {file.toUtf8()}).isEmpty(), inspection->refused->message().c_str());
    QCOMPARE(inspection->tensors.size(), whole->tensors.size());
    const auto listed = std::ranges::find(inspection->files, name.toStdString(), &FileInfo::path);
    QVERIFY(listed != inspection->files.end());
    QCOMPARE(listed->absent, bytes.isNull());
    QFETCH(const bool, noted);
    QCOMPARE(holds(inspection->notes, "there is no usable routing table"), noted);
}

QTEST_GUILESS_MAIN(TestInspectDamage)
#include "tst_inspect_damage.moc"
