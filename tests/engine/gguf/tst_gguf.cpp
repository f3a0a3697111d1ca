// SPDX-License-Identifier: Apache-2.0
#include "format/gguf.h"
#include "format/gguf_types.h"
#include "support/errorcheck.h"
#include "support/ggufbytes.h"
#include "types/checked.h"

#include <QtTest>

#include <random>

using namespace colibri;
using colibri::test::bytesOfFile;
using colibri::test::complaint;
using colibri::test::GgufWriter;
using colibri::test::raw;
namespace t = colibri::test;

Q_DECLARE_METATYPE(Errc)

namespace {

/// Every kind of value, and two tensors of 64 and 36 bytes.
GgufWriter good()
{
    GgufWriter w;
    w.words("general.architecture", "qwen3moe")
        .key("n.u8", t::u8, raw<std::uint8_t>(200))
        .key("n.i8", t::i8, raw<std::int8_t>(-3))
        .key("n.u16", t::u16, raw<std::uint16_t>(60000))
        .key("n.i16", t::i16, raw<std::int16_t>(-300))
        .key("n.u32", t::u32, raw<std::uint32_t>(4000000000u))
        .key("n.i32", t::i32, raw<std::int32_t>(-70000))
        .key("n.f32", t::f32, raw(1e-5f))
        .key("n.bool", t::boolean, raw<std::uint8_t>(1))
        .key("n.u64", t::u64, raw(UINT64_MAX))
        .key("n.i64", t::i64, raw(INT64_MIN))
        .key("n.f64", t::f64, raw(1e300))
        .key("list.numbers", t::array,
            GgufWriter::list(t::i16, 3, raw<std::int16_t>(1) + raw<std::int16_t>(-2) + raw<std::int16_t>(3)))
        .key("list.texts", t::array, GgufWriter::strings({"a", "", "\xC4\xA0z"}))
        .key("list.lists", t::array,
            GgufWriter::list(
                t::array, 2, GgufWriter::list(t::u8, 1, raw<std::uint8_t>(7)) + GgufWriter::strings({"x", "y"})))
        .key("list.empty", t::array, GgufWriter::list(t::f64, 0, {}))
        .tensor("b.weight", {4, 2, 2}, 0, QByteArray(64, 'x'))
        .tensor("a.weight", {32, 2}, 2, QByteArray(36, 'y'));
    return w;
}

Result<GgufHead> parse(const QByteArray& file, std::vector<std::string>& notes)
{
    return parseGguf(bytesOfFile(file), "dir/m.gguf", 0, notes);
}

QByteArray version(std::uint32_t number)
{
    GgufWriter w = good();
    w.version = number;
    return w.file();
}

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

} // namespace

class GgufTest : public QObject {
    Q_OBJECT

private slots:
    void values();
    void elements();
    void configuration();
    void tensors();
    void alignments_data();
    void alignments();
    void everyTypeIsSized();
    void unknownTypesAreListed();
    void bytesOfNoTensor();
    void refused_data();
    void refused();
    void everyCutIsTruncated();
    void damagedFilesStayInsideTheFile();
};

void GgufTest::values()
{
    std::vector<std::string> notes;
    const QByteArray file = good().file();
    const auto head = parse(file, notes);
    QVERIFY2(head, head ? "" : head.error().message().c_str());
    QVERIFY(notes.empty());
    QCOMPARE(head->version, 3u);
    QCOMPARE(head->metadata.size(), std::size_t{16});
    const auto at = [&](const char* key) { return head->find(key)->value; };
    QCOMPARE(at("n.u8").unsignedInteger(), std::optional<std::uint64_t>(200));
    QCOMPARE(at("n.i8").signedInteger(), std::optional<std::int64_t>(-3));
    QVERIFY(!at("n.i8").unsignedInteger());
    QCOMPARE(at("n.u16").unsignedInteger(), std::optional<std::uint64_t>(60000));
    QCOMPARE(at("n.i16").number(), std::optional<double>(-300));
    QCOMPARE(at("n.u32").signedInteger(), std::optional<std::int64_t>(4000000000));
    QCOMPARE(at("n.i32").signedInteger(), std::optional<std::int64_t>(-70000));
    QCOMPARE(at("n.f32").number(), std::optional<double>(double(1e-5f)));
    QVERIFY(!at("n.f32").unsignedInteger() && !at("n.f32").boolean() && !at("n.f32").string());
    QCOMPARE(at("n.bool").boolean(), std::optional<bool>(true));
    QVERIFY(!at("n.bool").number());
    QCOMPARE(at("n.u64").unsignedInteger(), std::optional<std::uint64_t>(UINT64_MAX));
    QVERIFY(!at("n.u64").signedInteger());
    QCOMPARE(at("n.i64").signedInteger(), std::optional<std::int64_t>(INT64_MIN));
    QCOMPARE(at("n.f64").number(), std::optional<double>(1e300));
    QVERIFY(!head->find("none"));
    for (const GgufEntry& entry : head->metadata) { // where they say they are
        QCOMPARE(QByteArray::fromStdString(std::string(entry.key)),
            file.mid(qsizetype(entry.offset) + 8, qsizetype(entry.key.size())));
        QCOMPARE(reinterpret_cast<const char*>(entry.value.bytes.data()), file.constData() + entry.value.offset);
    }
    const std::pair<const char*, const char*> words[]{{"general.architecture", "\"qwen3moe\""}, {"n.i8", "-3"},
        {"n.f32", "1e-05"}, {"n.bool", "true"}, {"n.u64", "18446744073709551615"}, {"list.numbers", "[1, -2, 3]"},
        {"list.texts", "[\"a\", \"\", \"\xC4\xA0z\"]"}, {"list.lists", "[[7], [\"x\", \"y\"]]"}, {"list.empty", "[]"}};
    for (const auto& [key, expected] : words)
        QCOMPARE(QString::fromStdString(describe(at(key))), QString::fromUtf8(expected));
    QCOMPARE(QString::fromStdString(describe(at("list.numbers"), 4)), QString("[1, -2, ...] (3)"));
}

void GgufTest::elements()
{
    std::vector<std::string> notes;
    QByteArray file = good().file();
    const auto head = parse(file, notes);
    QVERIFY(head);
    std::string joined;
    GgufElements texts(head->find("list.texts")->value);
    while (const auto one = texts.next())
        joined += std::string(*one->string()) + "|";
    QCOMPARE(joined, std::string("a||\xC4\xA0z|"));
    GgufElements none(head->find("n.u8")->value);
    QVERIFY(!none.next());
    // A file that changed under its mapping ends the elements; nothing outside of them is read.
    const std::uint64_t length = head->find("list.texts")->value.offset + 9;
    file[qsizetype(length) + 1] = '\x7F';
    GgufElements changed(head->find("list.texts")->value);
    QVERIFY(changed.next());
    QVERIFY(!changed.next());
}

void GgufTest::configuration()
{
    std::vector<std::string> notes;
    GgufWriter w = good();
    w.key("many", t::array, GgufWriter::list(t::u8, 5000, QByteArray(5000, 'm')));
    const QByteArray file = w.file();
    const auto head = parse(file, notes);
    QVERIFY(head);
    const JsonValue config = configOf(head->metadata);
    QCOMPARE(*config.find("general.architecture")->string(), std::string("qwen3moe"));
    QCOMPARE(config.find("n.u64")->unsignedInteger(), std::optional<std::uint64_t>(UINT64_MAX));
    QCOMPARE(config.find("n.i8")->number(), std::optional<double>(-3));
    QCOMPARE(*config.find("n.bool")->boolean(), true);
    QCOMPARE(config.find("list.numbers")->array()->size(), std::size_t{3});
    QCOMPARE(config.find("n.f32")->offset, head->find("n.f32")->value.offset);
    for (const char* const left : {"list.texts", "list.lists", "many"})
        QVERIFY(!config.find(left));
}

void GgufTest::tensors()
{
    for (const std::uint32_t number : {2u, 3u}) {
        std::vector<std::string> notes;
        const QByteArray file = version(number);
        const auto head = parse(file, notes);
        QVERIFY(head);
        QCOMPARE(head->version, number);
        QCOMPARE(head->dataStart % 32, std::uint64_t{0});
        const TensorInfo& b = head->tensors.at(0);
        QCOMPARE(b.name, std::string("b.weight"));
        QCOMPARE(b.shape, (std::vector<std::uint64_t>{2, 2, 4})); // outermost first
        QCOMPARE(b.size, std::uint64_t{64});
        QCOMPARE(b.offset, head->dataStart);
        const TensorInfo& a = head->tensors.at(1);
        QVERIFY(a.dtype == DType::Q4_0);
        QCOMPARE(a.size, std::uint64_t{36});
        QCOMPARE(file.mid(qsizetype(a.offset), 36), QByteArray(36, 'y'));
    }
}

void GgufTest::alignments_data()
{
    QTest::addColumn<std::uint32_t>("laidOut");
    QTest::addColumn<int>("type");
    QTest::addColumn<int>("notes");
    QTest::newRow("absent") << 32u << -1 << 0;
    for (const std::uint32_t alignment : {8u, 16u, 32u, 64u, 4096u, 65536u})
        QTest::addRow("%u", alignment) << alignment << int(t::u32) << 0;
    QTest::newRow("1") << 1u << int(t::u32) << 1;
    QTest::newRow("as i32, which is ignored") << 32u << int(t::i32) << 1;
}

void GgufTest::alignments()
{
    QFETCH(std::uint32_t, laidOut);
    QFETCH(int, type);
    QFETCH(int, notes);
    GgufWriter w;
    w.alignment = laidOut;
    w.words("general.architecture", "x");
    if (type >= 0) // an i32 says 64, and 32 is used
        w.key("general.alignment", std::uint32_t(type), raw(type == int(t::i32) ? 64u : laidOut));
    w.tensor("a", {3}, 24, "abc").tensor("b", {5}, 24, "bcdef");
    std::vector<std::string> said;
    const QByteArray file = w.file();
    const auto head = parse(file, said);
    QVERIFY2(head, head ? "" : head.error().message().c_str());
    QCOMPARE(head->alignment, laidOut);
    QCOMPARE(int(said.size()), notes);
    QCOMPARE(file.mid(qsizetype(head->tensors[1].offset), 5), QByteArray("bcdef"));
}

void GgufTest::everyTypeIsSized()
{
    int known = 0;
    for (std::uint32_t number = 0; number < 64; ++number) {
        const auto dtype = ggmlType(number);
        if (!dtype)
            continue;
        ++known;
        const DTypeTraits& facts = traits(*dtype);
        const QByteArray bytes(facts.blockBytes * 3, 'w');
        GgufWriter w;
        w.words("general.architecture", "x").tensor("w", {facts.blockElements, 3}, number, bytes);
        std::vector<std::string> notes;
        const auto head = parse(w.file(), notes);
        QVERIFY2(head && notes.empty(), facts.name.data());
        QCOMPARE(head->tensors[0].size, std::uint64_t(bytes.size()));
        QVERIFY(head->tensors[0].dtype == *dtype);
        if (facts.blockElements == 1)
            continue;
        GgufWriter odd;
        odd.words("general.architecture", "x").tensor("w", {facts.blockElements + 1, 3}, number, bytes);
        QCOMPARE(complaint(parse(odd.file(), notes), Errc::Mismatch,
                     {"tensors[0] \"w\".type is", facts.name.data(), "no whole blocks"}),
            QString());
    }
    QCOMPARE(known, 35);
}

void GgufTest::unknownTypesAreListed()
{
    for (const auto& [number, words] : {std::pair(139u, "type 139"), std::pair(4u, "q4_2 (removed)")}) {
        GgufWriter w;
        w.words("general.architecture", "x")
            .tensor("a", {8}, 0, QByteArray(32, 'a'))
            .tensor("w", {100}, number, QByteArray(64, 'w'))
            .tensor("z", {8}, 0, QByteArray(32, 'z'));
        std::vector<std::string> notes;
        const auto head = parse(w.file(), notes);
        QVERIFY(head);
        QCOMPARE(head->tensors.size(), std::size_t{3});
        QCOMPARE(QString::fromUtf8(typeName(head->tensors[1]).data()), QString(words));
        QCOMPARE(head->tensors[1].size, std::uint64_t{0});
        QCOMPARE(notes.size(), std::size_t{1});
        QVERIFY2(notes[0].find(words) != std::string::npos && notes[0].find("\"w\".type") != std::string::npos,
            notes[0].c_str());
    }
}

void GgufTest::bytesOfNoTensor()
{
    GgufWriter w = good();
    const QByteArray plain = w.file();
    std::vector<std::string> notes;
    QVERIFY(parse(plain + QByteArray(31, '\0'), notes)); // padding
    QVERIFY(notes.empty());
    QVERIFY(parse(plain + "GGUF" + QByteArray(60, '\1'), notes)); // a tail that looks like a second file
    QCOMPARE(notes.size(), std::size_t{1});
    QVERIFY2(notes[0].find("64 bytes at the end of the file belong to no tensor, they begin with 47 47 55 46")
            != std::string::npos,
        notes[0].c_str());
    GgufWriter hole;
    hole.words("general.architecture", "x")
        .tensor("a", {8}, 0, QByteArray(32, 'a'))
        .tail(QByteArray(64, 'h'))
        .tensor("b", {8}, 0, QByteArray(32, 'b'));
    notes.clear();
    QVERIFY(parse(hole.file(), notes));
    QCOMPARE(notes.size(), std::size_t{1});
    QVERIFY2(notes[0].find("64 bytes in front of tensor b") != std::string::npos, notes[0].c_str());
}

void GgufTest::refused_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<Errc>("code");
    QTest::addColumn<QList<QByteArray>>("parts");
    const auto row = [](const char* name, const QByteArray& file, Errc code, const QList<QByteArray>& parts) {
        QTest::newRow(name) << file << code << parts;
    };
    row("another format", "PK\3\4" + QByteArray(100, '\0'), Errc::Malformed, {"offset 0", "begins with"});
    row("version 1", version(1), Errc::Unsupported, {"offset 4", "version is 1", "2 and 3"});
    row("version 0", version(0), Errc::Unsupported, {"version is 0"});
    row("version 4", version(4), Errc::Unsupported, {"version is 4"});
    row("big-endian version", version(0x03000000), Errc::Unsupported, {"offset 4", "big-endian"});
    row("big-endian magic", "FUGG" + version(3).mid(4), Errc::Unsupported, {"offset 0", "big-endian"});
    const auto counts = [](std::int64_t tensors, std::int64_t keys) {
        GgufWriter w = good();
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
    row("bool 2", oneKey(t::boolean, raw<std::uint8_t>(2)), Errc::Malformed,
        {"metadata[0] \"k\": a bool is 2", "offset 37"});
    row("bool 255 in an array", oneKey(t::array, GgufWriter::list(t::boolean, 3, QByteArray("\1\xFF\0", 3))),
        Errc::Malformed, {"metadata[0] \"k\": a bool is 255", "offset 50"});
    row("string past the end", oneKey(t::text, raw<std::uint64_t>(1000)), Errc::Truncated,
        {"metadata[0] \"k\": a string's length is 1000", "offset 37"});
    row("string of 2^64 - 1", oneKey(t::text, raw(UINT64_MAX)), Errc::Truncated,
        {"a string's length is 18446744073709551615"});
    row("key of 2^63",
        GgufWriter().file().left(16) + raw<std::uint64_t>(1) + raw<std::uint64_t>(1ull << 63) + QByteArray(40, '\0'),
        Errc::Truncated, {"metadata[0].key: a string's length is 9223372036854775808", "offset 24"});
    row("empty key", GgufWriter().key("", t::u32, raw(1u)).file(), Errc::Malformed,
        {"metadata[0].key has 0 characters"});
    row("key of 70,000", GgufWriter().key(QByteArray(70000, 'k'), t::u32, raw(1u)).file(), Errc::Malformed,
        {"metadata[0].key has 70000 characters"});
    row("array longer than the file", oneKey(t::array, GgufWriter::list(t::u64, 1000, {})), Errc::Truncated,
        {"\"k\": an array's length is 1000", "type u64"});
    row("array length overflows", oneKey(t::array, GgufWriter::list(t::f64, 1ull << 61, {})), Errc::Truncated,
        {"an array's length is 2305843009213693952"});
    row("array of type 99", oneKey(t::array, GgufWriter::list(99, 1, {})), Errc::Malformed,
        {"\"k\": the type of an array's elements is 99"});
    row("text of an array past the end",
        oneKey(t::array, GgufWriter::list(t::text, 2, GgufWriter::string("ok") + raw<std::uint64_t>(5000))),
        Errc::Truncated, {"\"k\": element 1: a string's length is 5000"});
    QByteArray deep = GgufWriter::list(t::u8, 0, {});
    for (int i = 0; i < 70; ++i)
        deep = GgufWriter::list(t::array, 1, deep);
    row("arrays too deep", oneKey(t::array, deep), Errc::Malformed, {"more than 64 levels deep"});
    row("a key twice", GgufWriter().number("k", 1).number("j", 2).number("k", 3).file(), Errc::Malformed,
        {"metadata[2] \"k\": the key stands twice, first at offset 24", "offset 58"});
    for (const std::uint32_t bad : {0u, 3u, 48u, 0x80000000u})
        row(QByteArray("alignment " + QByteArray::number(bad)).constData(),
            GgufWriter().number("general.alignment", bad).file(), Errc::Malformed,
            {"general.alignment is " + QByteArray::number(bad), "power of two", "offset"});

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

void GgufTest::refused()
{
    QFETCH(QByteArray, file);
    QFETCH(Errc, code);
    QFETCH(QList<QByteArray>, parts);
    parts.append("dir/m.gguf");
    std::vector<std::string> notes;
    const auto read = parse(file, notes);
    QCOMPARE(complaint(read, code, parts), QString());
    QVERIFY(read.error().offset && *read.error().offset <= std::uint64_t(file.size()));
}

void GgufTest::everyCutIsTruncated()
{
    const QByteArray file = good().file();
    for (int size = 0; size < file.size(); ++size) {
        std::vector<std::string> notes;
        const QByteArray cut = file.left(size); // a copy, so that a read behind its end is seen by a sanitizer
        QCOMPARE(complaint(parse(cut, notes), Errc::Truncated, {"dir/m.gguf", "offset"}), QString());
    }
}

void GgufTest::damagedFilesStayInsideTheFile()
{
    const QByteArray good = ::good().file();
    std::mt19937 random(7);
    int accepted = 0;
    for (int i = 0; i < 20'000; ++i) {
        QByteArray file = good;
        for (unsigned changes = random() % 3 + 1; changes > 0; --changes)
            file[qsizetype(random() % unsigned(good.size()))] =
                random() % 4 ? char(random()) : "\0\1\x7F\xFF"[random() % 4];
        std::vector<std::string> notes;
        const auto head = parse(file, notes);
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

QTEST_APPLESS_MAIN(GgufTest)
#include "tst_gguf.moc"
