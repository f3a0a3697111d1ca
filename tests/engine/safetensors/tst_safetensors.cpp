// SPDX-License-Identifier: Apache-2.0
#include "format/readers.h"
#include "safetensorsbytes.h"
#include "support/errorcheck.h"

#include <QtTest>

#include <cstring>
#include <random>

using namespace colibri;
using colibri::test::bytesOf;
using colibri::test::complaint;
using colibri::test::entry;
using colibri::test::safetensorsFile;

Q_DECLARE_METATYPE(Errc)

namespace {

/// Two tensors of 16 and 6 bytes.
QByteArray goodHeader()
{
    return "{" + entry("b", "F32", "[2,2]", "[0,16]") + "," + entry("a", "BF16", "[3]", "[16,22]") + "}";
}

QByteArray one(const QByteArray& dtype, const QByteArray& shape, const QByteArray& offsets)
{
    return "{" + entry("w", dtype, shape, offsets) + "}";
}

} // namespace

class SafetensorsTest : public QObject {
    Q_OBJECT

private slots:
    void directory();
    void legal_data();
    void legal();
    void noted_data();
    void noted();
    void everyTypeIsSized_data();
    void everyTypeIsSized();
    void refused_data();
    void refused();
    void shapeLargerThanDataIn82Bytes();
    void everyCutIsTruncated();
    void oddOffsetsAreReadable();
    void damagedFilesStayInsideTheFile();
};

void SafetensorsTest::directory()
{
    std::vector<std::string> notes;
    const QByteArray file = safetensorsFile(goodHeader(), QByteArray(22, 'x'));
    const auto tensors = parseSafetensors(bytesOf(file), "m.safetensors", 3, notes);
    QVERIFY(tensors);
    QVERIFY(notes.empty());
    QCOMPARE(tensors->size(), std::size_t{2});
    const TensorInfo& b = tensors->at(0);
    const TensorInfo& a = tensors->at(1);
    const auto dataStart = std::uint64_t(8 + goodHeader().size());
    QCOMPARE(b.name, std::string("b"));
    QCOMPARE(b.file, 3u);
    QCOMPARE(b.offset, dataStart);
    QCOMPARE(b.size, std::uint64_t{16});
    QVERIFY(b.dtype == DType::F32 && b.layout == Layout::RowMajor && !b.xxh64);
    QCOMPARE(b.shape, (std::vector<std::uint64_t>{2, 2}));
    QCOMPARE(a.name, std::string("a"));
    QCOMPARE(a.offset, dataStart + 16);
    QCOMPARE(a.size, std::uint64_t{6});
    QVERIFY(a.dtype == DType::BF16);
}

void SafetensorsTest::legal_data()
{
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<int>("dataBytes");
    QTest::addColumn<int>("tensors");
    QTest::newRow("no tensors") << QByteArray("{}") << 0 << 0;
    QTest::newRow("metadata only") << QByteArray(R"({"__metadata__":{"format":"pt"}})") << 0 << 0;
    QTest::newRow("padded header") << QByteArray("{}      ") << 0 << 0;
    QTest::newRow("shape [0]") << one("F32", "[0]", "[0,0]") << 0 << 1;
    QTest::newRow("shape [4,0,2]") << one("F16", "[4,0,2]", "[0,0]") << 0 << 1;
    QTest::newRow("scalar") << one("F32", "[]", "[0,4]") << 4 << 1;
    QTest::newRow("shape [0] between two") << "{" + entry("a", "F16", "[2]", "[0,4]") + ","
            + entry("e", "F16", "[0]", "[4,4]") + "," + entry("b", "F16", "[1]", "[4,6]")
            + "}" << 6 << 3;
    QTest::newRow("shape [0] inside another")
        << "{" + entry("a", "F16", "[2]", "[0,4]") + "," + entry("e", "F16", "[0]", "[2,2]") + "}" << 4 << 2;
    QTest::newRow("any order") << "{" + entry("z", "F16", "[1]", "[2,4]") + "," + entry("a", "F16", "[1]", "[0,2]")
            + "}" << 4 << 2;
}

void SafetensorsTest::legal()
{
    QFETCH(QByteArray, header);
    QFETCH(int, dataBytes);
    QFETCH(int, tensors);
    std::vector<std::string> notes;
    const auto read = parseSafetensors(bytesOf(safetensorsFile(header, QByteArray(dataBytes, 1))), "m", 0, notes);
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    QCOMPARE(int(read->size()), tensors);
    QVERIFY(notes.empty());
}

void SafetensorsTest::noted_data()
{
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<int>("dataBytes");
    QTest::addColumn<QList<QByteArray>>("parts");
    const auto row = [](const char* name, const QByteArray& header, int bytes, const QList<QByteArray>& parts) {
        QTest::newRow(name) << header << bytes << parts;
    };
    const QByteArray holed = "{" + entry("a", "F16", "[1]", "[0,2]") + "," + entry("b", "F16", "[1]", "[5,7]") + "}";
    row("hole", holed, 7,
        {"offset " + QByteArray::number(8 + holed.size() + 2), "3 bytes in front of tensor b", "05 05 05"});
    const QByteArray late = one("F16", "[1]", "[4,6]");
    row("hole at the start", late, 6,
        {"offset " + QByteArray::number(8 + late.size()), "4 bytes in front of tensor w"});
    const QByteArray tail = one("F16", "[1]", "[0,2]");
    row("trailing bytes", tail, 102,
        {"offset " + QByteArray::number(8 + tail.size() + 2), "100 bytes at the end of the file",
            "05 05 05 05 05 05 05 05"});
    row("trailing bytes without tensors", "{}", 1, {"offset 10", "1 bytes at the end"});
    row("metadata no object", R"({"__metadata__":[1]})", 0, {"__metadata__ is an array of 1"});
    row("metadata no strings", R"({"__metadata__":{"n":1}})", 0, {"__metadata__.n is 1"});
    row("unknown key", R"({"w":{"dtype":"F16","shape":[0],"data_offsets":[0,0],"scale":2}})", 0,
        {"tensor w", "\"scale\""});
}

void SafetensorsTest::everyTypeIsSized_data()
{
    QTest::addColumn<QByteArray>("type");
    QTest::addColumn<int>("bytes"); // of three elements; 0: only the name is known
    for (const char* const type : {"BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0"})
        QTest::newRow(type) << QByteArray(type) << 3;
    for (const char* const type : {"U16", "I16", "F16", "BF16"})
        QTest::newRow(type) << QByteArray(type) << 6;
    for (const char* const type : {"U32", "I32", "F32"})
        QTest::newRow(type) << QByteArray(type) << 12;
    for (const char* const type : {"U64", "I64", "F64"})
        QTest::newRow(type) << QByteArray(type) << 24;
    for (const char* const type : {"F4", "F6_E2M3", "C64", "F8_E4M3FNUZ"})
        QTest::newRow(type) << QByteArray(type) << 0;
}

void SafetensorsTest::everyTypeIsSized()
{
    QFETCH(QByteArray, type);
    QFETCH(int, bytes);
    const int stored = bytes ? bytes : 7;
    std::vector<std::string> notes;
    const auto parse = [&](int size) {
        notes.clear();
        const QByteArray header = one(type, "[3]", "[0," + QByteArray::number(size) + "]");
        return parseSafetensors(bytesOf(safetensorsFile(header, QByteArray(size, 5))), "m", 0, notes);
    };
    const auto read = parse(stored);
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    QCOMPARE(read->front().size, std::uint64_t(stored));
    const QByteArray said = QByteArray::fromStdString(std::string(typeName(read->front())));
    QCOMPARE(said.toUpper(), type);
    QCOMPARE(notes.size(), bytes ? std::size_t{0} : std::size_t{1});
    if (bytes)
        QCOMPARE(complaint(parse(bytes + 1), Errc::Mismatch, {"tensor w", "[3] of", "needs"}), QString());
    else
        QVERIFY(notes[0].find("the name only") != std::string::npos);
}

void SafetensorsTest::noted()
{
    QFETCH(QByteArray, header);
    QFETCH(int, dataBytes);
    QFETCH(QList<QByteArray>, parts);
    std::vector<std::string> notes;
    QVERIFY(
        parseSafetensors(bytesOf(safetensorsFile(header, QByteArray(dataBytes, 5))), "dir/m.safetensors", 0, notes));
    QCOMPARE(notes.size(), std::size_t{1});
    const auto note = QByteArray::fromStdString(notes[0]);
    parts.append("dir/m.safetensors");
    for (const QByteArray& part : parts)
        QVERIFY2(note.contains(part), note + " lacks " + part);
}

void SafetensorsTest::refused_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<Errc>("code");
    QTest::addColumn<QList<QByteArray>>("parts");
    const auto row = [](const char* name, const QByteArray& file, Errc code, const QList<QByteArray>& parts) {
        QTest::newRow(name) << file << code << parts;
    };
    const auto header = [&](const char* name, const QByteArray& text, Errc code, const QList<QByteArray>& parts) {
        row(name, safetensorsFile(text, QByteArray(64, 1)), code, parts);
    };
    row("empty file", {}, Errc::Truncated, {"offset 0", "the file has 0 bytes", "header length"});
    row("seven bytes", QByteArray(7, 0), Errc::Truncated, {"the file has 7 bytes"});
    row("length 2^64-1", safetensorsFile("{}", {}, ~std::uint64_t{0}), Errc::Malformed,
        {"offset 0", "header length is 18446744073709551615", "100000000"});
    row("length 2^64-8", safetensorsFile("{}", {}, ~std::uint64_t{7}), Errc::Malformed,
        {"header length is 18446744073709551608"});
    row("length 100000001", safetensorsFile("{}", {}, 100'000'001), Errc::Malformed, {"header length is 100000001"});
    row("length beyond the file", safetensorsFile("{}", {}, 3), Errc::Truncated,
        {"header length is 3", "only 2 bytes follow"});
    row("length 0", safetensorsFile({}, {}), Errc::Truncated, {"offset 8", "unexpected end of input"});
    row("length cuts the header", safetensorsFile("{\"a\":1}", {}, 4), Errc::Truncated,
        {"offset 12", "unexpected end of input"});
    row("length swallows data", safetensorsFile("{}", "\x01\x02", 4), Errc::Malformed,
        {"offset 10", "2 bytes stand behind the value"});
    header("no JSON", "PK\x03\x04 this is a zip file", Errc::Malformed, {"offset 8", "invalid literal"});
    header("array", "[]", Errc::Malformed, {"the header is an array of 0", "object"});
    header("zero padding", QByteArray("{}\0\0", 4), Errc::Malformed, {"offset 10", "2 bytes stand behind"});
    header("duplicate tensor", "{" + entry("w", "F16", "[1]", "[0,2]") + "," + entry("w", "F16", "[1]", "[2,4]") + "}",
        Errc::Malformed, {"key \"w\" stands twice"});
    header("duplicate field", R"({"w":{"dtype":"F16","dtype":"F32","shape":[1],"data_offsets":[0,2]}})",
        Errc::Malformed, {"key \"dtype\" stands twice", "offset"});
    header("no dtype", R"({"w":{"shape":[1],"data_offsets":[0,2]}})", Errc::Malformed,
        {"tensor w", "without \"dtype\"", "offset"});
    header("no shape", R"({"w":{"dtype":"F16","data_offsets":[0,2]}})", Errc::Malformed,
        {"tensor w", "without \"shape\""});
    header("no offsets", R"({"w":{"dtype":"F16","shape":[1]}})", Errc::Malformed,
        {"tensor w", "without \"data_offsets\""});
    header("entry is a number", R"({"w":5})", Errc::Malformed, {"tensor w is 5"});
    header("dtype is a number", R"({"w":{"dtype":16,"shape":[1],"data_offsets":[0,2]}})", Errc::Malformed,
        {"tensor w.dtype is 16", "offset 24"});
    header("unknown dtype", one("F33", "[1]", "[0,1]"), Errc::Unsupported,
        {"tensor w.dtype is \"F33\", which no version of the format names", "offset 27"});
    header("dtype in lower case", one("f32", "[1]", "[0,4]"), Errc::Unsupported, {"\"f32\""});
    header("shape is a number", one("F16", "2", "[0,4]"), Errc::Malformed, {"tensor w.shape is 2"});
    header("negative dimension", one("F16", "[-1]", "[0,2]"), Errc::Malformed, {"tensor w.shape[0] is -1"});
    header("fractional dimension", one("F16", "[1,1.5]", "[0,2]"), Errc::Malformed, {"tensor w.shape[1] is 1.5"});
    header("dimension 2^64", one("F16", "[18446744073709551616]", "[0,2]"), Errc::Malformed,
        {"tensor w.shape[0] is 18446744073709551616"});
    header("negative offset", one("F16", "[1]", "[-2,0]"), Errc::Malformed, {"tensor w.data_offsets[0] is -2"});
    header("offset is a text", one("F16", "[1]", "[0,\"2\"]"), Errc::Malformed, {"tensor w.data_offsets[1] is \"2\""});
    header("one offset", one("F16", "[1]", "[2]"), Errc::Malformed, {"tensor w.data_offsets has 1 numbers"});
    header("three offsets", one("F16", "[1]", "[0,2,4]"), Errc::Malformed, {"tensor w.data_offsets has 3 numbers"});
    header("ends before it begins", one("F16", "[1]", "[4,2]"), Errc::Malformed, {"tensor w.data_offsets is [4, 2]"});
    header(
        "wraps around", one("F16", "[1]", "[18446744073709551615,1]"), Errc::Malformed, {"[18446744073709551615, 1]"});
    header("beyond the file", one("F32", "[16]", "[32,96]"), Errc::Truncated,
        {"tensor w.data_offsets is [32, 96]", "64 bytes follow", "ends 32 bytes early"});
    header("far beyond the file", one("F16", "[1]", "[18446744073709551613,18446744073709551615]"), Errc::Malformed,
        {"[18446744073709551613, 18446744073709551615]", "its end does not fit in 64 bits"});
    header("nearly as far", one("F16", "[1]", "[9223372036854775805,9223372036854775807]"), Errc::Truncated,
        {"9223372036854775743 bytes early"});
    header("size and shape differ", one("F32", "[4,3]", "[0,40]"), Errc::Mismatch,
        {"tensor w.data_offsets is [0, 40]", "40 bytes", "[4, 3] of f32 needs 48"});
    header("shape [0] with bytes", one("F32", "[0]", "[0,4]"), Errc::Mismatch, {"[0] of f32 needs 0"});
    header("bytes overflow", one("F32", "[4294967296,2147483648]", "[0,0]"), Errc::Malformed,
        {"tensor w.shape is [4294967296, 2147483648] of f32", "64 bits"});
    header("product overflows to 0", one("F16", "[4294967296,4294967296]", "[0,0]"), Errc::Malformed,
        {"does not fit in 64 bits"});
    header("overlap", "{" + entry("a", "F16", "[4]", "[0,8]") + "," + entry("b", "F16", "[4]", "[6,14]") + "}",
        Errc::Malformed, {"tensors a and b overlap", "offset"});
    header("same range", "{" + entry("a", "F16", "[4]", "[0,8]") + "," + entry("b", "BF16", "[4]", "[0,8]") + "}",
        Errc::Malformed, {"tensors a and b overlap"});
    header("contained", "{" + entry("a", "F16", "[8]", "[0,16]") + "," + entry("b", "F16", "[1]", "[2,4]") + "}",
        Errc::Malformed, {"tensors a and b overlap"});
    header("too deep", "{\"w\":" + QByteArray(70, '[') + QByteArray(70, ']') + "}", Errc::Malformed, {"64 levels"});
}

void SafetensorsTest::refused()
{
    QFETCH(QByteArray, file);
    QFETCH(Errc, code);
    QFETCH(QList<QByteArray>, parts);
    parts.append("dir/m.safetensors");
    std::vector<std::string> notes;
    const auto read = parseSafetensors(bytesOf(file), "dir/m.safetensors", 0, notes);
    QCOMPARE(complaint(read, code, parts), QString());
    QVERIFY(read.error().offset && *read.error().offset <= std::uint64_t(file.size()));
}

void SafetensorsTest::shapeLargerThanDataIn82Bytes()
{
    QByteArray header = one("F32", "[1000,1000]", "[0,4]");
    header += QByteArray(82 - 8 - 4 - header.size(), ' ');
    const QByteArray file = safetensorsFile(header, QByteArray(4, 0));
    QCOMPARE(file.size(), 82);
    std::vector<std::string> notes;
    const auto read = parseSafetensors(bytesOf(file), "m", 0, notes);
    QCOMPARE(complaint(read, Errc::Mismatch, {"tensor w", "[1000, 1000] of f32 needs 4000000", "4 bytes"}), QString());
}

void SafetensorsTest::everyCutIsTruncated()
{
    const QByteArray file = safetensorsFile(goodHeader(), QByteArray(22, 'x'));
    for (int size = 0; size < file.size(); ++size) {
        std::vector<std::string> notes;
        const auto read = parseSafetensors(bytesOf(file.left(size)), "cut.safetensors", 0, notes);
        QCOMPARE(complaint(read, Errc::Truncated, {"cut.safetensors"}), QString());
    }
}

void SafetensorsTest::oddOffsetsAreReadable()
{
    // Nothing aligns tensors in this format: a header of odd length shifts them all.
    QByteArray header = one("F32", "[2]", "[0,8]");
    if (header.size() % 2 == 0)
        header += ' ';
    const float values[2] = {1.5f, -3.25f};
    const QByteArray file = safetensorsFile(header, QByteArray(reinterpret_cast<const char*>(values), sizeof values));
    std::vector<std::string> notes;
    const auto read = parseSafetensors(bytesOf(file), "m", 0, notes);
    QVERIFY(read && notes.empty());
    QCOMPARE(read->front().offset % 2, std::uint64_t{1});
    QVERIFY(std::memcmp(file.constData() + read->front().offset, values, sizeof values) == 0);
}

void SafetensorsTest::damagedFilesStayInsideTheFile()
{
    const QByteArray good = safetensorsFile(goodHeader(), QByteArray(22, 'x'));
    std::mt19937 random(11);
    int accepted = 0;
    for (int i = 0; i < 10'000; ++i) {
        QByteArray file = good;
        for (unsigned changes = random() % 3 + 1; changes > 0; --changes) {
            const auto at = qsizetype(random() % unsigned(good.size()));
            file[at] = random() % 2 ? char(random()) : "0123456789[]{},\""[random() % 16];
        }
        std::vector<std::string> notes;
        const auto read = parseSafetensors(bytesOf(file), "m", 0, notes);
        if (!read)
            continue;
        ++accepted;
        for (const TensorInfo& tensor : *read) {
            QVERIFY(tensor.offset <= std::uint64_t(file.size()));
            QVERIFY(tensor.size <= std::uint64_t(file.size()) - tensor.offset);
            QCOMPARE(tensorBytes(tensor.dtype, tensor.shape), std::optional(tensor.size));
        }
    }
    QVERIFY(accepted > 100 && accepted < 9'900);
}

QTEST_APPLESS_MAIN(SafetensorsTest)
#include "tst_safetensors.moc"
