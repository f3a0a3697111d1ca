// SPDX-License-Identifier: Apache-2.0
#include "engine/colibri_format/sample.h"

#include "format/colibri_layout.h"
#include "format/readers.h"

#include <QDir>
#include <QTest>

#include <algorithm>
#include <cstring>

#include <sys/statvfs.h>

using namespace colibri;

namespace {

/// Every type of blocks that GGUF numbers, with ggml's number.
constexpr std::pair<DType, int> blockTypes[]{{DType::Q4_0, 2}, {DType::Q4_1, 3}, {DType::Q5_0, 6}, {DType::Q5_1, 7},
    {DType::Q8_0, 8}, {DType::Q8_1, 9}, {DType::Q2_K, 10}, {DType::Q3_K, 11}, {DType::Q4_K, 12}, {DType::Q5_K, 13},
    {DType::Q6_K, 14}, {DType::Q8_K, 15}, {DType::IQ2_XXS, 16}, {DType::IQ2_XS, 17}, {DType::IQ3_XXS, 18},
    {DType::IQ1_S, 19}, {DType::IQ4_NL, 20}, {DType::IQ3_S, 21}, {DType::IQ2_S, 22}, {DType::IQ4_XS, 23},
    {DType::IQ1_M, 29}, {DType::TQ1_0, 34}, {DType::TQ2_0, 35}, {DType::MXFP4, 39}, {DType::NVFP4, 40},
    {DType::Q1_0, 41}, {DType::Q2_0, 42}};

/// The sample with one tensor of these bytes in dense.bin and the same one in a blob.
WriteRequest requestFor(
    sample::Model& model, const QByteArray& bytes, DType from, std::vector<std::uint64_t> shape, DType to)
{
    sample::writeFile(model.path("source/w.bin"), "odd" + bytes);
    model.source.files.push_back(*MappedFile::open(model.path("source/w.bin").toStdString()));
    WriteRequest request = model.request(model.path("out"), DType::F32);
    const TensorInfo tensor{"w", 2, 3, std::uint64_t(bytes.size()), from, Layout::RowMajor, std::move(shape), {}};
    request.dense = {{tensor, "w", to, {}}};
    request.experts.resize(1);
    request.experts[0].tensors = {{tensor, "e", to, {}}};
    return request;
}

std::span<const std::byte> bytesOf(const ModelSource& source, const std::string& name)
{
    const TensorInfo& tensor = *std::ranges::find(source.tensors, name, &TensorInfo::name);
    return source.files[tensor.file]->bytes().subspan(tensor.offset, tensor.size);
}

QByteArray byteArray(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), static_cast<qsizetype>(bytes.size())};
}

QByteArray noise(std::size_t count)
{
    QByteArray bytes = sample::bytesOf(sample::values(count / 4 + 1, 3));
    bytes.truncate(static_cast<qsizetype>(count));
    return bytes;
}

/// A decoder of the test's own: weight i of a row is its first byte, plus i.
void countUp(DType, const std::byte* row, std::uint64_t first, std::span<float> out)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<float>(std::to_integer<int>(row[0])) + static_cast<float>(first + i);
}

} // namespace

/// Types beyond the four plain ones, rows that are brought together, and room on the disk.
class WriterTypesTest : public QObject {
    Q_OBJECT

private slots:
    void blocksAreCopied_data();
    void blocksAreCopied();
    void codes();
    void decoderIsAsked();
    void withoutDecoder();
    void otherTypesAreRefused();
    void rowsAreGathered_data();
    void rowsAreGathered();
    void vectorIsOneRow();
    void tooLittleRoom();
};

void WriterTypesTest::blocksAreCopied_data()
{
    QTest::addColumn<DType>("dtype");
    QTest::addColumn<int>("number");
    for (const auto& [dtype, number] : blockTypes)
        QTest::newRow(name(dtype).data()) << dtype << number;
}

void WriterTypesTest::blocksAreCopied()
{
    QFETCH(DType, dtype);
    QFETCH(int, number);
    const std::vector<std::uint64_t> shape{3, 512};
    const QByteArray bytes = noise(3 * 512 / traits(dtype).blockElements * traits(dtype).blockBytes);
    sample::Model model(DType::F32);
    const auto report = writeColibriExport(requestFor(model, bytes, dtype, shape, dtype), {}, {});
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    const auto read = readColibriExport(model.path("out").toStdString(), {});
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    for (const char* const name : {"w", "e"}) {
        const TensorInfo& tensor = *std::ranges::find(read->tensors, std::string(name), &TensorInfo::name);
        QCOMPARE(tensor.dtype, dtype);
        QCOMPARE(tensor.shape, shape);
        QCOMPARE(tensor.offset % 64, std::uint64_t{0});
        QVERIFY(byteArray(bytesOf(*read, name)) == bytes);
    }
    const QByteArray blob = sample::readFile(model.path("out/experts/L00_E00.bin"));
    QCOMPARE(int(static_cast<unsigned char>(blob[10])), 16 + number);
}

void WriterTypesTest::codes()
{
    int held = 0;
    for (int i = 0; i < dtypeCount; ++i) {
        const auto dtype = static_cast<DType>(i);
        const auto code = dtypeCode(dtype);
        held += code.has_value();
        QCOMPARE(heldDTypeNamed(name(dtype)).has_value(), code.has_value());
        if (code)
            QCOMPARE(dtypeOfCode(*code), std::optional(dtype));
    }
    QCOMPARE(held, 4 + int(std::size(blockTypes)));
    for (const int code : {4, 15, 16, 17, 40, 43, 44, 46, 1000, 65535}) // plain ggml types, and what stands for nothing
        QVERIFY2(!dtypeOfCode(static_cast<std::uint16_t>(code)), qPrintable(QString::number(code)));
}

void WriterTypesTest::decoderIsAsked()
{
    constexpr std::size_t columns = 65536 + 64; // more than a piece of a row
    const QByteArray bytes = noise(2 * columns / 32 * 34);
    sample::Model model(DType::F32);
    WriteRequest request = requestFor(model, bytes, DType::Q8_0, {2, columns}, DType::F32);
    request.decode = countUp;
    const auto report = writeColibriExport(request, {}, {});
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    const auto read = readColibriExport(model.path("out").toStdString(), {});
    QVERIFY(read);
    std::vector<float> expected;
    for (std::size_t row = 0; row < 2; ++row)
        for (std::size_t i = 0; i < columns; ++i)
            expected.push_back(static_cast<float>(static_cast<unsigned char>(bytes[qsizetype(row * columns / 32 * 34)]))
                + static_cast<float>(i));
    QVERIFY(byteArray(bytesOf(*read, "w")) == sample::bytesOf(expected));
    QVERIFY(byteArray(bytesOf(*read, "e")) == sample::bytesOf(expected));
}

void WriterTypesTest::withoutDecoder()
{
    sample::Model model(DType::F32);
    const auto report = writeColibriExport(requestFor(model, noise(34), DType::Q8_0, {1, 32}, DType::F32), {}, {});
    QVERIFY(!report);
    QCOMPARE(report.error().code, Errc::Unsupported);
    QVERIFY(!QDir(model.path("out")).exists());
}

void WriterTypesTest::otherTypesAreRefused()
{
    for (const DType dtype : {DType::F64, DType::F8_E4M3, DType::I8, DType::Bool, DType::Unknown}) {
        sample::Model model(DType::F32);
        const auto report = writeColibriExport(requestFor(model, noise(64 * 8), dtype, {1, 64}, dtype), {}, {});
        QVERIFY(!report);
        QVERIFY2(report.error().why.find("version 1 holds f32, f16, bf16, int8 and the block types of GGUF")
                != std::string::npos,
            report.error().message().c_str());
        QVERIFY(!QDir(model.path("out")).exists());
    }
}

void WriterTypesTest::rowsAreGathered_data()
{
    QTest::addColumn<DType>("to");
    for (const DType to : {DType::F32, DType::F16, DType::BF16, DType::Int8})
        QTest::newRow(name(to).data()) << to;
}

/// More than one block of rows, of which the last is shorter.
void WriterTypesTest::rowsAreGathered()
{
    QFETCH(DType, to);
    const std::vector<std::uint64_t> shape{1030, 333};
    const std::vector<float> values = sample::values(shape[0] * shape[1], 9);
    sample::Model model(DType::F32);
    WriteRequest request = requestFor(model, {}, DType::F32, shape, to);
    request.experts.clear();
    request.dense[0].gather = [&](std::uint64_t first, std::uint64_t count, std::byte* out) {
        QVERIFY(count * shape[1] * 4 <= 1u << 20);
        std::memcpy(out, values.data() + first * shape[1], count * shape[1] * 4);
    };
    const auto report = writeColibriExport(request, {}, {});
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    const auto read = readColibriExport(model.path("out").toStdString(), {});
    QVERIFY(read);
    QVERIFY(byteArray(bytesOf(*read, "w")) == sample::encode(values, to, shape));
}

void WriterTypesTest::vectorIsOneRow()
{
    sample::Model model(DType::F32);
    WriteRequest request = requestFor(model, {}, DType::F32, {5}, DType::F32);
    request.experts.clear();
    const std::vector<float> values{1, 2, 3, 4, 5};
    request.dense[0].gather = [&](std::uint64_t first, std::uint64_t count, std::byte* out) {
        QCOMPARE(first, std::uint64_t{0});
        QCOMPARE(count, std::uint64_t{1});
        std::memcpy(out, values.data(), 20);
    };
    QVERIFY(writeColibriExport(request, {}, {}));
    QCOMPARE(sample::readFile(model.path("out/dense.bin")), sample::bytesOf(values));
}

/// A source with holes that is larger than what is free.
void WriterTypesTest::tooLittleRoom()
{
    sample::Model model(DType::F32);
    struct statvfs disk = {};
    QCOMPARE(statvfs(qPrintable(model.path("")), &disk), 0);
    const auto rows = (std::uint64_t{disk.f_bavail} * disk.f_frsize + (1u << 30)) / 4096;
    QFile file(model.path("source/large.bin"));
    if (!file.open(QFile::WriteOnly) || !file.resize(qint64(rows * 4096)))
        QSKIP("the file system does not take a file with holes of that size");
    model.source.files.push_back(*MappedFile::open(file.fileName().toStdString()));
    WriteRequest request = model.request(model.path("out"), DType::F32);
    request.dense = {{{"w", 2, 0, rows * 4096, DType::F32, Layout::RowMajor, {rows, 1024}, {}}, "w", DType::F32, {}}};
    std::uint64_t written = 0;
    const auto report = writeColibriExport(request, [&](std::uint64_t bytes) { written += bytes; }, {});
    QVERIFY(!report);
    QCOMPARE(report.error().code, Errc::Io);
    const auto planned = plannedBytes(request);
    QVERIFY(planned);
    QVERIFY2(report.error().why.starts_with(
                 "it needs " + std::to_string(planned->written + planned->config) + " bytes, the file system has "),
        report.error().message().c_str());
    QCOMPARE(written, std::uint64_t{0});
    QCOMPARE(
        QDir(model.path("")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot), QStringList("source"));
}

QTEST_APPLESS_MAIN(WriterTypesTest)
#include "tst_writer_types.moc"
