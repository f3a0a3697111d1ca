// SPDX-License-Identifier: Apache-2.0
#include "format/json.h"
#include "support/errorcheck.h"

#include <QtTest>

#include <limits>
#include <random>

using namespace colibri;
using colibri::test::complaint;

Q_DECLARE_METATYPE(Errc)

namespace {

const std::string sample = R"({ "a" : 12 , "b":[true,null,-3.5e2 ,"x\u00e9\n"],"c":{},"d":{"e":[[ ],{"f":false}]} } )";

std::string nested(std::size_t depth)
{
    return std::string(depth, '[') + std::string(depth, ']');
}

} // namespace

class JsonTest : public QObject {
    Q_OBJECT

private slots:
    void values();
    void integers();
    void offsetsPointBehindValues();
    void errors_data();
    void errors();
    void depth();
    void duplicateAmongMany();
    void everyCutIsTruncated();
    void damagedTextsEndInValueOrError();
};

void JsonTest::values()
{
    const auto root = parseJson(sample, "f.json");
    QVERIFY(root);
    QCOMPARE(root->object()->size(), std::size_t{4});
    QCOMPARE(root->find("a")->unsignedInteger(), std::optional<std::uint64_t>(12));
    const auto& b = *root->find("b")->array();
    QCOMPARE(*b[0].boolean(), true);
    QVERIFY(b[1].isNull());
    QCOMPARE(b[2].number(), std::optional(-350.0));
    QCOMPARE(*b[3].string(), std::string("x\xC3\xA9\n"));
    QCOMPARE(root->find("c")->typeName(), std::string_view("object"));
    QVERIFY(!root->find("e"));
    QVERIFY(!b[0].find("a"));
    QCOMPARE(root->object()->front().key, std::string("a"));
    QCOMPARE(*root->find("d")->find("e")->array()->at(1).find("f")->boolean(), false);
    QCOMPARE(shortText(*root->find("b")), std::string("an array of 4"));
    QCOMPARE(shortText(b[2]), std::string("-350"));
    QCOMPARE(shortText(*parseJson("\"" + std::string(100, 'x') + "\"", "f")), "\"" + std::string(60, 'x') + "...\"");
    // A cut in the middle of a character leaves the character out.
    QCOMPARE(
        shortText(*parseJson("\"" + std::string(59, 'x') + "\xC3\xA9y\"", "f")), "\"" + std::string(59, 'x') + "...\"");
}

void JsonTest::integers()
{
    const auto root =
        parseJson("[0,-1,9223372036854775807,9223372036854775808,18446744073709551615,18446744073709551616,1.0]", "f");
    QVERIFY(root);
    const auto& n = *root->array();
    QVERIFY(std::holds_alternative<std::int64_t>(n[0].data));
    QCOMPARE(n[0].unsignedInteger(), std::optional<std::uint64_t>(0));
    QVERIFY(!n[1].unsignedInteger());
    QCOMPARE(n[1].number(), std::optional(-1.0));
    QVERIFY(std::holds_alternative<std::int64_t>(n[2].data));
    QVERIFY(std::holds_alternative<std::uint64_t>(n[3].data));
    QCOMPARE(n[4].unsignedInteger(), std::optional(std::numeric_limits<std::uint64_t>::max()));
    QVERIFY(std::holds_alternative<double>(n[5].data));
    QVERIFY(!n[5].unsignedInteger());
    QVERIFY(!n[6].unsignedInteger());
}

void JsonTest::offsetsPointBehindValues()
{
    const auto root = parseJson(sample, "f.json", 1000);
    QVERIFY(root);
    const auto behind = [](const char* text) { return 1000 + sample.find(text) + std::strlen(text); };
    const auto& b = *root->find("b")->array();
    QCOMPARE(root->offset, 1000 + sample.rfind('}') + 1);
    QCOMPARE(root->find("a")->offset, behind("12"));
    QCOMPARE(b[0].offset, behind("true"));
    QCOMPARE(b[1].offset, behind("null"));
    QCOMPARE(b[2].offset, behind("-3.5e2"));
    QCOMPARE(b[3].offset, behind(R"("x\u00e9\n")"));
    QCOMPARE(root->find("b")->offset, behind(R"("x\u00e9\n"])"));
    QCOMPARE(root->find("c")->offset, behind("{}"));
    QCOMPARE(root->find("d")->find("e")->array()->at(0).offset, behind("[ ]"));
    QCOMPARE(parseJson("-12", "f")->offset, std::uint64_t{3});
    QCOMPARE(parseJson("7 ", "f")->offset, std::uint64_t{1});
}

void JsonTest::errors_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<Errc>("code");
    QTest::addColumn<int>("offset");
    QTest::addColumn<QByteArray>("part");
    const auto row = [](const char* name, QByteArray text, Errc code, int offset, const char* part) {
        QTest::newRow(name) << text << code << offset << QByteArray(part);
    };
    row("empty", "", Errc::Truncated, 0, "unexpected end of input");
    row("spaces only", "  ", Errc::Truncated, 2, "unexpected end of input");
    row("open object", "{\"a\":1", Errc::Truncated, 6, "unexpected end of input");
    row("open string", "[\"ab", Errc::Truncated, 4, "closing quote");
    row("no JSON", "hello", Errc::Malformed, 0, "invalid literal");
    row("trailing value", "{} {}", Errc::Malformed, 3, "2 bytes stand behind the value");
    row("trailing word", "[1]\n  abc", Errc::Malformed, 6, "line 2, 3 bytes stand behind the value");
    row("trailing zero byte", QByteArray("{}\0", 3), Errc::Malformed, 2, "1 bytes stand behind the value");
    row("trailing zero bytes", QByteArray("{}\0{}", 5), Errc::Malformed, 2, "3 bytes stand behind the value");
    row("duplicate key", "{\"k\":1,\"x\":2,\"k\":3}", Errc::Malformed, 16,
        "key \"k\" stands twice in one object, first ending at offset 4");
    row("duplicate key, spelled differently", "{\"k\":1,\"\\u006b\":3}", Errc::Malformed, 15, "key \"k\" stands twice");
    row("duplicate in an inner object", "[{\"a\":{\"b\":1,\"b\":2}}]", Errc::Malformed, 16, "key \"b\"");
    row("invalid UTF-8", "[\"a\xFF\"]", Errc::Malformed, 3, "ill-formed UTF-8");
    row("overlong UTF-8", "\"\xC0\xAF\"", Errc::Malformed, 1, "ill-formed UTF-8");
    row("lone surrogate", "\"\\ud800\"", Errc::Malformed, 7, "surrogate");
    row("control character", "\"a\tb\"", Errc::Malformed, 2, "control character");
    row("number overflow", "[1e999]", Errc::Malformed, 5, "1e999");
    row("leading zero", "[01]", Errc::Malformed, 2, "number literal");
    row("comment", "[1 /* one */]", Errc::Malformed, 3, "invalid literal");
    row("trailing comma", "[1,]", Errc::Malformed, 3, "unexpected ']'");
    row("third line", "{\n \"a\": 1,\n \"b\" 2\n}", Errc::Malformed, 16, "line 3");
}

void JsonTest::errors()
{
    QFETCH(QByteArray, text);
    QFETCH(Errc, code);
    QFETCH(int, offset);
    QFETCH(QByteArray, part);
    for (const std::uint64_t base : {0, 500}) {
        if (base && part.contains("first ending"))
            part = "stands twice";
        const auto result = parseJson({text.constData(), std::size_t(text.size())}, "dir/f.json", base);
        QCOMPARE(complaint(result, code, {"dir/f.json", part}), QString());
        QCOMPARE(result.error().offset, std::optional(base + std::uint64_t(offset)));
    }
}

void JsonTest::depth()
{
    QVERIFY(parseJson(nested(64), "f"));
    const auto result = parseJson(nested(65), "f");
    QCOMPARE(complaint(result, Errc::Malformed, {"f", "64 levels"}), QString());
    QCOMPARE(result.error().offset, std::optional<std::uint64_t>(64));
    QCOMPARE(complaint(parseJson(std::string(1'000'000, '['), "f"), Errc::Malformed, {"64 levels"}), QString());
    QCOMPARE(complaint(parseJson(std::string(64, '[') + "{\"a\":1}", "f"), Errc::Malformed, {"64 levels"}), QString());
}

void JsonTest::duplicateAmongMany()
{
    std::string text = "{";
    for (int i = 0; i < 100'000; ++i)
        text += "\"key" + std::to_string(i) + "\":" + std::to_string(i) + ",";
    QVERIFY(parseJson(text + "\"last\":0}", "f"));
    const auto result = parseJson(text + "\"key77777\":0}", "f");
    QCOMPARE(complaint(result, Errc::Malformed, {"\"key77777\" stands twice"}), QString());
    QCOMPARE(result.error().offset, std::optional<std::uint64_t>(text.size() + 10));
}

void JsonTest::everyCutIsTruncated()
{
    const std::size_t whole = sample.rfind('}') + 1;
    for (std::size_t size = 0; size < whole; ++size) {
        const auto result = parseJson(std::string_view(sample).substr(0, size), "f");
        QVERIFY2(!result, std::to_string(size).c_str());
        QVERIFY(*result.error().offset <= size);
        // Inside of a word or an escape the text is wrong, everywhere else it is short.
        const bool insideWord = result.error().code == Errc::Malformed;
        QVERIFY2(!insideWord || std::isalpha(static_cast<unsigned char>(sample[size]))
                || std::isdigit(static_cast<unsigned char>(sample[size])) || sample[size] == '.',
            result.error().message().c_str());
    }
}

void JsonTest::damagedTextsEndInValueOrError()
{
    std::mt19937 random(7);
    int accepted = 0;
    for (int i = 0; i < 5'000; ++i) {
        std::string text = sample;
        for (unsigned changes = random() % 3 + 1; changes > 0; --changes)
            text[random() % text.size()] =
                static_cast<char>(random() % 2 ? random() : sample[random() % sample.size()]);
        const auto result = parseJson(text, "f", 40);
        if (result) {
            ++accepted;
            QVERIFY(result->offset <= 40 + text.size());
        } else {
            QVERIFY(
                result.error().offset && *result.error().offset >= 40 && *result.error().offset <= 40 + text.size());
            QVERIFY(
                QString::fromUtf8(result.error().message().c_str()).toUtf8().toStdString() == result.error().message());
        }
    }
    QVERIFY(accepted > 50 && accepted < 4'950);
}

QTEST_APPLESS_MAIN(JsonTest)
#include "tst_json.moc"
