// SPDX-License-Identifier: Apache-2.0
#include "api/export.h"
#include "api/inspect.h"
#include "support/errorcheck.h"
#include "support/safetensorsfile.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>

using namespace colibri;
using colibri::test::complaint;

namespace {

const QString data = QStringLiteral(COLIBRI_TEST_DATA);

bool copyTo(const QString& from, const QString& to)
{
    return QFile::copy(from, to) && QFile::setPermissions(to, QFile::ReadOwner | QFile::WriteOwner);
}

const TensorInfo* tensorOf(const Inspection& inspection, const std::string& name)
{
    const auto found = std::ranges::find(inspection.tensors, name, &TensorInfo::name);
    return found == inspection.tensors.end() ? nullptr : &*found;
}

std::uint64_t missingIn(const Inspection& inspection)
{
    std::uint64_t sum = 0;
    for (const TensorInfo& tensor : inspection.tensors)
        sum += tensor.missingBytes;
    return sum;
}

} // namespace

/// Models whose data are not all there: the heads are read, every tensor is listed, and nothing runs.
class TestInspectIncomplete : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cutGguf_data();
    void cutGguf();
    void cutHead();
    void whole();
    void splitWithoutAPart();
    void splitWithACutPart_data();
    void splitWithACutPart();
    void cutSafetensors_data();
    void cutSafetensors();
    void shards_data();
    void shards();
    void exports_data();
    void exports();

private:
    QString path(const QString& name) const { return m_folder->filePath(name); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestInspectIncomplete::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestInspectIncomplete::cutGguf_data()
{
    QTest::addColumn<qint64>("size");
    const auto whole = inspectModel((data + "/gguf/model.gguf").toStdString());
    QVERIFY(whole && whole->model);
    std::vector<TensorInfo> order = whole->tensors;
    std::ranges::sort(order, {}, &TensorInfo::offset);
    const qint64 end = QFile(data + "/gguf/model.gguf").size();
    const auto row = [](const char* name, std::uint64_t size) { QTest::newRow(name) << qint64(size); };
    row("nothing but the head", order.front().offset);
    row("one byte of data", order.front().offset + 1);
    row("between two tensors", order[9].offset);
    row("inside of a tensor", order[9].offset + 100);
    row("the last byte of a tensor", order[10].offset - 1);
    row("at a page", std::uint64_t(end) / 4096 / 2 * 4096);
    row("the last byte", std::uint64_t(end) - 1);
}

void TestInspectIncomplete::cutGguf()
{
    QFETCH(const qint64, size);
    const auto whole = inspectModel((data + "/gguf/model.gguf").toStdString());
    const QString cut = path("cut.gguf");
    QVERIFY(copyTo(data + "/gguf/model.gguf", cut) && QFile::resize(cut, size));
    const auto seen = inspectModel(cut.toStdString());
    QVERIFY2(seen, seen ? "" : seen.error().message().c_str());
    QVERIFY(!seen->model && seen->refused);
    QCOMPARE(seen->tensors.size(), whole->tensors.size());
    std::uint64_t cutTensors = 0;
    for (std::size_t i = 0; i < seen->tensors.size(); ++i) {
        const TensorInfo& is = seen->tensors[i];
        const TensorInfo& was = whole->tensors[i];
        QCOMPARE(is.name, was.name);
        QVERIFY(is.offset == was.offset && is.size == was.size && is.shape == was.shape && is.dtype == was.dtype);
        const std::uint64_t there = was.offset < quint64(size) ? quint64(size) - was.offset : 0;
        QCOMPARE(is.missingBytes, was.size - std::min(was.size, there));
        QCOMPARE(is.presence, is.missingBytes == 0 ? Presence::Whole : there == 0 ? Presence::Absent : Presence::Cut);
        cutTensors += is.missingBytes > 0;
    }
    QVERIFY(cutTensors > 0);
    QCOMPARE(complaint(*seen->refused, Errc::Truncated,
                 {"cut.gguf", "offset", "bytes early", "the whole file has 340512 bytes or more"}),
        QString());
    if (cutTensors > 1)
        QVERIFY(
            seen->refused->why.find(std::to_string(cutTensors) + " tensors are cut or missing") != std::string::npos);
    QCOMPARE(seen->metadata.size(), whole->metadata.size());
    QCOMPARE(seen->files.at(0).size, quint64(size));
    QVERIFY(seen->config && seen->config->numExperts == 6 && !seen->config->origins.empty());
    const auto opened = openModel(cut.toStdString());
    QVERIFY(!opened);
    QCOMPARE(opened.error().message(), seen->refused->message()); // one text, whoever asks
}

void TestInspectIncomplete::cutHead()
{
    const auto whole = inspectModel((data + "/gguf/model.gguf").toStdString());
    QVERIFY(whole);
    std::uint64_t head = UINT64_MAX;
    for (const TensorInfo& tensor : whole->tensors)
        head = std::min(head, tensor.offset);
    const QString cut = path("cut.gguf");
    for (std::uint64_t size = head - 64; size > 0; size -= std::min<std::uint64_t>(size, 97)) {
        QFile::remove(cut);
        QVERIFY(copyTo(data + "/gguf/model.gguf", cut) && QFile::resize(cut, qint64(size)));
        QCOMPARE(complaint(inspectModel(cut.toStdString()), Errc::Truncated, {"cut.gguf", "offset"}), QString());
    }
}

void TestInspectIncomplete::whole()
{
    const auto whole = inspectModel((data + "/gguf/model.gguf").toStdString());
    QVERIFY(whole && whole->model && !whole->refused && whole->config);
    QCOMPARE(missingIn(*whole), std::uint64_t{0});
    QCOMPARE(whole->config->numExperts, whole->model->config().numExperts);
}

void TestInspectIncomplete::splitWithoutAPart()
{
    const QStringList parts{"model-00001-of-00003.gguf", "model-00002-of-00003.gguf", "model-00003-of-00003.gguf"};
    for (const QString& part : {parts[0], parts[2]})
        QVERIFY(copyTo(data + "/gguf/" + part, path(part)));
    const auto seen = inspectModel(path(parts[0]).toStdString());
    QVERIFY2(seen, seen ? "" : seen.error().message().c_str());
    QVERIFY(!seen->model);
    QCOMPARE(complaint(*seen->refused, Errc::NotFound, {parts[1].toUtf8(), "part 2 of 3"}), QString());
    QCOMPARE(seen->files.size(), std::size_t{3});
    QVERIFY(!seen->files[0].absent && seen->files[1].absent && !seen->files[2].absent);
    QVERIFY(seen->tensors.size() > 1 && seen->tensors.size() < 27);
    for (const TensorInfo& tensor : seen->tensors)
        QVERIFY(tensor.file != 1);
    QVERIFY(!openModel(path(parts[0]).toStdString()));
}

void TestInspectIncomplete::splitWithACutPart_data()
{
    QTest::addColumn<qint64>("size");
    QTest::addColumn<bool>("listed");
    QTest::newRow("in its data") << qint64{60000} << true;
    QTest::newRow("in its head") << qint64{60} << false;
    QTest::newRow("empty") << qint64{0} << false;
}

void TestInspectIncomplete::splitWithACutPart()
{
    QFETCH(const qint64, size);
    QFETCH(const bool, listed);
    for (const char* const part : {"1", "2", "3"}) {
        const QString name = QStringLiteral("model-0000%1-of-00003.gguf").arg(part);
        QVERIFY(copyTo(data + "/gguf/" + name, path(name)));
    }
    QVERIFY(QFile::resize(path("model-00002-of-00003.gguf"), size));
    const auto seen = inspectModel(path("model-00001-of-00003.gguf").toStdString());
    QVERIFY2(seen, seen ? "" : seen.error().message().c_str());
    QVERIFY(!seen->model);
    QCOMPARE(complaint(*seen->refused, Errc::Truncated, {"model-00002-of-00003.gguf"}), QString());
    QCOMPARE(seen->tensors.size() == 27, listed);
    QCOMPARE(missingIn(*seen) > 0, listed);
    QCOMPARE(seen->files.at(1).size, quint64(size));
    QVERIFY(!openModel(path("model-00001-of-00003.gguf").toStdString()));
}

void TestInspectIncomplete::cutSafetensors_data()
{
    QTest::addColumn<qint64>("less");
    QTest::newRow("the last byte") << qint64{1};
    QTest::newRow("a half") << qint64{1154860};
    QTest::newRow("nearly all") << qint64{2300000};
}

void TestInspectIncomplete::cutSafetensors()
{
    QFETCH(const qint64, less);
    for (const char* const name : {"config.json", "model.safetensors"})
        QVERIFY(copyTo(data + "/qwen3moe-f32/" + name, path(name)));
    const qint64 size = QFile(path("model.safetensors")).size() - less;
    QVERIFY(QFile::resize(path("model.safetensors"), size));
    const auto seen = inspectModel(m_folder->path().toStdString());
    QVERIFY2(seen, seen ? "" : seen.error().message().c_str());
    QVERIFY(!seen->model);
    QCOMPARE(seen->tensors.size(), std::size_t{57});
    QCOMPARE(missingIn(*seen), quint64(less));
    QVERIFY(seen->config && seen->config->numExperts == 6);
    QCOMPARE(
        complaint(*seen->refused, Errc::Truncated, {"model.safetensors", "bytes early", "2309720 bytes"}), QString());
    const auto opened = openModel(m_folder->path().toStdString());
    QVERIFY(!opened);
    QCOMPARE(opened.error().message(), seen->refused->message());
}

void TestInspectIncomplete::shards_data()
{
    QTest::addColumn<qint64>("size");
    QTest::newRow("missing") << qint64{-1};
    QTest::newRow("empty") << qint64{0};
    QTest::newRow("cut in its header") << qint64{200};
    QTest::newRow("cut in its data") << qint64{100000};
}

void TestInspectIncomplete::shards()
{
    QFETCH(const qint64, size);
    test::StoredTensors all = test::readSafetensors(data + "/qwen3moe-f32/model.safetensors");
    all.erase("__metadata__");
    QCOMPARE(all.size(), std::size_t{57});
    const QString names[]{"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"};
    test::StoredTensors halves[2];
    QByteArray map;
    for (const auto& [name, tensor] : all) {
        const int half = name.find("layers.1.") != std::string::npos;
        halves[half][name] = tensor;
        map += (map.isEmpty() ? "\"" : ",\"") + QByteArray::fromStdString(name) + "\":\"" + names[half].toUtf8() + "\"";
    }
    QVERIFY(test::writeSafetensors(path(names[0]), halves[0]) && test::writeSafetensors(path(names[1]), halves[1]));
    QVERIFY(copyTo(data + "/qwen3moe-f32/config.json", path("config.json")));
    QFile index(path("model.safetensors.index.json"));
    QVERIFY(index.open(QIODevice::WriteOnly));
    index.write("{\"weight_map\":{" + map + "}}");
    index.close();
    QVERIFY(openModel(m_folder->path().toStdString()));

    QVERIFY(size < 0 ? QFile::remove(path(names[1])) : QFile::resize(path(names[1]), size));
    const auto seen = inspectModel(m_folder->path().toStdString());
    QVERIFY2(seen, seen ? "" : seen.error().message().c_str());
    QVERIFY(!seen->model);
    QCOMPARE(complaint(*seen->refused, size < 0 ? Errc::NotFound : Errc::Truncated, {names[1].toUtf8()}), QString());
    QCOMPARE(seen->tensors.size(), std::size_t{57}); // all of them, those of the index by name
    QCOMPARE(seen->files.at(1).absent, size < 0);
    for (const TensorInfo& tensor : seen->tensors) {
        const bool second = halves[1].contains(tensor.name);
        QCOMPARE(tensor.file, std::uint32_t(second));
        QCOMPARE(tensor.presence == Presence::NameOnly, second && size < 1000);
        QVERIFY(tensor.presence != Presence::NameOnly
            || (tensor.shape.empty() && tensor.size == 0 && typeName(tensor) == "unknown"));
    }
    QCOMPARE(missingIn(*seen) > 0, size > 1000);
    QVERIFY(seen->config && seen->config->numExperts == 6);
    QVERIFY(!openModel(m_folder->path().toStdString()));
}

void TestInspectIncomplete::exports_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<qint64>("size");
    QTest::newRow("missing expert") << "experts/L01_E03.bin" << qint64{-1};
    QTest::newRow("expert cut in its header") << "experts/L01_E03.bin" << qint64{10};
    QTest::newRow("empty expert") << "experts/L01_E03.bin" << qint64{0};
    QTest::newRow("expert cut in its data") << "experts/L01_E03.bin" << qint64{1000};
    QTest::newRow("missing dense tensors") << "dense.bin" << qint64{-1};
    QTest::newRow("cut dense tensors") << "dense.bin" << qint64{5000};
}

void TestInspectIncomplete::exports()
{
    QFETCH(const QString, file);
    QFETCH(const qint64, size);
    const auto source = openModel((data + "/qwen3moe-f32").toStdString());
    QVERIFY(source);
    const QString out = path("out");
    QVERIFY(exportModel(**source, out.toStdString(), {}, nullptr, {}));
    const auto whole = inspectModel(out.toStdString());
    QVERIFY(whole && whole->model);
    const QString hurt = out + "/" + file;
    QFile::setPermissions(hurt, QFile::ReadOwner | QFile::WriteOwner);
    QVERIFY(size < 0 ? QFile::remove(hurt) : QFile::resize(hurt, size));
    const auto seen = inspectModel(out.toStdString());
    QVERIFY2(seen, seen ? "" : seen.error().message().c_str());
    QVERIFY(!seen->model);
    QCOMPARE(complaint(*seen->refused, size < 0 ? Errc::NotFound : Errc::Truncated, {file.toUtf8()}), QString());
    QCOMPARE(seen->tensors.size(), whole->tensors.size());
    std::map<std::string, std::uint64_t> expected;
    for (const TensorInfo& tensor : whole->tensors) {
        const std::uint64_t there = size > 0 ? std::uint64_t(size) : 0;
        const std::uint64_t left = there > tensor.offset ? there - tensor.offset : 0;
        const bool here = whole->files[tensor.file].path == hurt.toStdString();
        expected[tensor.name] = here ? tensor.size - std::min(left, tensor.size) : 0;
    }
    for (const TensorInfo& tensor : seen->tensors)
        QCOMPARE(tensor.missingBytes, expected[tensor.name]);
    QVERIFY(missingIn(*seen) > 0);
    QVERIFY(tensorOf(*seen, "model.norm.weight"));
    QCOMPARE(std::ranges::count(seen->files, true, &FileInfo::absent), size < 0);
    QVERIFY(seen->config && seen->config->numExperts == 6);
    QVERIFY(!openModel(out.toStdString()));
}

QTEST_GUILESS_MAIN(TestInspectIncomplete)
#include "tst_inspect_incomplete.moc"
