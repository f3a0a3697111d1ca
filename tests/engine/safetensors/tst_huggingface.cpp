// SPDX-License-Identifier: Apache-2.0
#include "format/metadata_list.h"
#include "format/readers.h"
#include "safetensorsbytes.h"
#include "support/errorcheck.h"
#include "support/unoptimized.h"

#include <QTemporaryDir>
#include <QtTest>

#include <ctime>
#include <filesystem>
#include <set>

using namespace colibri;
using colibri::test::complaint;
using colibri::test::entry;
using colibri::test::safetensorsFile;

Q_DECLARE_METATYPE(Errc)

namespace {

QByteArray weights(const QList<QByteArray>& names)
{
    QByteArray header = "{";
    for (int i = 0; i < names.size(); ++i)
        header += (i ? "," : "")
            + entry(
                names[i], "F16", "[2]", "[" + QByteArray::number(4 * i) + "," + QByteArray::number(4 * i + 4) + "]");
    return safetensorsFile(header + "}", QByteArray(4 * names.size(), 'w'));
}

QByteArray index(const QList<std::pair<QByteArray, QByteArray>>& places)
{
    QByteArray text = "{\n\"metadata\": {\"total_size\": 8},\n\"weight_map\": {";
    for (int i = 0; i < places.size(); ++i)
        text += (i ? ",\n\"" : "\n\"") + places[i].first + "\": \"" + places[i].second + "\"";
    return text + "}}";
}

constexpr const char* first = "model-00001-of-00002.safetensors";
constexpr const char* second = "model-00002-of-00002.safetensors";
constexpr const char* indexName = "model.safetensors.index.json";

} // namespace

class HuggingFaceTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void tinyFolder();
    void demoFolder();
    void singleFile();
    void metadataIsListed();
    void shards();
    void thousandShards();
    void linksAreFollowed();
    void notes();
    void cancelled();
    void refusedIndex_data();
    void refusedIndex();
    void refusedFolders();

private:
    void write(const QString& name, const QByteArray& bytes) const
    {
        QFile file(m_folder->filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes), bytes.size());
    }
    void writeShards() const
    {
        write(first, weights({"b", "c"}));
        write(second, weights({"a"}));
        write(indexName, index({{"b", first}, {"c", first}, {"a", second}}));
    }
    std::string path() const { return m_folder->path().toStdString(); }
    Result<ModelSource> read() const { return readHuggingFaceFolder(path(), {}); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void HuggingFaceTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    write("config.json", R"({"model_type":"qwen3_moe"})");
}

void HuggingFaceTest::cleanup()
{
    m_folder.reset();
}

void HuggingFaceTest::tinyFolder()
{
    const std::string folder = COLIBRI_TEST_DATA "/qwen3moe-f32";
    const auto source = readHuggingFaceFolder(folder, {});
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QCOMPARE(source->format, std::string("huggingface"));
    QCOMPARE(source->path, folder);
    QCOMPARE(source->configFile, folder + "/config.json");
    QCOMPARE(source->tokenizerFile, folder + "/tokenizer.json");
    QCOMPARE(*source->config.find("model_type")->string(), std::string("qwen3_moe"));
    QVERIFY(!source->generationConfig);
    QVERIFY(source->notes.empty());
    QCOMPARE(source->files.size(), std::size_t{1});
    QCOMPARE(source->tensors.size(), std::size_t{57});
    std::uint64_t bytes = 0;
    std::set<std::string> names;
    for (const TensorInfo& tensor : source->tensors) {
        QVERIFY(names.empty() || *names.rbegin() < tensor.name);
        names.insert(tensor.name);
        bytes += tensor.size;
    }
    QCOMPARE(bytes + source->tensors[0].offset,
        std::uint64_t(QFileInfo(COLIBRI_TEST_DATA "/qwen3moe-f32/model.safetensors").size()));
    const auto& embedding = *std::find_if(source->tensors.begin(), source->tensors.end(),
        [](const auto& t) { return t.name == "model.embed_tokens.weight"; });
    QCOMPARE(embedding.shape, (std::vector<std::uint64_t>{320, 128}));
    QVERIFY(embedding.dtype == DType::F32);
}

void HuggingFaceTest::demoFolder()
{
    const QString shared = qEnvironmentVariable("COLIBRI_SHARED");
    if (shared.isEmpty())
        QSKIP("COLIBRI_SHARED is not set");
    const auto source = readHuggingFaceFolder((shared + "/demo-model").toStdString(), {});
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QCOMPARE(source->tensors.size(), std::size_t{344});
    QVERIFY(source->notes.empty());
    std::uint64_t elements = 0;
    for (const TensorInfo& tensor : source->tensors) {
        QVERIFY(tensor.dtype == DType::F16);
        elements += tensor.size / 2;
    }
    QVERIFY(elements > 20'500'000 && elements < 20'700'000); // 20.6 M parameters
}

void HuggingFaceTest::singleFile()
{
    write("model.safetensors", weights({"b", "a"}));
    write("generation_config.json", R"({"eos_token_id":[5,6]})");
    const auto source = read();
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QCOMPARE(source->tensors.size(), std::size_t{2});
    QCOMPARE(source->tensors[0].name, std::string("a"));
    QCOMPARE(source->tensors[0].offset, source->tensors[1].offset + 4);
    QVERIFY(source->tokenizerFile.empty());
    QVERIFY(source->generationConfig);
    QCOMPARE(source->generationConfig->find("eos_token_id")->array()->at(1).unsignedInteger(),
        std::optional<std::uint64_t>(6));
}

void HuggingFaceTest::metadataIsListed()
{
    write("config.json",
        R"({"model_type":"qwen3_moe","rope_scaling":{"factor":4.5,"type":"yarn"},"ids":[1,2,3,4,5,6,7,8,9,10],"none":null,"empty":{}})");
    write("generation_config.json", R"({"temperature":0.6})");
    write("model.safetensors", weights({"a"}));
    const auto source = read();
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QStringList lines;
    for (const MetadataEntry& entry : listMetadata(*source)) {
        QVERIFY(entry.offset > 0 && QString::fromStdString(entry.file).startsWith(m_folder->path()));
        lines += QString::fromStdString(entry.key + " " + entry.type + " " + entry.value);
    }
    QCOMPARE(lines,
        (QStringList{"model_type string \"qwen3_moe\"", "rope_scaling.factor number 4.5",
            "rope_scaling.type string \"yarn\"", "ids array [1, 2, 3, 4, 5, 6, 7, 8, ...] (10)", "none null null",
            "empty object {}", "temperature number 0.6"}));
}

void HuggingFaceTest::shards()
{
    writeShards();
    const auto source = read();
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QVERIFY(source->notes.empty());
    QCOMPARE(source->files.size(), std::size_t{2});
    const std::string fileOf[3] = {second, first, first};
    for (std::size_t i = 0; i < 3; ++i) {
        QCOMPARE(source->tensors[i].name, std::string(1, char('a' + i)));
        QCOMPARE(source->files[source->tensors[i].file]->path(), path() + "/" + fileOf[i]);
    }
}

void HuggingFaceTest::thousandShards()
{
    constexpr int shards = 1000;
    QList<std::pair<QByteArray, QByteArray>> places;
    for (int i = 0; i < shards; ++i) {
        const QByteArray name = "model-" + QByteArray::number(i + 1).rightJustified(5, '0') + "-of-01000.safetensors";
        QList<QByteArray> tensors;
        for (int t = 0; t < 20; ++t) {
            tensors.append("model.layers." + QByteArray::number(i) + ".w" + QByteArray::number(t));
            places.append({tensors.last(), name});
        }
        write(name, weights(tensors));
    }
    write(indexName, index(places));
    const std::clock_t start = std::clock(); // of this process: other programs on the machine do not count
    const auto source = read();
    const double elapsed = double(std::clock() - start) / CLOCKS_PER_SEC;
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QVERIFY(source->notes.empty());
    QCOMPARE(source->tensors.size(), std::size_t{20 * shards});
    QVERIFY2(elapsed < test::unoptimized * 0.5, qPrintable(QString("%1 s").arg(elapsed)));
}

void HuggingFaceTest::linksAreFollowed()
{
    // A download cache keeps the bytes elsewhere and links to them.
    QTemporaryDir blobs;
    writeShards();
    QVERIFY(QFile::rename(m_folder->filePath(first), blobs.filePath("1f2e")));
    std::filesystem::create_symlink(blobs.filePath("1f2e").toStdString(), path() + "/" + first);
    const auto source = read();
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QCOMPARE(source->tensors.size(), std::size_t{3});
    QVERIFY(QFile::remove(blobs.filePath("1f2e")));
    QCOMPARE(complaint(read(), Errc::NotFound, {first, "shard 1 of the 2"}), QString());
}

void HuggingFaceTest::notes()
{
    writeShards();
    write("stray.safetensors", "not even looked at");
    write(second, weights({"a", "extra"}));
    const auto source = read();
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QCOMPARE(source->tensors.size(), std::size_t{4});
    QCOMPARE(source->notes.size(), std::size_t{2});
    const std::string all = source->notes[0] + "\n" + source->notes[1];
    for (const std::string part :
        {"stray.safetensors: this file of weights is not part", "tensor extra is not listed", second})
        QVERIFY2(all.find(part) != all.npos, all.c_str());

    write("model.safetensors", weights({"a"}));
    const auto single = read();
    QVERIFY(single);
    QCOMPARE(single->tensors.size(), std::size_t{1});
    QVERIFY(single->notes.size() == 4 && single->notes[0].find(indexName) != std::string::npos);
}

void HuggingFaceTest::cancelled()
{
    writeShards();
    std::stop_source stop;
    stop.request_stop();
    QCOMPARE(complaint(readHuggingFaceFolder(path(), stop.get_token()), Errc::Cancelled, {path().c_str()}), QString());
}

void HuggingFaceTest::refusedIndex_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<Errc>("code");
    QTest::addColumn<QList<QByteArray>>("parts");
    const auto row = [](const char* name, const QByteArray& text, Errc code, const QList<QByteArray>& parts) {
        QTest::newRow(name) << text << code << parts;
    };
    for (const char* const name :
        {"../x.safetensors", "/etc/passwd", "sub/x.safetensors", "..", ".", "", "sub\\\\x", "x\\u0000y"})
        row(name, index({{"b", first}, {"a", name}}), Errc::Malformed,
            {indexName, "offset", "weight_map[\"a\"]", "plain name"});
    row("a number for a file", R"({"weight_map":{"a":7}})", Errc::Malformed,
        {indexName, "offset 20", "weight_map[\"a\"] is 7"});
    row("no map", R"({"metadata":{}})", Errc::Malformed, {indexName, "offset 15", "weight_map is missing"});
    row("map is a list", R"({"weight_map":["a"]})", Errc::Malformed, {indexName, "weight_map is an array of 1"});
    row("empty map", R"({"weight_map":{}})", Errc::Malformed, {indexName, "weight_map"});
    row("list", "[]", Errc::Malformed, {indexName, "the file holds an array of 0"});
    row("no JSON", "weights", Errc::Malformed, {indexName, "offset 0"});
    row("duplicate tensor", index({{"a", first}, {"a", second}}), Errc::Malformed,
        {indexName, "key \"a\" stands twice", "line 5"});
    row("missing shard", index({{"b", first}, {"c", first}, {"a", "model-00003-of-00003.safetensors"}}), Errc::NotFound,
        {"model-00003-of-00003.safetensors", "shard 2 of the 2", indexName});
    row("tensor of no shard", index({{"b", first}, {"a", second}, {"d", second}}), Errc::Mismatch,
        {indexName, "offset", "tensor d into " + QByteArray(second), "no shard holds it"});
    row("tensor of the other shard", index({{"b", second}, {"c", first}, {"a", second}}), Errc::Mismatch,
        {indexName, "tensor b into " + QByteArray(second), first});
}

void HuggingFaceTest::refusedIndex()
{
    QFETCH(QByteArray, text);
    QFETCH(Errc, code);
    QFETCH(QList<QByteArray>, parts);
    writeShards();
    write(indexName, text);
    QCOMPARE(complaint(read(), code, parts), QString());
}

void HuggingFaceTest::refusedFolders()
{
    QCOMPARE(complaint(read(), Errc::NotFound, {path().c_str(), "model.safetensors", indexName}), QString());

    writeShards();
    write(second, weights({"a", "b"}));
    QCOMPARE(complaint(read(), Errc::Malformed, {first, second, "tensor b stands here and in", "offset"}), QString());
    write(second, weights({"a"}).chopped(1));
    QCOMPARE(complaint(read(), Errc::Truncated, {second, "tensor a", "1 bytes early"}), QString());

    write("generation_config.json", "{");
    QCOMPARE(complaint(read(), Errc::Truncated, {"generation_config.json", "offset 1"}), QString());
    write("config.json", "[1,2]");
    QCOMPARE(complaint(read(), Errc::Malformed, {"config.json", "offset 5", "an array of 2"}), QString());
    QVERIFY(QFile::remove(m_folder->filePath("config.json")));
    QCOMPARE(complaint(read(), Errc::NotFound, {"config.json"}), QString());
    QCOMPARE(complaint(readHuggingFaceFolder(path() + "/none", {}), Errc::NotFound, {"none/config.json"}), QString());

    write("config.json", "{}");
    QVERIFY(QFile::remove(m_folder->filePath("generation_config.json")));
    QVERIFY(QDir(m_folder->path()).mkdir("model.safetensors"));
    QCOMPARE(complaint(read(), Errc::Io, {"model.safetensors"}), QString());
}

QTEST_APPLESS_MAIN(HuggingFaceTest)
#include "tst_huggingface.moc"
