// SPDX-License-Identifier: Apache-2.0
#include "engine/colibri_format/sample.h"

#include "format/colibri_layout.h"
#include "format/readers.h"
#include "types/half.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstring>

#include <sys/stat.h>

using namespace colibri;

namespace {

QByteArray bytesOfSpan(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), static_cast<qsizetype>(bytes.size())};
}

const TensorInfo& tensorNamed(const ModelSource& source, const std::string& name)
{
    return *std::ranges::find(source.tensors, name, &TensorInfo::name);
}

} // namespace

class WriterTest : public QObject {
    Q_OBJECT

private slots:
    void roundTrip_data();
    void roundTrip();
    void headerBytes();
    void configText();
    void filesAndModes();
    void progressAddsUp();
    void tableTokenizerAndSanity();
    void exportOfAnExportIsTheSame();
    void int8RoundsToNearestEven();
    void specialHalves();
    void largestLayerAndExpertNames();
};

void WriterTest::roundTrip_data()
{
    QTest::addColumn<DType>("from");
    QTest::addColumn<Layout>("layout");
    QTest::addColumn<DType>("to");
    constexpr DType all[]{DType::F32, DType::F16, DType::BF16, DType::Int8};
    for (const DType from : all)
        for (const DType to : all)
            for (const Layout layout : {Layout::RowMajor, Layout::ColumnMajor})
                if (from != DType::Int8 || layout == Layout::RowMajor)
                    QTest::addRow("%s %s to %s", name(from).data(), name(layout).data(), name(to).data())
                        << from << layout << to;
}

void WriterTest::roundTrip()
{
    QFETCH(DType, from);
    QFETCH(Layout, layout);
    QFETCH(DType, to);
    const sample::Model model(from, layout);
    const auto report = writeColibriExport(model.request(model.path("out"), to), {}, {});
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    QCOMPARE(report->tensors, static_cast<std::uint32_t>(model.source.tensors.size()));
    QCOMPARE(report->experts, sample::layers * sample::experts);

    const auto read = readColibriExport(model.path("out").toStdString(), {});
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    QCOMPARE(read->tensors.size(), model.source.tensors.size());
    for (const TensorInfo& source : model.source.tensors) {
        const TensorInfo& written = tensorNamed(*read, source.name);
        QCOMPARE(written.dtype, to);
        QCOMPARE(written.layout, Layout::RowMajor);
        QCOMPARE(written.shape, source.shape);
        QCOMPARE(written.offset % 64, std::uint64_t{0});
        const auto bytes = read->files[written.file]->bytes().subspan(written.offset, written.size);
        const QByteArray expected = from == to && source.layout == Layout::RowMajor
            ? bytesOfSpan(model.bytes(source))
            : sample::encode(sample::decode(model.bytes(source), source), to, source.shape);
        QVERIFY2(bytesOfSpan(bytes) == expected, source.name.c_str());
    }
}

void WriterTest::headerBytes()
{
    const sample::Model model(DType::F32);
    QVERIFY(writeColibriExport(model.request(model.path("out"), DType::Int8), {}, {}));
    const QByteArray blob = sample::readFile(model.path("out/experts/L01_E02.bin"));
    // weight [7, 33] int8: 14 scales of 4 bytes padded to 64, 231 bytes; bias [7] at the next multiple of 64.
    constexpr int payload = 64 + 231 + 25 + 64 + 7;
    QCOMPARE(blob.size(), 64 + payload);
    QCOMPARE(blob.left(32).toHex(' '),
        QByteArray("43 4f 4c 49 42 52 49 00 01 00 02 00 01 00 02 00 40 00 00 00 02 00 00 00 87 01 00 00 00 00 00 00"));
    static_assert(payload == 0x187);
    QCOMPARE(blob.mid(40, 24), QByteArray(24, '\0'));
    QCOMPARE(blob.mid(64 + 64 + 231, 25), QByteArray(25, '\0')); // the gap
    const QByteArray other = sample::readFile(model.path("out/experts/L00_E02.bin"));
    QVERIFY(blob.mid(32, 8) != other.mid(32, 8)); // checksums differ as payloads do
    QVERIFY(blob.mid(32, 8) != QByteArray(8, '\0'));
}

void WriterTest::configText()
{
    const sample::Model model(DType::F16);
    QVERIFY(writeColibriExport(model.request(model.path("out"), DType::F16), {}, {}));
    const QByteArray text = sample::readFile(model.path("out/config.json"));
    const QList<QByteArray> lines = text.split('\n');
    const QList<QByteArray> expected{"{", "  \"format\": \"colibri\",", "  \"version\": 1,",
        "  \"architecture\": \"linear_moe\",", "  \"vocab_size\": 11,", "  \"hidden_size\": 7,", "  \"num_layers\": 2,",
        "  \"num_experts\": 3,", "  \"num_active_experts\": 2,", "  \"max_seq_len\": 5,", "  \"rms_norm_eps\": 1e-06,",
        "  \"tie_word_embeddings\": true,", "  \"eos_token_id\": [3,4],", "  \"rope_scaling\": null,",
        "  \"routing\": {\"scoring\":\"softmax\",\"order\":\"score_then_select\",\"normalize\":true,\"scale\":0.1},",
        "  \"router_table\": {\"file\":\"router_table.bin\",\"layers\":2,\"rows\":11,\"k\":2},",
        "  \"index\": \"token\",",
        "  \"sanity\": [{\"layer\":0,\"token\":4,\"experts\":[1,2]},{\"layer\":1,\"token\":10,\"experts\":[0,1]}],",
        "  \"source\": {\"name\":\"source\",\"format\":\"test\",\"tool\":\"colibri\",\"version\":\"1.2.3\","
        "\"time\":\"2001-09-09T01:46:40Z\",\"options\":{\"dtype\":\"f16\"}},",
        "  \"tensors\": ["};
    QCOMPARE(lines.mid(0, expected.size()), expected);
    const QByteArray first = lines[expected.size()];
    const QByteArray beginning =
        "    {\"name\":\"embed\",\"file\":\"dense.bin\",\"offset\":0,\"size\":154,\"dtype\":\"f16\",\"shape\":[11,7],"
        "\"layout\":\"row_major\",\"xxh64\":\"";
    QCOMPARE(first.left(beginning.size()), beginning);
    QCOMPARE(first.size(), beginning.size() + 16 + 3);
    QVERIFY(!text.contains(model.path("").toUtf8())); // no absolute path
}

void WriterTest::filesAndModes()
{
    const sample::Model model(DType::F32);
    const auto report = writeColibriExport(model.request(model.path("out/"), DType::F32), {}, {});
    QVERIFY(report);
    const QDir out(model.path("out"));
    QCOMPARE(out.entryList(QDir::Files, QDir::Name),
        (QStringList{"config.json", "dense.bin", "router_table.bin", "tokenizer.json"}));
    QCOMPARE(QDir(out.filePath("experts")).entryList(QDir::Files, QDir::Name),
        (QStringList{"L00_E00.bin", "L00_E01.bin", "L00_E02.bin", "L01_E00.bin", "L01_E01.bin", "L01_E02.bin"}));
    std::uint64_t bytes = 0;
    QStringList files;
    for (const QString& folder : {out.path(), out.filePath("experts")})
        for (const QFileInfo& file : QDir(folder).entryInfoList(QDir::Files)) {
            struct stat status = {};
            QCOMPARE(stat(qPrintable(file.filePath()), &status), 0);
            QCOMPARE(status.st_mode & 0222u, 0u);
            bytes += static_cast<std::uint64_t>(file.size());
        }
    QCOMPARE(report->bytesWritten, bytes);
    QCOMPARE(QDir(model.path("")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name),
        (QStringList{"out", "source"})); // nothing unfinished is left
}

void WriterTest::progressAddsUp()
{
    const sample::Model model(DType::BF16);
    const WriteRequest request = model.request(model.path("out"), DType::Int8);
    std::uint64_t sum = 0;
    const auto planned = plannedBytes(request);
    const auto report = writeColibriExport(request, [&](std::uint64_t bytes) { sum += bytes; }, {});
    QVERIFY(planned && report);
    QCOMPARE(sum, planned->written);
    QCOMPARE(report->bytesWritten, sum + static_cast<std::uint64_t>(QFileInfo(model.path("out/config.json")).size()));
}

void WriterTest::tableTokenizerAndSanity()
{
    sample::Model model(DType::F32);
    model.source.table->index = TableIndex::Position;
    QVERIFY(writeColibriExport(model.request(model.path("out"), DType::F32), {}, {}));
    QCOMPARE(
        sample::readFile(model.path("out/router_table.bin")), sample::readFile(model.path("source/table.bin")).mid(6));
    QCOMPARE(sample::readFile(model.path("out/tokenizer.json")), sample::readFile(model.path("source/tokenizer.json")));
    const auto read = readColibriExport(model.path("out").toStdString(), {});
    QVERIFY(read);
    QVERIFY(read->table);
    QCOMPARE(read->table->layers, sample::layers);
    QCOMPARE(read->table->rows, sample::rows);
    QCOMPARE(read->table->k, 2u);
    QCOMPARE(read->table->index, TableIndex::Position);
    QCOMPARE(read->sanity.size(), std::size_t{2});
    QCOMPARE(read->sanity[1].experts, (std::vector<std::uint16_t>{0, 1}));
    QCOMPARE(QString::fromStdString(read->tokenizerFile), model.path("out/tokenizer.json"));
    QCOMPARE(read->format, std::string("colibri"));
    QVERIFY(read->notes.empty());
}

void WriterTest::exportOfAnExportIsTheSame()
{
    const sample::Model model(DType::F32);
    WriteRequest request = model.request(model.path("first"), DType::F16);
    QVERIFY(writeColibriExport(request, {}, {}));
    const auto first = readColibriExport(model.path("first").toStdString(), {});
    QVERIFY(first);
    request.source = &*first;
    request.out = model.path("second").toStdString();
    request.config = first->config;
    const auto repoint = [&](PlannedTensor& planned) { planned.from = tensorNamed(*first, planned.name); };
    std::ranges::for_each(request.dense, repoint);
    for (PlannedExpert& expert : request.experts)
        std::ranges::for_each(expert.tensors, repoint);
    const auto second = writeColibriExport(request, {}, {});
    QVERIFY2(second, second ? "" : second.error().message().c_str());
    for (const char* const file : {"dense.bin", "router_table.bin", "experts/L00_E00.bin", "experts/L01_E02.bin"})
        QCOMPARE(sample::readFile(model.path("second/") + file), sample::readFile(model.path("first/") + file));
}

void WriterTest::int8RoundsToNearestEven()
{
    // Largest 127, so the scale is 1: halves go to the even neighbour. The second group of 1 has its own scale.
    std::vector<float> row{127.f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 126.5f, -126.5f, 0.f};
    row.resize(32, 3.4f);
    row.push_back(-1e-3f);
    QTemporaryDir folder;
    sample::writeFile(folder.filePath("w"), sample::bytesOf(row));
    sample::Model model(DType::F32);
    model.source.files.push_back(*MappedFile::open(folder.filePath("w").toStdString()));
    WriteRequest request = model.request(model.path("out"), DType::F32);
    request.dense = {{{"w", 2, 0, 132, DType::F32, Layout::RowMajor, {1, 33}, {}}, "w", DType::Int8}};
    QVERIFY(writeColibriExport(request, {}, {}));
    const QByteArray dense = sample::readFile(model.path("out/dense.bin"));
    QCOMPARE(dense.size(), 64 + 33);
    float scales[2];
    std::memcpy(scales, dense.constData(), sizeof scales);
    QCOMPARE(scales[0], 1.f);
    QCOMPARE(scales[1], 1e-3f / 127.f);
    QCOMPARE(dense.mid(8, 56), QByteArray(56, '\0'));
    const signed char expected[]{127, 0, 2, 2, 0, -2, -2, 126, -126, 0, 3};
    QCOMPARE(dense.mid(64, 11), QByteArray(reinterpret_cast<const char*>(expected), 11));
    QCOMPARE(static_cast<signed char>(dense.back()), static_cast<signed char>(-127));
}

void WriterTest::specialHalves()
{
    // Infinities and NaN survive, the largest finite f16 does too, and ties go to the even neighbour.
    const std::vector<float> row{INFINITY, -INFINITY, NAN, 65504.f, 65519.9f, -0.f, 0x1p-24f, 0x1p-25f, 2049.f, 2051.f};
    const std::vector<std::uint16_t> expected{0x7C00, 0xFC00, 0x7E00, 0x7BFF, 0x7BFF, 0x8000, 1, 0, 0x6800, 0x6802};
    sample::Model model(DType::F32);
    sample::writeFile(model.path("w"), sample::bytesOf(row));
    model.source.files.push_back(*MappedFile::open(model.path("w").toStdString()));
    WriteRequest request = model.request(model.path("out"), DType::F32);
    request.dense = {{{"w", 2, 0, 40, DType::F32, Layout::RowMajor, {10}, {}}, "w", DType::F16}};
    const auto report = writeColibriExport(request, {}, {});
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    QCOMPARE(sample::readFile(model.path("out/dense.bin")).toHex(' '), sample::bytesOf(expected).toHex(' '));
}

void WriterTest::largestLayerAndExpertNames()
{
    for (const auto& [place, text] :
        {std::pair<ExpertPlace, const char*>{{3, 7}, "experts/L03_E07.bin"}, {{0, 0}, "experts/L00_E00.bin"},
            {{100, 12}, "experts/L100_E12.bin"}, {{65535, 65534}, "experts/L65535_E65534.bin"}}) {
        QCOMPARE(expertFileName(place), std::string(text));
        const auto parsed = parseExpertFileName(text);
        QVERIFY(parsed && parsed->layer == place.layer && parsed->expert == place.expert);
    }
    for (const char* const text : {"experts/L3_E07.bin", "experts/L003_E07.bin", "L03_E07.bin", "experts/L03_E07.bin2",
             "experts/L-1_E07.bin", "experts/L03_E99999999999.bin", "experts/L03E07.bin", "experts/"})
        QVERIFY2(!parseExpertFileName(text), text);
}

QTEST_APPLESS_MAIN(WriterTest)
#include "tst_writer.moc"
