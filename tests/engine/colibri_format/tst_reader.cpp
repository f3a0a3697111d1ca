// SPDX-License-Identifier: Apache-2.0
#include "engine/colibri_format/sample.h"

#include "format/readers.h"
#include "format/verify_checksum.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <functional>

using namespace colibri;

namespace {

/// Breaks one rule of an export in the folder given.
using Break = std::function<void(const QString& folder)>;

Break replaced(const char* file, const QByteArray& before, const QByteArray& after)
{
    return [=](const QString& folder) {
        QByteArray text = sample::readFile(folder + "/" + file);
        const auto at = text.indexOf(before);
        if (at < 0)
            qFatal("%s does not hold %s", file, before.constData());
        sample::writeFile(folder + "/" + file, text.replace(at, before.size(), after));
    };
}

Break config(const QByteArray& before, const QByteArray& after)
{
    return replaced("config.json", before, after);
}

/// Bytes of a file from `offset` on become `bytes`.
Break patched(const char* file, int offset, const QByteArray& bytes)
{
    return [=](const QString& folder) {
        QByteArray content = sample::readFile(folder + "/" + file);
        sample::writeFile(folder + "/" + file, content.replace(offset, bytes.size(), bytes));
    };
}

Break cut(const char* file, int size)
{
    return [=](const QString& folder) {
        sample::writeFile(folder + "/" + file, sample::readFile(folder + "/" + file).left(size));
    };
}

constexpr const char* blob = "experts/L01_E02.bin";

} // namespace

Q_DECLARE_METATYPE(Break)

class ReaderTest : public QObject {
    Q_OBJECT

private slots:
    void brokenRules_data();
    void brokenRules();
    void hostileConfigs_data();
    void hostileConfigs();
    void linksInsideAreFollowed();
    void suspiciousThingsAreNotes();
    void payloadChecksumIsNotVerified();
    void openingStops();

private:
    sample::Model m_model{DType::F32};
};

void ReaderTest::brokenRules_data()
{
    QTest::addColumn<Break>("damage");
    QTest::addColumn<Errc>("code");
    QTest::addColumn<QStringList>("texts");
    const auto row = [](const char* name, const Break& damage, Errc code, const QStringList& texts) {
        QTest::newRow(name) << damage << code << texts;
    };
    constexpr Errc malformed = Errc::Malformed;

    row("format", config("\"colibri\",", "\"colobri\","), malformed, {"config.json", "format is \"colobri\""});
    row("version", config("\"version\": 1", "\"version\": 2"), Errc::Unsupported, {"version is 2"});
    row("version text", config("\"version\": 1", "\"version\": \"1\""), malformed, {"version is a string"});
    row("no architecture", config("architecture", "architektur"), malformed, {"\"architecture\" is missing"});
    row("no dimension", config("max_seq_len", "max_len"), malformed, {"\"max_seq_len\" is missing"});
    row("negative dimension", config("\"num_layers\": 2", "\"num_layers\": -2"), malformed,
        {"num_layers is -2", "from 1 to 65536"});
    row("fractional dimension", config("\"hidden_size\": 7", "\"hidden_size\": 7.5"), malformed,
        {"hidden_size is 7.5"});
    row("zero experts", config("\"num_experts\": 3", "\"num_experts\": 0"), malformed, {"num_experts is 0"});
    row("too many experts", config("\"num_experts\": 3", "\"num_experts\": 65536"), malformed,
        {"num_experts is 65536"});
    row("k above experts", config("\"num_active_experts\": 2", "\"num_active_experts\": 4"), malformed,
        {"num_active_experts is 4", "num_experts 3"});
    row("router logits", config("\"index\":", "\"router_logits\": {}, \"index\":"), malformed,
        {"\"router_logits.file\" is missing"});
    row("dense layers have no rows", config("\"num_layers\": 2", "\"dense_layers\": 1, \"num_layers\": 2"),
        Errc::Mismatch, {"router_table.layers is 2", "num_layers less dense_layers is 1"});
    row("only dense layers", config("\"num_layers\": 2", "\"dense_layers\": 2, \"num_layers\": 2"), malformed,
        {"dense_layers is 2", "from 0 to 1"});
    row("no tensors", config("\"tensors\":", "\"tensor\":"), malformed, {"\"tensors\" has to be a list"});
    row("entry is no object", config("{\"name\":\"embed\"", "7, {\"name\":\"embed\""), malformed,
        {"tensors[0] is a number"});
    row("no name", config("\"name\":\"embed\",", ""), malformed, {"\"tensors[0].name\" is missing"});
    row("name twice", config("\"name\":\"norm\"", "\"name\":\"embed\""), malformed, {"tensors[1].name is embed"});
    row("absolute file", config("\"file\":\"dense.bin\"", "\"file\":\"/etc/passwd\""), malformed,
        {"/etc/passwd", "plain path"});
    row("file above", config("\"file\":\"dense.bin\"", "\"file\":\"../out/dense.bin\""), malformed,
        {"../out/dense.bin", "plain path"});
    row("file with dot", config("\"file\":\"dense.bin\"", "\"file\":\"./dense.bin\""), malformed, {"plain path"});
    row("empty file", config("\"file\":\"dense.bin\"", "\"file\":\"\""), malformed, {"plain path"});
    row("missing file", [](const QString& folder) { QFile::remove(folder + "/dense.bin"); }, Errc::NotFound,
        {"dense.bin"});
    row("link that leads out",
        [](const QString& folder) {
            QFile::rename(folder + "/dense.bin", folder + "/../dense");
            QFile::link("../dense", folder + "/dense.bin");
        },
        malformed, {"dense.bin", "leads out of the folder"});
    row("folder link that leads out",
        [](const QString& folder) {
            QDir().rename(folder + "/experts", folder + "/../experts");
            QFile::link("../experts", folder + "/experts");
        },
        malformed, {"experts/L00_E00.bin", "leads out of the folder"});
    row("odd offset", config("\"offset\":0,", "\"offset\":32,"), malformed,
        {"tensors[0].offset (embed) is 32", "multiple of 64"});
    row("negative offset", config("\"offset\":0,", "\"offset\":-64,"), malformed, {"tensors[0].offset is -64"});
    row("wrong size", config("\"size\":308", "\"size\":304"), Errc::Mismatch,
        {"size (embed) is 304", "[11, 7] of f32 needs 308"});
    row("shape overflows", config("\"shape\":[11,7]", "\"shape\":[4294967296,4294967296,4294967296]"), malformed,
        {"more bytes than 64 bits"});
    row("shape wraps to the size",
        config("\"size\":308,\"dtype\":\"f32\",\"shape\":[11,7]",
            "\"size\":0,\"dtype\":\"f32\",\"shape\":[4611686018427387904]"),
        malformed, {"more bytes than 64 bits"});
    row("shape too deep", config("\"shape\":[11,7]", "\"shape\":[11,7,1,1,1,1,1,1,1]"), malformed, {"9 dimensions"});
    row("shape of text", config("\"shape\":[11,7]", "\"shape\":[\"11\",7]"), malformed,
        {"shape (embed) holds a string"});
    row("shape is no list", config("\"shape\":[11,7]", "\"shape\":77"), malformed, {"shape (embed) has to be a list"});
    row("outside of the file", config("\"offset\":0,", "\"offset\":6400000,"), Errc::Truncated,
        {"dense.bin", "offset 6400000", "embed has 308 bytes", "bytes early"});
    row("offset near 2^64", config("\"offset\":0,", "\"offset\":18446744073709551552,"), malformed,
        {"dense.bin", "18446744073709551552", "embed has 308 bytes", "its end does not fit in 64 bits"});
    row("truncated file", cut("dense.bin", 1000), Errc::Truncated, {"dense.bin", "ends at 1000"});
    row("overlap", config("\"offset\":320,", "\"offset\":256,"), malformed,
        {"dense.bin", "norm begins here, inside of embed", "ends at 308"});
    row("GGUF dtype", config("308,\"dtype\":\"f32\"", "308,\"dtype\":\"q8_0\""), malformed,
        {"shape (embed) has rows of 7", "q8_0 has blocks of 32"});
    row("blocks of another size",
        config("308,\"dtype\":\"f32\",\"shape\":[11,7]", "308,\"dtype\":\"q8_0\",\"shape\":[11,32]"), Errc::Mismatch,
        {"size (embed) is 308", "of q8_0 needs 374"});
    row("column_major blocks",
        config("308,\"dtype\":\"f32\",\"shape\":[11,7],\"layout\":\"row_major\"",
            "308,\"dtype\":\"q8_0\",\"shape\":[11,32],\"layout\":\"column_major\""),
        malformed, {"layout (embed)", "only matrices"});
    for (const char* const dtype : {"f64", "f8_e4m3", "i8", "bool", "unknown", "Q8_0"})
        row((QByteArray("dtype ") + dtype).constData(),
            config("308,\"dtype\":\"f32\"", QByteArray("308,\"dtype\":\"") + dtype + "\""), Errc::Unsupported,
            {dtype, "f32, f16, bf16, int8 and the block types of GGUF"});
    row("unknown layout", config("\"layout\":\"row_major\"", "\"layout\":\"rows\""), malformed,
        {"layout (embed) is \"rows\""});
    row("column_major vector",
        config("\"shape\":[7],\"layout\":\"row_major\"", "\"shape\":[7],\"layout\":\"column_major\""), malformed,
        {"layout (norm)", "only matrices"});
    row("checksum text", config("\"xxh64\":\"", "\"xxh64\":\"x"), malformed, {"xxh64 (embed)", "16 hex digits"});

    row("blob name", [](const QString& folder) { config("experts/L01_E02.bin", "experts/L1_E2.bin")(folder); },
        malformed, {"experts/L1_E2.bin", "experts/L03_E07.bin"});
    row("blob magic", patched(blob, 3, "0"), malformed, {blob, "magic is 43 4f 4c 30"});
    row("blob version", patched(blob, 8, "\2"), Errc::Unsupported, {blob, "offset 8", "version is 2"});
    row("blob dtype", patched(blob, 10, "\1"), Errc::Mismatch, {blob, "offset 10", "dtype is 1", "code 0"});
    row("blob GGUF dtype", patched(blob, 10, QByteArray(1, 24)), Errc::Mismatch,
        {blob, "offset 10", "dtype is 24 (q8_0)", "is f32", "code 0"});
    row("blob dtype of nothing", patched(blob, 10, QByteArray(1, 17)), Errc::Mismatch,
        {blob, "dtype is 17, which stands for no type"});
    row("blob layer", patched(blob, 12, QByteArray(1, '\0')), Errc::Mismatch,
        {blob, "offset 12", "layer is 0", "says 1"});
    row("blob expert", patched(blob, 14, "\1"), Errc::Mismatch, {blob, "offset 14", "expert is 1", "says 2"});
    row("blob header size", patched(blob, 16, QByteArray(1, '\0')), Errc::Mismatch,
        {blob, "offset 16", "header_size is 0", "64"});
    row("blob tensor count", patched(blob, 20, "\3"), Errc::Mismatch,
        {blob, "offset 20", "tensor_count is 3", "lists 2"});
    row("blob payload size", patched(blob, 30, "\1"), Errc::Truncated, {blob, "offset 24", "payload_size"});
    row("blob payload too small", patched(blob, 24, QByteArray("\100\0", 2)), Errc::Mismatch,
        {blob, "the payload ends at 128"});
    row("blob reserved", patched(blob, 63, "x"), malformed, {blob, "offset 63", "reserved byte is 120"});
    row("blob shorter than its header", cut(blob, 63), Errc::Truncated, {blob, "offset 63", "header"});
    row("blob truncated", cut(blob, 500), Errc::Truncated, {blob});
    row("swapped blobs",
        [](const QString& folder) {
            QFile::rename(folder + "/experts/L00_E00.bin", folder + "/x");
            QFile::rename(folder + "/experts/L00_E01.bin", folder + "/experts/L00_E00.bin");
            QFile::rename(folder + "/x", folder + "/experts/L00_E01.bin");
        },
        Errc::Mismatch, {"L00_E00.bin", "expert is 1", "says 0"});
    row("blob layer beyond the config", config("\"num_layers\": 2", "\"num_layers\": 1"), Errc::OutOfRange,
        {"layer 1, expert 0", "1 layers"});
    row("tensor in the header", config("L00_E00.bin\",\"offset\":64", "L00_E00.bin\",\"offset\":0"), malformed,
        {"L00_E00.bin", "inside of the expert's header"});
    row("blob order",
        [](const QString& folder) {
            // weight and bias of L00_E00 change places in config.json, not in the file
            config("\"name\":\"layer0.expert0.weight\"", "\"name\":\"swapped\"")(folder);
            config("\"offset\":64,\"size\":660,\"dtype\":\"f32\",\"shape\":[5,33]",
                "\"offset\":768,\"size\":20,\"dtype\":\"f32\",\"shape\":[5]")(folder);
            config("expert0.bias\",\"file\":\"experts/L00_E00.bin\",\"offset\":768",
                "expert0.bias\",\"file\":\"experts/L00_E00.bin\",\"offset\":64")(folder);
        },
        malformed, {"L00_E00.bin", "layer0.expert0.bias lies in front of swapped", "order of config.json"});
    row("table is no object", config("\"router_table\": {", "\"router_table\": 5, \"old\": {"), malformed,
        {"router_table is a number"});
    row("table file", [](const QString& folder) { QFile::remove(folder + "/router_table.bin"); }, Errc::NotFound,
        {"router_table.bin"});
    row("table size", cut("router_table.bin", 86), Errc::Mismatch, {"router_table.bin", "has 86 bytes", "need 88"});
    row("table rows", config("\"rows\":11", "\"rows\":12"), Errc::Mismatch, {"router_table.bin", "need 96"});
    row("table overflows", config("\"rows\":11", "\"rows\":4294967295"), Errc::Mismatch, {"router_table.bin"});
    row("table k", config("\"k\":2", "\"k\":1"), Errc::Mismatch, {"router_table.k is 1", "num_active_experts is 2"});
    row("table layers",
        config("\"router_table\": {\"file\":\"router_table.bin\",\"layers\":2",
            "\"router_table\": {\"file\":\"router_table.bin\",\"layers\":1"),
        Errc::Mismatch, {"router_table.layers is 1", "num_layers is 2"});
    row("table zero rows", config("\"rows\":11", "\"rows\":0"), malformed, {"router_table.rows is 0"});
    row("table link", config("\"file\":\"router_table.bin\"", "\"file\":\"../source/table.bin\""), malformed,
        {"plain path"});
    row("table id", patched("router_table.bin", 66, "\3"), malformed,
        {"router_table.bin", "offset 66", "layer 1, row 5, column 1 names expert 3", "there are 3"});
    row("table duplicate", patched("router_table.bin", 6, "\1"), malformed,
        {"row 1, column 1 names expert 1", "already"});
    row("table index", config("\"index\": \"token\"", "\"index\": \"row\""), malformed, {"index has to be"});
    row("sanity", config("\"experts\":[1,2]", "\"experts\":[2,1]"), Errc::Mismatch,
        {"router_table.bin", "layer 0, token 4", "expects experts [2, 1]", "holds [1, 2]"});
    row("sanity token", config("\"token\":10", "\"token\":11"), malformed, {"sanity[1].token is 11"});
    row("sanity layer", config("\"sanity\": [{\"layer\":0", "\"sanity\": [{\"layer\":2"), malformed,
        {"sanity[0].layer is 2"});
    row("sanity count", config("\"experts\":[1,2]", "\"experts\":[1]"), malformed, {"sanity[0].experts", "list of 2"});
    row("sanity id", config("\"experts\":[1,2]", "\"experts\":[1,3]"), malformed, {"no expert id below 3"});
    row("sanity is no list", config("\"sanity\": [", "\"sanity\": 1, \"x\": ["), malformed, {"sanity is a number"});
}

void ReaderTest::brokenRules()
{
    QFETCH(Break, damage);
    QFETCH(Errc, code);
    QFETCH(QStringList, texts);
    QTemporaryDir folder;
    const QString out = folder.filePath("out");
    QVERIFY(writeColibriExport(m_model.request(out, DType::F32), {}, {}));
    QVERIFY(readColibriExport(out.toStdString(), {}));
    damage(out);
    const auto source = readColibriExport(out.toStdString(), {});
    QVERIFY2(!source, "was read");
    const QString message = QString::fromStdString(source.error().message());
    QVERIFY2(source.error().code == code, qPrintable(message));
    for (const QString& text : texts)
        QVERIFY2(message.contains(text), qPrintable(message));
}

void ReaderTest::hostileConfigs_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no JSON") << QByteArray("model = 1");
    QTest::newRow("list") << QByteArray("[1, 2]");
    QTest::newRow("cut") << QByteArray("{\"format\": \"colibri\", \"version\"");
    QTest::newRow("deep") << QByteArray("{\"format\": ") + QByteArray(100000, '[');
    QTest::newRow("duplicate key") << QByteArray("{\"format\": \"colibri\", \"format\": \"colibri\"}");
    QTest::newRow("binary") << QByteArray(4096, '\xff');
    QTest::newRow("huge dimensions") << QByteArray(
        "{\"format\":\"colibri\",\"version\":1,\"architecture\":\"x\",\"vocab_size\":4294967295,"
        "\"hidden_size\":4294967295,\"num_layers\":65536,\"num_experts\":65535,\"num_active_experts\":65535,"
        "\"max_seq_len\":4294967295,\"tensors\":[],\"router_table\":{\"file\":\"config.json\",\"layers\":65536,"
        "\"rows\":4294967295,\"k\":65535}}");
}

void ReaderTest::hostileConfigs()
{
    QFETCH(QByteArray, text);
    QTemporaryDir folder;
    sample::writeFile(folder.filePath("config.json"), text);
    for (const auto& source :
        {readColibriExport(folder.path().toStdString(), {}), readModelSource(folder.path().toStdString(), {}, {})}) {
        QVERIFY(!source);
        QVERIFY(!source.error().message().empty());
        QVERIFY(source.error().file.find(folder.path().toStdString()) == 0);
    }
}

void ReaderTest::linksInsideAreFollowed()
{
    QTemporaryDir folder;
    const QString out = folder.filePath("out");
    QVERIFY(writeColibriExport(m_model.request(out, DType::F32), {}, {}));
    QVERIFY(QFile::rename(out + "/dense.bin", out + "/weights"));
    QVERIFY(QFile::link("weights", out + "/dense.bin"));
    QVERIFY(QFile::link("out", folder.filePath("link to the folder")));
    QVERIFY(readColibriExport(out.toStdString(), {}));
    QVERIFY(readColibriExport(folder.filePath("link to the folder").toStdString(), {}));
}

void ReaderTest::suspiciousThingsAreNotes()
{
    QTemporaryDir folder;
    const QString out = folder.filePath("out");
    QVERIFY(writeColibriExport(m_model.request(out, DType::F32), {}, {}));
    sample::writeFile(out + "/" + blob, sample::readFile(out + "/" + blob) + QByteArray(5, '!'));
    config("\"index\":", "\"unheard_of\": 1, \"index\":")(out);
    config("\"vocab_size\": 11", "\"vocab_size\": 12")(out);
    auto source = readColibriExport(out.toStdString(), {});
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QCOMPARE(source->notes.size(), std::size_t{3});
    QVERIFY(source->notes[0].find("5 bytes behind the payload") != std::string::npos);
    QVERIFY(source->notes[1].find("11 rows for 12 token ids") != std::string::npos);
    QVERIFY(source->notes[2].find("\"unheard_of\"") != std::string::npos);

    config("\"router_table\":", "\"router_tables\":")(out);
    source = readColibriExport(out.toStdString(), {});
    QVERIFY(source && !source->table);
    QVERIFY(source->notes[1].find("sanity") != std::string::npos);
}

void ReaderTest::payloadChecksumIsNotVerified()
{
    QTemporaryDir folder;
    const QString out = folder.filePath("out");
    QVERIFY(writeColibriExport(m_model.request(out, DType::F32), {}, {}));
    patched(blob, 100, "damage")(out);
    patched(blob, 32, "checksum")(out);
    const auto source = readColibriExport(out.toStdString(), {});
    QVERIFY(source);
    QStringList wrong;
    for (const TensorInfo& tensor : source->tensors) // whoever wants to know can ask
        if (const auto verified = verifyChecksum(*source, tensor, {}); !verified) {
            QCOMPARE(verified.error().code, Errc::Mismatch);
            wrong << QString::fromStdString(tensor.name);
        }
    QCOMPARE(wrong, QStringList("layer1.expert2.weight"));
}

void ReaderTest::openingStops()
{
    QTemporaryDir folder;
    const QString out = folder.filePath("out");
    QVERIFY(writeColibriExport(m_model.request(out, DType::F32), {}, {}));
    std::stop_source stop;
    stop.request_stop();
    const auto source = readColibriExport(out.toStdString(), stop.get_token());
    QVERIFY(!source);
    QCOMPARE(source.error().code, Errc::Cancelled);
}

QTEST_APPLESS_MAIN(ReaderTest)
#include "tst_reader.moc"
