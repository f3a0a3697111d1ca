// SPDX-License-Identifier: Apache-2.0
#include "samples.h"
#include "tokenizer/utf8.h"
#include "tokenizer/utf8stream.h"

#include <QtTest>

#include <random>

using namespace colibri;
using colibri::test::readJsonFile;

namespace {

std::string whole(std::string_view bytes)
{
    Utf8Stream stream;
    std::string text(stream.push(bytes));
    return text += stream.finish();
}

} // namespace

class Utf8StreamTest : public QObject {
    Q_OBJECT

private slots:
    void goldens();
    void anySplitGivesTheSame();
    void completeCharactersComeAtOnce();
    void keepsItsBuffer();
    void allCharacters();
};

/// Bytes and what an independent decoder makes of them, with U+FFFD for each maximal ill-formed part.
void Utf8StreamTest::goldens()
{
    const QJsonArray cases = readJsonFile(COLIBRI_TEST_DATA "/tokenizer/utf8_lossy.json").array();
    QVERIFY(cases.size() > 200);
    for (const QJsonValue& value : cases) {
        const QByteArray bytes = QByteArray::fromHex(value[0].toString().toLatin1());
        QCOMPARE(QByteArray::fromStdString(whole({bytes.constData(), std::size_t(bytes.size())})),
            value[1].toString().toUtf8());
    }
}

void Utf8StreamTest::anySplitGivesTheSame()
{
    std::mt19937 random(3);
    const std::string pool = "aZ \x80\x8F\x90\xA0\xBF\xC3\xE2\x82\xAC\xED\xF0\x9F\x98\x8A\xF4\xFF";
    for (int i = 0; i < 3'000; ++i) {
        std::string bytes;
        for (unsigned n = random() % 24; n > 0; --n)
            bytes += pool[random() % pool.size()];
        Utf8Stream stream;
        std::string text;
        for (std::size_t at = 0; at < bytes.size();) {
            const std::size_t size = random() % 4;
            text += stream.push(std::string_view(bytes).substr(at, size));
            at += size;
            QVERIFY(stream.pending().size() <= 3);
            QCOMPARE(findIllFormedUtf8(text), text.npos);
        }
        text += stream.finish();
        QCOMPARE(text, whole(bytes));
        QVERIFY(stream.pending().empty());
    }
}

void Utf8StreamTest::completeCharactersComeAtOnce()
{
    Utf8Stream stream;
    QCOMPARE(stream.push("a\xF0\x9F"), std::string_view("a"));
    QCOMPARE(stream.pending(), std::string_view("\xF0\x9F"));
    QCOMPARE(stream.push("\x98"), std::string_view());
    QCOMPARE(stream.push("\x8A!"), std::string_view("\xF0\x9F\x98\x8A!"));
    QVERIFY(stream.pending().empty());
    QCOMPARE(stream.push("\xE2\x82"), std::string_view());
    QCOMPARE(stream.push("b"),
        std::string_view("\xEF\xBF\xBD"
                         "b"));
    QCOMPARE(stream.push("\xE2"), std::string_view());
    QCOMPARE(stream.finish(), std::string_view("\xEF\xBF\xBD"));
    QCOMPARE(stream.finish(), std::string_view());
    QCOMPARE(stream.push(""), std::string_view());
}

/// No allocation after construction: the text stays where it is.
void Utf8StreamTest::keepsItsBuffer()
{
    Utf8Stream stream(64);
    const char* const buffer = stream.push("x").data();
    for (int i = 0; i < 100; ++i)
        QVERIFY(stream.push(std::string(64, i % 2 ? '\xFF' : 'y')).data() == buffer);
}

void Utf8StreamTest::allCharacters()
{
    for (char32_t character = 0; character < 0x110000; ++character) {
        if (character >= 0xD800 && character < 0xE000)
            continue;
        const QByteArray bytes = QString().append(QStringView(QChar::fromUcs4(character))).toUtf8();
        const std::string_view text(bytes.constData(), std::size_t(bytes.size()));
        const Utf8Step step = utf8Step(text);
        if (step.kind != Utf8Step::Character || step.size != text.size() || firstCharacter(text) != character
            || lastCharacter(text) != character || utf8Size(character) != text.size())
            QFAIL(qPrintable(QString::number(character, 16)));
    }
}

QTEST_APPLESS_MAIN(Utf8StreamTest)
#include "tst_utf8stream.moc"
