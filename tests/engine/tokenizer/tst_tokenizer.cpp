// SPDX-License-Identifier: Apache-2.0
#include "samples.h"
#include "support/errorcheck.h"
#include "tokenizer/utf8stream.h"

#include <QtTest>

#include <random>
#include <set>
#include <thread>

using namespace colibri;
using colibri::test::addedToken;
using colibri::test::complaint;
using colibri::test::idsOf;
using colibri::test::listed;
using colibri::test::parseObject;
using colibri::test::readJsonFile;
using colibri::test::smallTokenizer;
using colibri::test::spelled;

namespace {

using Ids = std::vector<TokenId>;

const QString demoFolder = QStringLiteral(COLIBRI_TEST_DATA "/demo");

Ids encoded(const Tokenizer& tokenizer, const QString& text)
{
    auto ids = tokenizer.encode(text.toStdString());
    return ids ? *ids : Ids{UINT32_MAX};
}

/// Characters that all libraries here know, among them combining marks, composed letters, Hangul and what a tokenizer
/// splits at.
QString randomText(std::mt19937& random)
{
    static const QString spots = QStringLiteral(
        " \n\t\r'sdll0123AZaz.,!"
        "\u00E9\u0301\u0308\u0327\u1EA1\u0323\uAC00\u1100\u1161\u11A8\u4E2D\u3042\u0939\u094D\u2126\u212B\uFB01");
    QString text;
    for (unsigned n = random() % 40; n > 0; --n) {
        if (random() % 3) {
            text += spots[qsizetype(random() % unsigned(spots.size()))];
            continue;
        }
        const char32_t character = random() % 0x1FFFF;
        const auto version = QChar::unicodeVersion(character);
        if (version != QChar::Unicode_Unassigned && version <= QChar::Unicode_12_1 && !QChar::isSurrogate(character))
            text += QString::fromUcs4(&character, 1);
    }
    return text;
}

} // namespace

class TokenizerTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void demoPrompts_data();
    void demoPrompts();
    void tinyFolder();
    void decodesToNormalizedText();
    void streamedIsDecoded();
    void mergesAsTheDefinitionSays();
    void longWordIsNotQuadratic();
    void ids();
    void addedTokens_data();
    void addedTokens();
    void stretchesAreNormalizedAlone();
    void ignoreMerges();
    void badText();
    void limitsAreNamed();
    void threadsShareIt();

private:
    std::shared_ptr<const Tokenizer> m_demo;
};

void TokenizerTest::initTestCase()
{
    const auto loaded = Tokenizer::load((demoFolder + "/tokenizer.json").toStdString());
    QVERIFY2(loaded, loaded ? "" : loaded.error().message().c_str());
    m_demo = *loaded;
}

void TokenizerTest::demoPrompts_data()
{
    QTest::addColumn<QJsonObject>("prompt");
    const QJsonArray prompts = readJsonFile(demoFolder + "/prompts.json").array();
    QCOMPARE(prompts.size(), 7);
    for (const QJsonValue& prompt : prompts)
        QTest::newRow(qPrintable(prompt["name"].toString())) << prompt.toObject();
}

void TokenizerTest::demoPrompts()
{
    QFETCH(QJsonObject, prompt);
    const QString text = prompt["text"].toString();
    Ids ids = idsOf(prompt["token_ids"]);
    QCOMPARE(m_demo->decode(ids), text.toStdString()); // the special token in front leaves no trace
    QCOMPARE(ids.front(), TokenId{2047});
    QCOMPARE(listed(encoded(*m_demo, "<|endoftext|>" + text)), listed(ids));
    ids.erase(ids.begin());
    QCOMPARE(listed(encoded(*m_demo, text)), listed(ids));
    QCOMPARE(m_demo->decode(idsOf(prompt["greedy_token_ids"])), prompt["greedy_text"].toString().toStdString());
}

void TokenizerTest::tinyFolder()
{
    const QString folder = QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32");
    const auto tokenizer = Tokenizer::load((folder + "/tokenizer.json").toStdString());
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message().c_str());
    const QJsonArray cases = readJsonFile(folder + "/golden.json")["tokenize"].toArray();
    int compared = 0;
    for (const QJsonValue& value : cases) {
        if (!value["parse_special"].toBool())
            continue;
        ++compared;
        const Ids ids = idsOf(value["ids"]);
        QCOMPARE(listed(encoded(**tokenizer, value["text"].toString())), listed(ids));
        QByteArray bytes;
        for (const TokenId id : ids)
            bytes += QByteArray((*tokenizer)->bytes(id).data(), qsizetype((*tokenizer)->bytes(id).size()));
        QCOMPARE(bytes.toHex(), value["detok_hex"].toString().toLatin1());
    }
    QCOMPARE(compared, 10);
}

void TokenizerTest::decodesToNormalizedText()
{
    std::mt19937 random(1);
    for (int i = 0; i < 3'000; ++i) {
        const QString text = randomText(random);
        QCOMPARE(QString::fromStdString(m_demo->decode(encoded(*m_demo, text))),
            text.normalized(QString::NormalizationForm_C));
    }
}

void TokenizerTest::streamedIsDecoded()
{
    std::mt19937 random(2);
    for (int i = 0; i < 1'000; ++i) {
        Ids ids;
        for (unsigned n = random() % 20; n > 0; --n)
            ids.push_back(
                random() % 2 ? random() % 256 : random() % 2100); // single bytes, and some ids that do not exist
        Utf8Stream stream;
        std::string text;
        for (const TokenId id : ids)
            if (!m_demo->isSpecial(id))
                text += stream.push(m_demo->bytes(id));
        text += stream.finish();
        QCOMPARE(text, m_demo->decode(ids));
    }
}

/// The definition, step by step: look for the earliest merge among all neighbours, join its leftmost place, start
/// again.
void TokenizerTest::mergesAsTheDefinitionSays()
{
    const QJsonObject model = readJsonFile(demoFolder + "/tokenizer.json")["model"].toObject();
    QHash<QString, int> rank;
    for (const QJsonValue& merge : model["merges"].toArray())
        rank.insert(merge.toString(), int(rank.size()));
    const QJsonObject vocab = model["vocab"].toObject();
    std::mt19937 random(4);
    const QString letters = QStringLiteral("etaoinshrdlu");
    for (int i = 0; i < 1'000; ++i) {
        QString word;
        for (unsigned n = random() % 30 + 1; n > 0; --n)
            word += letters[qsizetype(random() % (i % 2 ? 3 : 12))];
        QStringList parts = word.split(QString(), Qt::SkipEmptyParts);
        for (;;) {
            qsizetype best = -1;
            int bestRank = INT_MAX;
            for (qsizetype at = 0; at + 1 < parts.size(); ++at) {
                const int here = rank.value(parts[at] + " " + parts[at + 1], INT_MAX);
                if (here < bestRank) {
                    bestRank = here;
                    best = at;
                }
            }
            if (best < 0)
                break;
            parts[best] += parts.takeAt(best + 1);
        }
        Ids expected;
        for (const QString& part : parts)
            expected.push_back(TokenId(vocab[part].toInt()));
        QCOMPARE(listed(encoded(*m_demo, word)), listed(expected));
    }
}

void TokenizerTest::longWordIsNotQuadratic()
{
    for (const QString& word : {QStringLiteral("a"), QStringLiteral("the"), QStringLiteral("=")}) {
        const QString text = word.repeated(300'000 / word.size());
        QElapsedTimer timer;
        timer.start();
        const Ids ids = encoded(*m_demo, text);
        QVERIFY(timer.elapsed() < 20'000);
        QCOMPARE(m_demo->decode(ids), text.toStdString());
    }
}

void TokenizerTest::ids()
{
    QCOMPARE(m_demo->vocabularySize(), 2048u);
    QCOMPARE(m_demo->idOf("<|endoftext|>"), std::optional<TokenId>(2047));
    QCOMPARE(m_demo->idOf(QString(spelled(' ')).toStdString() + "t"), m_demo->encode(" t")->front());
    QVERIFY(!m_demo->idOf("no such token"));
    QVERIFY(m_demo->isSpecial(2047));
    QVERIFY(!m_demo->isSpecial(0) && !m_demo->isSpecial(2048) && !m_demo->isSpecial(UINT32_MAX));
    QCOMPARE(m_demo->bytes(2047), std::string_view("<|endoftext|>"));
    QVERIFY(m_demo->bytes(2048).empty() && m_demo->bytes(UINT32_MAX).empty());
    QVERIFY(m_demo->encode("")->empty());
    QCOMPARE(m_demo->decode({}), std::string());
    std::set<std::string> all;
    for (TokenId id = 0; id < 2048; ++id)
        all.emplace(m_demo->bytes(id));
    QCOMPARE(all.size(), std::size_t{2048});
}

void TokenizerTest::addedTokens_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected"); // single characters, or ids above 300 in brackets
    const auto row = [](const char* name, const char* text, const char* expected) {
        QTest::newRow(name) << QString::fromUtf8(text) << QString(expected);
    };
    row("plain", "a<P>b", "a[301]b");
    row("alone", "<P>", "[301]");
    row("side by side", "<P><P>", "[301][301]");
    row("not whole", "a<P b", "a<P b");
    row("left strip", "a  <L>  b", "a[302]  b");
    row("right strip", "a  <R>  b", "a  [303]b");
    row("both", " \n<B>\t b", "[304]b");
    row("strip takes other white space",
        "a\xC2\xA0\xE3\x80\x80<B>\xE2\x80\x83"
        "b",
        "a[304]b");
    row("strip stops at the token before", "<P> <L>", "[301][302]");
    row("two that share the space", "<R>  <L>", "[303][302]");
    row("single word", "a word b", "a [305] b");
    row("single word at the ends", "word", "[305]");
    row("within a word", "sword", "sword");
    row("with a digit behind", "word1", "word1");
    row("with an underscore", "word_", "word_");
    row("with a mark behind", "word\xCC\x81", "word\xCC\x81");
    row("beside punctuation", "(word)", "([305])");
    row("longest wins", "<P>>", "[306]");
    row("longest that is whole", "<P>>>", "[306]>");
    row("leftmost wins", "x<<P>", "x<[301]");
    row("twice the same", "a word word", "a [305] [305]");
}

void TokenizerTest::addedTokens()
{
    QFETCH(QString, text);
    QFETCH(QString, expected);
    QJsonObject file = smallTokenizer();
    QJsonObject model = file["model"].toObject();
    model["merges"] = QJsonArray();
    file["model"] = model;
    file["added_tokens"] = QJsonArray{addedToken(301, "<P>"), addedToken(302, "<L>", {"lstrip"}),
        addedToken(303, "<R>", {"rstrip"}), addedToken(304, "<B>", {"lstrip", "rstrip", "normalized"}),
        addedToken(305, "word", {"single_word"}), addedToken(306, "<P>>", {"special"})};
    const auto tokenizer = parseObject(file);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message().c_str());
    QByteArray found;
    for (const TokenId id : encoded(**tokenizer, text))
        found += id > 300 ? "[" + QByteArray::number(id) + "]" : QByteArray(1, char(id));
    QCOMPARE(found, expected.toUtf8());
}

/// Neither does a mark join a letter across a token, nor is a token found that only normalization would make, unless it
/// asks for that.
void TokenizerTest::stretchesAreNormalizedAlone()
{
    QJsonObject file = smallTokenizer();
    file["normalizer"] = QJsonObject{{"type", "Sequence"}, {"normalizers", QJsonArray{QJsonObject{{"type", "NFC"}}}}};
    const QString composed = QStringLiteral("x\u00E9");
    const QString apart = QStringLiteral("xe\u0301");
    file["added_tokens"] = QJsonArray{addedToken(300, "<|>"), addedToken(301, composed)};
    QCOMPARE(listed(encoded(**parseObject(file), "e<|>" + QStringLiteral("\u0301"))), listed({'e', 300, 0xCC, 0x81}));
    QCOMPARE(listed(encoded(**parseObject(file), QStringLiteral("e\u0301"))), listed({0xC3, 0xA9}));
    QCOMPARE(listed(encoded(**parseObject(file), apart)), listed({'x', 0xC3, 0xA9}));
    QCOMPARE(listed(encoded(**parseObject(file), composed)), listed({301}));
    file["added_tokens"] = QJsonArray{addedToken(300, "<|>"), addedToken(301, apart, {"normalized"})};
    QCOMPARE(listed(encoded(**parseObject(file), apart)), listed({301}));
    QCOMPARE(listed(encoded(**parseObject(file), composed)), listed({301}));
}

void TokenizerTest::ignoreMerges()
{
    QJsonObject file = smallTokenizer();
    QJsonObject model = file["model"].toObject();
    QJsonObject vocab = model["vocab"].toObject();
    vocab["whole"] = 262; // no merges lead there
    model["vocab"] = vocab;
    file["model"] = model;
    QCOMPARE(listed(encoded(**parseObject(file), "whole hello")), listed({'w', 'h', 'o', 'l', 'e', 260}));
    model["ignore_merges"] = true;
    file["model"] = model;
    QCOMPARE(listed(encoded(**parseObject(file), "whole hello hell")), listed({262, 260, ' ', 258}));
}

void TokenizerTest::badText()
{
    const auto result = m_demo->encode("ab\xC3\xA9\xE2\x82 c");
    QCOMPARE(complaint(result, Errc::Malformed, {"tokenize the text", "offset 4", "226"}), QString());
    QCOMPARE(result.error().offset, std::optional<std::uint64_t>(4));
    QCOMPARE(complaint(m_demo->encode("\xED\xA0\x80"), Errc::Malformed, {"offset 0"}), QString());
    QCOMPARE(complaint(m_demo->encode(std::string("a") + std::string(1, '\xFF')), Errc::Malformed, {"offset 1", "255"}),
        QString());
    const std::string zero("a\0b", 3);
    QCOMPARE(m_demo->decode(*m_demo->encode(zero)), zero);
}

void TokenizerTest::limitsAreNamed()
{
    QJsonObject file = smallTokenizer();
    const auto splitBy = [&](const char* pattern) {
        const QJsonObject split{{"type", "Split"}, {"pattern", QJsonObject{{"Regex", pattern}}},
            {"behavior", "Isolated"}, {"invert", false}};
        const QJsonObject byteLevel{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
        file["pre_tokenizer"] = QJsonObject{{"type", "Sequence"}, {"pretokenizers", QJsonArray{split, byteLevel}}};
        return *parseObject(file);
    };
    QCOMPARE(complaint(splitBy("(?:a|a)*[^a]{2}")->encode(std::string(60, 'a') + "c"), Errc::Unsupported,
                 {"split the text", "retry-limit"}),
        QString());
    QCOMPARE(complaint(splitBy("\\s*[\\r\\n]+|\\s")->encode(std::string(3'000'000, ' ')), Errc::Unsupported,
                 {"split the text", "stack limit"}),
        QString());
    QCOMPARE(complaint(m_demo->encode(QString(u'a' + QString(5'000, u'\u0301')).toStdString()), Errc::Unsupported,
                 {"5000 combining marks", "4096"}),
        QString());
    QCOMPARE(m_demo->encode(std::string(200'000, ' ') + "x")->empty(), false);
}

void TokenizerTest::threadsShareIt()
{
    const QString text = readJsonFile(demoFolder + "/prompts.json")[0]["greedy_text"].toString().repeated(20)
        + QStringLiteral(" \u00E9e\u0301 \u4E2D\u6587");
    const Ids expected = encoded(*m_demo, text);
    std::atomic<int> same = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            const auto own = Tokenizer::load((demoFolder + "/tokenizer.json").toStdString());
            for (int round = 0; round < 5; ++round)
                same += encoded(*m_demo, text) == expected && own && encoded(**own, text) == expected;
        });
    threads.clear();
    QCOMPARE(same.load(), 20);
}

QTEST_APPLESS_MAIN(TokenizerTest)
#include "tst_tokenizer.moc"
