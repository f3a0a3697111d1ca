// SPDX-License-Identifier: Apache-2.0
#include "samplegguf.h"

#include "format/gguf_types.h"
#include "support/errorcheck.h"

#include <QtTest>

using namespace colibri;
using namespace colibri::test;

/// What is read of good files.
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
};

void GgufTest::values()
{
    std::vector<std::string> notes;
    const QByteArray file = goodGguf().file();
    const auto head = parsed(file, notes);
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
    QByteArray file = goodGguf().file();
    const auto head = parsed(file, notes);
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
    GgufWriter w = goodGguf();
    w.key("many", array, GgufWriter::list(u8, 5000, QByteArray(5000, 'm')));
    const QByteArray file = w.file();
    const auto head = parsed(file, notes);
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
        const QByteArray file = ofVersion(number);
        const auto head = parsed(file, notes);
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
        QTest::addRow("%u", alignment) << alignment << int(u32) << 0;
    QTest::newRow("1") << 1u << int(u32) << 1;
    QTest::newRow("as i32, which is ignored") << 32u << int(i32) << 1;
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
        w.key("general.alignment", std::uint32_t(type), raw(type == int(i32) ? 64u : laidOut));
    w.tensor("a", {3}, 24, "abc").tensor("b", {5}, 24, "bcdef");
    std::vector<std::string> said;
    const QByteArray file = w.file();
    const auto head = parsed(file, said);
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
        const auto head = parsed(w.file(), notes);
        QVERIFY2(head && notes.empty(), facts.name.data());
        QCOMPARE(head->tensors[0].size, std::uint64_t(bytes.size()));
        QVERIFY(head->tensors[0].dtype == *dtype);
        if (facts.blockElements == 1)
            continue;
        GgufWriter odd;
        odd.words("general.architecture", "x").tensor("w", {facts.blockElements + 1, 3}, number, bytes);
        QCOMPARE(complaint(parsed(odd.file(), notes), Errc::Mismatch,
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
        const auto head = parsed(w.file(), notes);
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
    GgufWriter w = goodGguf();
    const QByteArray plain = w.file();
    std::vector<std::string> notes;
    QVERIFY(parsed(plain + QByteArray(31, '\0'), notes)); // padding
    QVERIFY(notes.empty());
    QVERIFY(parsed(plain + "GGUF" + QByteArray(60, '\1'), notes)); // a tail that looks like a second file
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
    QVERIFY(parsed(hole.file(), notes));
    QCOMPARE(notes.size(), std::size_t{1});
    QVERIFY2(notes[0].find("64 bytes in front of tensor b") != std::string::npos, notes[0].c_str());
}

QTEST_APPLESS_MAIN(GgufTest)
#include "tst_gguf.moc"
