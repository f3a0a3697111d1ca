// SPDX-License-Identifier: Apache-2.0
#include "engine/colibri_format/sample.h"
#include "support/errorcheck.h"

#include "format/raw_layout.h"
#include "format/readers.h"

#include <QTest>

#include <algorithm>

using namespace colibri;
using colibri::test::complaint;

namespace {

/// A raw export: `count` files of `bytes` zeros and a table.
void makeExport(const QTemporaryDir& folder, int count, qsizetype bytes, const std::vector<std::uint16_t>& table)
{
    for (int i = 0; i < count; ++i)
        sample::writeFile(folder.filePath(QString("expert_%1.bin").arg(i)), QByteArray(bytes, '\0'));
    sample::writeFile(folder.filePath("router_table.bin"), sample::bytesOf(table));
}

Result<ModelSource> read(const QTemporaryDir& folder, const RawOptions& raw = {})
{
    return readRawExport(folder.path().toStdString(), raw, {});
}

std::uint64_t number(const ModelSource& source, std::string_view key)
{
    const JsonValue* const value = source.config.find(key);
    return value ? value->unsignedInteger().value_or(999999) : 888888;
}

/// "key=value (origin)".
QString originOf(const ModelSource& source, std::string_view rule)
{
    const auto found = std::ranges::find(source.origins, rule, &RuleOrigin::rule);
    return found == source.origins.end()
        ? QString("none")
        : QString::fromStdString(found->value + " (" + std::string(name(found->origin)) + ")");
}

std::vector<std::uint16_t> alternating(std::size_t rows)
{
    std::vector<std::uint16_t> table(rows);
    for (std::size_t i = 0; i < rows; ++i)
        table[i] = i % 2;
    return table;
}

} // namespace

class RawReaderTest : public QObject {
    Q_OBJECT

private slots:
    void layout1();
    void layout1ByPosition();
    void layout2();
    void configGivesDimensions();
    void optionsOverride();
    void severalExpertsForEachToken();
    void solvesSizes_data();
    void solvesSizes();
    void refusesSizes_data();
    void refusesSizes();
    void refusesFolders_data();
    void refusesFolders();
    void refusesTables_data();
    void refusesTables();
    void exportsToVersion1();
};

void RawReaderTest::layout1()
{
    // Two linear experts of 512x512 in f16 with bias and a table of 1,024 rows, no config.json.
    QTemporaryDir folder;
    makeExport(folder, 2, 2 * (512 * 512 + 512), alternating(1024));
    const auto source = read(folder);
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QCOMPARE(source->format, std::string("raw"));
    QCOMPARE(*source->config.find("architecture")->string(), std::string("linear_moe"));
    const std::pair<const char*, std::uint64_t> expected[]{{"hidden_size", 512}, {"output_size", 512},
        {"num_layers", 1}, {"num_experts", 2}, {"num_active_experts", 1}, {"max_seq_len", 4096}, {"vocab_size", 0}};
    for (const auto& [key, value] : expected)
        QVERIFY2(number(*source, key) == value, key);
    QCOMPARE(source->tensors.size(), std::size_t{4});
    const auto& bias = source->tensors[2];
    QCOMPARE(bias.name, std::string("model.layers.0.mlp.experts.1.bias"));
    QCOMPARE(bias.file, 1u);
    QCOMPARE(bias.offset, std::uint64_t{524288});
    QCOMPARE(bias.shape, (std::vector<std::uint64_t>{512}));
    const auto& weight = source->tensors[1];
    QCOMPARE(weight.name, std::string("model.layers.0.mlp.experts.0.weight"));
    QCOMPARE(weight.offset, std::uint64_t{0});
    QCOMPARE(weight.size, std::uint64_t{524288});
    QCOMPARE(weight.dtype, DType::F16);
    QCOMPARE(weight.layout, Layout::RowMajor);
    QCOMPARE(weight.shape, (std::vector<std::uint64_t>{512, 512}));
    QVERIFY(source->table);
    QCOMPARE(source->table->index, TableIndex::Token);
    QCOMPARE(source->table->rows, 1024u);
    QCOMPARE(source->table->k, 1u);
    QVERIFY(source->files[source->table->file]->path().ends_with("router_table.bin"));
    QCOMPARE(originOf(*source, "hidden_size"), originOf(*source, "output_size"));
    QCOMPARE(
        originOf(*source, "hidden_size"), QString::fromStdString("512 (" + std::string(name(Origin::FileSize)) + ")"));
}

void RawReaderTest::layout1ByPosition()
{
    QTemporaryDir folder;
    makeExport(folder, 2, 2 * (512 * 512 + 512), alternating(1024));
    RawOptions raw;
    raw.index = TableIndex::Position;
    const auto source = read(folder, raw);
    QVERIFY(source);
    QCOMPARE(source->table->index, TableIndex::Position);
    QCOMPARE(number(*source, "max_seq_len"), std::uint64_t{1024});
    QCOMPARE(
        originOf(*source, "index"), QString::fromStdString("position (" + std::string(name(Origin::Option)) + ")"));
    QCOMPARE(*source->config.find("index")->string(), std::string("position"));
}

void RawReaderTest::layout2()
{
    QTemporaryDir folder;
    makeExport(folder, 3, 4 * 24 * 24, alternating(7));
    const auto source = read(folder);
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QCOMPARE(source->tensors.size(), std::size_t{3});
    QCOMPARE(source->tensors[0].dtype, DType::F32);
    QCOMPARE(source->tensors[0].layout, Layout::ColumnMajor);
    QCOMPARE(number(*source, "hidden_size"), std::uint64_t{24});
}

void RawReaderTest::configGivesDimensions()
{
    QTemporaryDir folder;
    makeExport(folder, 2, 2 * (3 * 5 + 3), alternating(12));
    sample::writeFile(folder.filePath("config.json"),
        R"({"hidden_size": 5, "output_size": 3, "num_experts": 2, "max_seq_len": 100, "vocab_size": 13, "colour": "red"})");
    auto source = read(folder);
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QCOMPARE(source->tensors[1].shape, (std::vector<std::uint64_t>{3, 5}));
    QCOMPARE(number(*source, "max_seq_len"), std::uint64_t{100});
    QCOMPARE(number(*source, "vocab_size"), std::uint64_t{0});
    QCOMPARE(originOf(*source, "output_size"), QString::fromStdString("3 (" + std::string(name(Origin::Config)) + ")"));
    QCOMPARE(source->notes.size(), std::size_t{2});
    QVERIFY(source->notes[0].find("colour") != std::string::npos);
    QVERIFY(source->notes[1].find("12") != std::string::npos);

    sample::writeFile(folder.filePath("config.json"),
        R"({"hidden_size": 5, "index": "position", "dtype": "f16", "layout": "row_major", "bias": true})");
    source = read(folder);
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QCOMPARE(number(*source, "output_size"), std::uint64_t{3}); // the quotient
    QCOMPARE(number(*source, "max_seq_len"), std::uint64_t{12});
    QCOMPARE(originOf(*source, "bias"), QString::fromStdString("true (" + std::string(name(Origin::Config)) + ")"));
}

void RawReaderTest::optionsOverride()
{
    QTemporaryDir folder;
    makeExport(folder, 2, 2 * 6 * 4, alternating(12));
    sample::writeFile(folder.filePath("config.json"), R"({"hidden_size": 999, "dtype": "f32", "index": "position"})");
    const auto source = read(folder, {4, 6, DType::BF16, Layout::ColumnMajor, false, TableIndex::Token});
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QCOMPARE(source->tensors.size(), std::size_t{2});
    QCOMPARE(source->tensors[0].dtype, DType::BF16);
    QCOMPARE(source->tensors[0].layout, Layout::ColumnMajor);
    QCOMPARE(source->tensors[0].shape, (std::vector<std::uint64_t>{6, 4}));
    QCOMPARE(source->table->index, TableIndex::Token);
    QCOMPARE(originOf(*source, "hidden_size"), QString::fromStdString("4 (" + std::string(name(Origin::Option)) + ")"));
}

void RawReaderTest::severalExpertsForEachToken()
{
    QTemporaryDir folder;
    makeExport(folder, 3, 2 * (16 * 16 + 16), {0, 1, 2, 0, 1, 2, 2, 1});
    sample::writeFile(folder.filePath("config.json"), R"({"num_active_experts": 2})");
    const auto source = read(folder);
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    QCOMPARE(source->table->k, 2u);
    QCOMPARE(source->table->rows, 4u);
    QCOMPARE(number(*source, "num_active_experts"), std::uint64_t{2});
}

void RawReaderTest::solvesSizes_data()
{
    QTest::addColumn<quint64>("size");
    QTest::addColumn<quint32>("in");
    QTest::addColumn<quint32>("out");
    QTest::addColumn<QString>("reading");
    QTest::newRow("f16 512") << quint64{525312} << 0u << 0u << "f16 512x512 bias";
    QTest::newRow("f32 512") << quint64{1048576} << 0u << 0u << "f32 512x512";
    QTest::newRow("f16 1") << quint64{4 * 3 * 2} << 0u << 0u << "f16 3x3 bias";
    QTest::newRow("f16 large") << quint64{2} * 65536 * 65537 << 0u << 0u << "f16 65536x65536 bias";
    QTest::newRow("in known") << quint64{2 * (3 * 5 + 3)} << 5u << 0u << "f16 3x5 bias";
    QTest::newRow("out known") << quint64{2 * (3 * 6 + 3)} << 0u << 3u << "f16 3x6 bias";
    QTest::newRow("both known") << quint64{4 * 3 * 5} << 5u << 3u << "f32 3x5";
    QTest::newRow("square before quotient") << quint64{144} << 8u << 0u << "f16 8x8 bias";
    QTest::newRow("square before quotient, f32") << quint64{144} << 6u << 0u << "f32 6x6";
}

void RawReaderTest::solvesSizes()
{
    QFETCH(quint64, size);
    QFETCH(quint32, in);
    QFETCH(quint32, out);
    QFETCH(QString, reading);
    const auto found = solveRawLayout(size, {in, out, {}, {}, {}}, "expert_0.bin");
    QVERIFY2(found, found ? "" : found.error().message().c_str());
    QCOMPARE(QString("%1 %2x%3%4")
                 .arg(QString::fromUtf8(name(found->dtype).data()), QString::number(found->out),
                     QString::number(found->in), found->bias ? " bias" : ""),
        reading);
}

void RawReaderTest::refusesSizes_data()
{
    QTest::addColumn<quint64>("size");
    QTest::addColumn<Errc>("code");
    QTest::addColumn<QList<QByteArray>>("texts");
    QTest::newRow("ambiguous") << quint64{144} << Errc::Mismatch
                               << QList<QByteArray>{"in=8,out=8,dtype=f16,layout=row_major,bias=true",
                                      "in=6,out=6,dtype=f32,layout=column_major,bias=false", "--raw"};
    QTest::newRow("nothing fits") << quint64{525310} << Errc::Mismatch
                                  << QList<QByteArray>{"525310", "f16 row_major with bias", "h = 512 gives 525312",
                                         "f32 column_major without bias", "--raw in="};
    QTest::newRow("empty") << quint64{0} << Errc::Mismatch << QList<QByteArray>{"0 bytes"};
    QTest::newRow("one byte") << quint64{1} << Errc::Mismatch << QList<QByteArray>{"1 bytes"};
    QTest::newRow("largest") << quint64{UINT64_MAX} << Errc::Mismatch << QList<QByteArray>{"18446744073709551615"};
    QTest::newRow("layout 3") << quint64{525312 + 16} << Errc::Unsupported
                              << QList<QByteArray>{"16-byte header", "layout 3"};
    QTest::newRow("layout 3 of f32") << quint64{1048576 + 16} << Errc::Unsupported
                                     << QList<QByteArray>{"16-byte header"};
    QTest::newRow("layout 4 padded") << quint64{525312 + 24} << Errc::Unsupported
                                     << QList<QByteArray>{"natural padding", "24 bytes"};
    QTest::newRow("layout 4 packed") << quint64{525312 + 20} << Errc::Unsupported
                                     << QList<QByteArray>{"packed", "20 bytes"};
}

void RawReaderTest::refusesSizes()
{
    QFETCH(quint64, size);
    QFETCH(Errc, code);
    QFETCH(QList<QByteArray>, texts);
    QCOMPARE(complaint(solveRawLayout(size, {}, "expert_0.bin"), code, texts), QString());
    RawKnowledge int8;
    int8.dtype = DType::Int8;
    QCOMPARE(complaint(solveRawLayout(size, int8, "expert_0.bin"), Errc::Unsupported, {"int8", "f32, f16 or bf16"}),
        QString());
}

void RawReaderTest::refusesFolders_data()
{
    QTest::addColumn<QString>("file"); // written last: what is wrong
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<Errc>("code");
    QTest::addColumn<QList<QByteArray>>("texts");
    QTest::newRow("gap") << "expert_3.bin" << QByteArray(144, '\0') << Errc::NotFound
                         << QList<QByteArray>{"expert_2.bin", "expert_3.bin"};
    QTest::newRow("other size") << "expert_1.bin" << QByteArray(146, '\0') << Errc::Mismatch
                                << QList<QByteArray>{"expert_1.bin", "146", "144"};
    QTest::newRow("no JSON") << "config.json" << QByteArray("{]") << Errc::Malformed
                             << QList<QByteArray>{"config.json"};
    QTest::newRow("number") << "config.json" << QByteArray(R"({"hidden_size": "5"})") << Errc::Malformed
                            << QList<QByteArray>{"hidden_size is a string"};
    QTest::newRow("layers") << "config.json" << QByteArray(R"({"num_layers": 2})") << Errc::Mismatch
                            << QList<QByteArray>{"num_layers is 2"};
    QTest::newRow("experts") << "config.json" << QByteArray(R"({"num_experts": 3})") << Errc::Mismatch
                             << QList<QByteArray>{"num_experts is 3", "2 files"};
    QTest::newRow("architecture") << "config.json" << QByteArray(R"({"architecture": "mixtral"})") << Errc::Unsupported
                                  << QList<QByteArray>{"linear_moe"};
    QTest::newRow("dtype") << "config.json" << QByteArray(R"({"dtype": "float16"})") << Errc::Malformed
                           << QList<QByteArray>{"dtype has to be"};
    QTest::newRow("bias") << "config.json" << QByteArray(R"({"bias": 1})") << Errc::Malformed
                          << QList<QByteArray>{"bias has to be"};
    QTest::newRow("index") << "config.json" << QByteArray(R"({"index": "row"})") << Errc::Malformed
                           << QList<QByteArray>{"index has to be"};
}

void RawReaderTest::refusesFolders()
{
    QFETCH(QString, file);
    QFETCH(QByteArray, bytes);
    QFETCH(Errc, code);
    QFETCH(QList<QByteArray>, texts);
    QTemporaryDir folder;
    makeExport(folder, 2, 144, alternating(4));
    const RawOptions raw{8, 8, DType::F16, {}, {}, {}};
    QVERIFY(read(folder, raw));
    sample::writeFile(folder.filePath(file), bytes);
    const bool wordIsRead = file == "config.json" && bytes.contains("dtype"); // an option would hide it
    QCOMPARE(complaint(read(folder, wordIsRead ? RawOptions{} : raw), code, texts), QString());
}

void RawReaderTest::refusesTables_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<Errc>("code");
    QTest::addColumn<QList<QByteArray>>("texts");
    QTest::newRow("empty") << QByteArray() << Errc::Mismatch << QList<QByteArray>{"router_table.bin", "has 0 bytes"};
    QTest::newRow("half an id") << QByteArray(5, '\0') << Errc::Mismatch << QList<QByteArray>{"has 5 bytes"};
    QTest::newRow("half a row") << QByteArray("\0\0\1\0\0\0", 6) << Errc::Mismatch
                                << QList<QByteArray>{"has 6 bytes", "2 uint16"};
    QTest::newRow("unknown expert") << QByteArray("\0\0\1\0\0\0\2\0", 8) << Errc::Malformed
                                    << QList<QByteArray>{"offset 6", "row 1, column 1", "expert 2", "there are 2"};
    QTest::newRow("duplicate") << QByteArray("\0\0\0\0", 4) << Errc::Malformed
                               << QList<QByteArray>{"row 0, column 1", "already"};
}

void RawReaderTest::refusesTables()
{
    QFETCH(QByteArray, bytes);
    QFETCH(Errc, code);
    QFETCH(QList<QByteArray>, texts);
    QTemporaryDir folder;
    makeExport(folder, 2, 2 * (9 * 9 + 9), {});
    sample::writeFile(folder.filePath("config.json"), R"({"num_active_experts": 2})");
    sample::writeFile(folder.filePath("router_table.bin"), bytes);
    QCOMPARE(complaint(read(folder), code, texts), QString());
    QFile::remove(folder.filePath("router_table.bin"));
    QCOMPARE(complaint(read(folder), Errc::NotFound, {"router_table.bin"}), QString());
}

void RawReaderTest::exportsToVersion1()
{
    // A column_major f32 export becomes a row_major one with the same values.
    QTemporaryDir folder;
    makeExport(folder, 2, 4 * 3 * 5, alternating(9));
    const auto values = sample::values(15, 1);
    sample::writeFile(folder.filePath("expert_1.bin"), sample::bytesOf(values));
    const auto source = read(folder, {5, 3, {}, {}, {}, TableIndex::Position});
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    WriteRequest request;
    request.source = &*source;
    request.out = folder.filePath("out").toStdString();
    request.config = source->config;
    for (std::uint32_t i = 0; i < 2; ++i)
        request.experts.push_back({0, i, {{source->tensors[i], source->tensors[i].name, DType::F32}}});
    const auto report = writeColibriExport(request, {}, {});
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    const auto written = readModelSource(request.out, {}, {});
    QVERIFY(written);
    QCOMPARE(written->table->index, TableIndex::Position);
    QCOMPARE(number(*written, "max_seq_len"), std::uint64_t{9});
    const TensorInfo& weight = written->tensors[1];
    const auto got = sample::decode(written->files[weight.file]->bytes().subspan(weight.offset, weight.size), weight);
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 5; ++column)
            QCOMPARE(got[row * 5 + column], values[column * 3 + row]);
}

QTEST_APPLESS_MAIN(RawReaderTest)
#include "tst_raw_reader.moc"
