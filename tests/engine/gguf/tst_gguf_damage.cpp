// SPDX-License-Identifier: Apache-2.0
#include "samplegguf.h"

#include "support/errorcheck.h"

#include <QtTest>

#include <random>

using namespace colibri;
using namespace colibri::test;

Q_DECLARE_METATYPE(Errc)

namespace {

/// A file with this one tensor entry, `data` bytes of weights, and a valid tensor of 256 bytes in front.
QByteArray entry(const QList<std::uint64_t>& dims, std::uint32_t type, std::uint64_t offset, int data = 0)
{
    GgufWriter w;
    w.words("general.architecture", "x").tensor("first", {64}, 0, QByteArray(256, 'f')).entry("w", dims, type, offset);
    return w.tail(QByteArray(data, 'd')).file();
}

QByteArray oneKey(std::uint32_t type, const QByteArray& value)
{
    // Bytes behind it, so that the count of keys is not what is wrong.
    return GgufWriter().key("k", type, value).file() + QByteArray(64, '\0');
}

void row(const char* name, const QByteArray& file, Errc code, const QList<QByteArray>& parts)
{
    QTest::newRow(name) << file << code << parts;
}

void rowsOfHeadAndMetadata()
{
    row("another format", "PK\3\4" + QByteArray(100, '\0'), Errc::Malformed, {"offset 0", "begins with"});
    row("version 1", ofVersion(1), Errc::Unsupported, {"offset 4", "version is 1", "2 and 3"});
    row("version 0", ofVersion(0), Errc::Unsupported, {"version is 0"});
    row("version 4", ofVersion(4), Errc::Unsupported, {"version is 4"});
    row("big-endian version", ofVersion(0x03000000), Errc::Unsupported, {"offset 4", "big-endian"});
    row("big-endian magic", "FUGG" + ofVersion(3).mid(4), Errc::Unsupported, {"offset 0", "big-endian"});
    const auto counts = [](std::int64_t tensors, std::int64_t keys) {
        GgufWriter w = goodGguf();
        w.moreTensors = tensors;
        w.moreKeys = keys;
        return w.file();
    };
    row("more tensors than fit", counts(INT64_MAX, 0), Errc::Truncated,
        {"offset 8", "tensor_count is 9223372036854775809", "holds at most"});
    row("more keys than fit", counts(0, 1 << 20), Errc::Truncated,
        {"offset 16", "metadata_kv_count is 1048592", "holds at most"});
    row("a few more keys", counts(0, 2), Errc::Truncated, {"metadata[17].key: "});
    row("type 13", oneKey(13, raw(0u)), Errc::Malformed, {"metadata[0] \"k\": its type is 13", "0 to 12", "offset 33"});
    row("bool 2", oneKey(boolean, raw<std::uint8_t>(2)), Errc::Malformed,
        {"metadata[0] \"k\": a bool is 2", "offset 37"});
    row("bool 255 in an array", oneKey(array, GgufWriter::list(boolean, 3, QByteArray("\1\xFF\0", 3))), Errc::Malformed,
        {"metadata[0] \"k\": a bool is 255", "offset 50"});
    row("string past the end", oneKey(text, raw<std::uint64_t>(1000)), Errc::Truncated,
        {"metadata[0] \"k\": a string's length is 1000", "offset 37"});
    row("string of 2^64 - 1", oneKey(text, raw(UINT64_MAX)), Errc::Truncated,
        {"a string's length is 18446744073709551615"});
    row("key of 2^63",
        GgufWriter().file().left(16) + raw<std::uint64_t>(1) + raw<std::uint64_t>(1ull << 63) + QByteArray(40, '\0'),
        Errc::Truncated, {"metadata[0].key: a string's length is 9223372036854775808", "offset 24"});
    row("empty key", GgufWriter().key("", u32, raw(1u)).file(), Errc::Malformed, {"metadata[0].key has 0 characters"});
    row("key of 70,000", GgufWriter().key(QByteArray(70000, 'k'), u32, raw(1u)).file(), Errc::Malformed,
        {"metadata[0].key has 70000 characters"});
    row("array longer than the file", oneKey(array, GgufWriter::list(u64, 1000, {})), Errc::Truncated,
        {"\"k\": an array's length is 1000", "type u64"});
    row("array length overflows", oneKey(array, GgufWriter::list(f64, 1ull << 61, {})), Errc::Truncated,
        {"an array's length is 2305843009213693952"});
    row("array of type 99", oneKey(array, GgufWriter::list(99, 1, {})), Errc::Malformed,
        {"\"k\": the type of an array's elements is 99"});
    row("text of an array past the end",
        oneKey(array, GgufWriter::list(text, 2, GgufWriter::string("ok") + raw<std::uint64_t>(5000))), Errc::Truncated,
        {"\"k\": element 1: a string's length is 5000"});
    QByteArray deep = GgufWriter::list(u8, 0, {});
    for (int i = 0; i < 70; ++i)
        deep = GgufWriter::list(array, 1, deep);
    row("arrays too deep", oneKey(array, deep), Errc::Malformed, {"more than 64 levels deep"});
    row("a key twice", GgufWriter().number("k", 1).number("j", 2).number("k", 3).file(), Errc::Malformed,
        {"metadata[2] \"k\": the key stands twice, first at offset 24", "offset 58"});
    for (const std::uint32_t bad : {0u, 3u, 48u, 0x80000000u})
        row(QByteArray("alignment " + QByteArray::number(bad)).constData(),
            GgufWriter().number("general.alignment", bad).file(), Errc::Malformed,
            {"general.alignment is " + QByteArray::number(bad), "power of two", "offset"});
}

void rowsOfTensors()
{
    row("no dimensions", entry({}, 0, 256), Errc::Malformed, {"tensors[1] \"w\".n_dimensions is 0"});
    row("five dimensions", entry({1, 1, 1, 1, 1}, 0, 256), Errc::Malformed,
        {"tensors[1] \"w\".n_dimensions is 5", "1 to 4"});
    row("dimension 0", entry({4, 0, 2}, 0, 256), Errc::Malformed, {"tensors[1] \"w\".dimensions[1] is 0"});
    row("elements overflow", entry({1ull << 32, 1ull << 32}, 0, 256), Errc::Malformed,
        {"\"w\".dimensions are [4294967296, 4294967296]", "64 bits"});
    row("bytes overflow", entry({1ull << 62}, 0, 256), Errc::Malformed,
        {"\"w\" of shape [4611686018427387904]", "does not fit in 64 bits"});
    row("padded bytes overflow", entry({4, (1ull << 30) - 1, (1ull << 30) + 1, 1}, 0, 256), Errc::Malformed,
        {"\"w\" of shape [1, 1073741825, 1073741823, 4] and type f32", "padded to 32", "does not fit in 64 bits"});
    row("offset overflows", entry({4}, 0, UINT64_MAX - 31), Errc::Malformed,
        {"tensor \"w\"", "its end does not fit in 64 bits"});
    row("beyond the file", entry({16}, 0, 256, 40), Errc::Truncated,
        {"tensor \"w\" of 64 bytes at offset 256 of the data", "the file ends 24 bytes early"});
    row("one byte short", entry({16}, 0, 256, 63), Errc::Truncated, {"the file ends 1 bytes early"});
    row("offset is no multiple", entry({4}, 0, 264, 64), Errc::Malformed,
        {"tensors[1] \"w\".offset is 264, it has to be a multiple of the alignment 32"});
    row("overlap", entry({16}, 0, 224, 32), Errc::Malformed, {"tensors \"first\" and \"w\" overlap"});
    row("contained", entry({4}, 0, 64), Errc::Malformed, {"tensors \"first\" and \"w\" overlap"});
    row("same range", entry({64}, 0, 0), Errc::Malformed, {"tensors \"first\" and \"w\" overlap"});
    row("a tensor twice",
        GgufWriter().tensor("w", {4}, 0, QByteArray(16, 'a')).tensor("w", {4}, 0, QByteArray(16, 'b')).file(),
        Errc::Malformed, {"tensors[1].name is \"w\"", "offset 24", "unique"});
    row("a name of 65", GgufWriter().tensor(QByteArray(65, 'n'), {4}, 0, QByteArray(16, 'a')).file(), Errc::Malformed,
        {"tensors[0].name has 65 characters"});
    row("no name", GgufWriter().tensor("", {4, 4}, 0, QByteArray(64, 'a')).file(), Errc::Malformed,
        {"tensors[0].name has 0 characters"});
    row("name past the end",
        GgufWriter().file().left(8) + raw<std::uint64_t>(1) + raw<std::uint64_t>(0) + raw<std::uint64_t>(99)
            + QByteArray(30, 'n'),
        Errc::Truncated, {"tensors[0].name: a string's length is 99"});
}

} // namespace

/// Files that are refused, each with its place and reason, and damage that must not lead out of the file.
class GgufDamageTest : public QObject {
    Q_OBJECT

private slots:
    void refused_data();
    void refused();
    void everyCutIsTruncated();
    void damagedFilesStayInsideTheFile();
};

void GgufDamageTest::refused_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<Errc>("code");
    QTest::addColumn<QList<QByteArray>>("parts");
    rowsOfHeadAndMetadata();
    rowsOfTensors();
}

void GgufDamageTest::refused()
{
    QFETCH(QByteArray, file);
    QFETCH(Errc, code);
    QFETCH(QList<QByteArray>, parts);
    parts.append("dir/m.gguf");
    std::vector<std::string> notes;
    const auto read = parsed(file, notes);
    QCOMPARE(complaint(read, code, parts), QString());
    QVERIFY(read.error().offset && *read.error().offset <= std::uint64_t(file.size()));
}

void GgufDamageTest::everyCutIsTruncated()
{
    const QByteArray file = goodGguf().file();
    for (int size = 0; size < file.size(); ++size) {
        std::vector<std::string> notes;
        const QByteArray cut = file.left(size); // a copy, so that a read behind its end is seen by a sanitizer
        QCOMPARE(complaint(parsed(cut, notes), Errc::Truncated, {"dir/m.gguf", "offset"}), QString());
    }
}

void GgufDamageTest::damagedFilesStayInsideTheFile()
{
    const QByteArray good = goodGguf().file();
    std::mt19937 random(7);
    int accepted = 0;
    for (int i = 0; i < 20'000; ++i) {
        QByteArray file = good;
        for (unsigned changes = random() % 3 + 1; changes > 0; --changes)
            file[qsizetype(random() % unsigned(good.size()))] =
                random() % 4 ? char(random()) : "\0\1\x7F\xFF"[random() % 4];
        std::vector<std::string> notes;
        const auto head = parsed(file, notes);
        if (!head)
            continue;
        ++accepted;
        for (const TensorInfo& tensor : head->tensors)
            QVERIFY(tensor.offset <= std::uint64_t(file.size())
                && tensor.size <= std::uint64_t(file.size()) - tensor.offset);
        for (const GgufEntry& entry : head->metadata)
            QVERIFY(!describe(entry.value).empty());
        QVERIFY(configOf(head->metadata).object());
    }
    QVERIFY(accepted > 100 && accepted < 19'900);
}

QTEST_APPLESS_MAIN(GgufDamageTest)
#include "tst_gguf_damage.moc"
