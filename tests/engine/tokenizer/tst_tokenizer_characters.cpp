// SPDX-License-Identifier: Apache-2.0
#include "samples.h"
#include "tokenizer/tokenstream.h"
#include "tokenizer/utf8.h"

#include <QtTest>

#include <random>

using namespace colibri;
using namespace colibri::test;

namespace {

using Ids = std::vector<TokenId>;

QJsonObject metaspace(const char* scheme, bool split)
{
    QJsonObject file = characterTokenizer();
    file.remove("normalizer");
    file["pre_tokenizer"] = stage("Metaspace", {{"replacement", mark}, {"prepend_scheme", scheme}, {"split", split}});
    return file;
}

} // namespace

/// BPE over characters: spaces that become characters of their own, bytes of what is in no vocabulary.
class TokenizerCharactersTest : public QObject {
    Q_OBJECT

private slots:
    void characters_data();
    void characters();
    void bytesByFallback_data();
    void bytesByFallback();
    void streamedAsDecoded();
    void unknownTokens();
    void metaspaces_data();
    void metaspaces();
    void metaspaceDecoder();
};

void TokenizerCharactersTest::characters_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<Ids>("expected");
    QTest::newRow("word") << "ab" << Ids{265};
    QTest::newRow("words") << "ab a" << Ids{265, 263};
    QTest::newRow("spaces") << "  b" << Ids{262, 259, 261};
    QTest::newRow("a space in front stays") << " ab" << Ids{262, 264};
    QTest::newRow("each stretch begins with a space") << "a<s>a" << Ids{263, 1, 263};
    QTest::newRow("no text no space") << "<s></s>" << Ids{1, 2};
    QTest::newRow("character") << QStringLiteral("\u00E9") << Ids{259, 266};
    QTest::newRow("bytes") << QStringLiteral("\u4E2D\n") << Ids{259, 3 + 0xE4, 3 + 0xB8, 3 + 0xAD, 3 + 10};
    QTest::newRow("empty") << "" << Ids{};
}

void TokenizerCharactersTest::characters()
{
    QFETCH(QString, text);
    QFETCH(Ids, expected);
    const auto tokenizer = parseObject(characterTokenizer());
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message().c_str());
    const auto ids = (*tokenizer)->encode(text.toStdString());
    QVERIFY(ids);
    QCOMPARE(listed(*ids), listed(expected));
}

void TokenizerCharactersTest::bytesByFallback_data()
{
    QTest::addColumn<Ids>("ids");
    QTest::addColumn<QStringList>("texts"); // of each push, then of finish
    const auto row = [](const char* name, const Ids& ids, const QStringList& texts) {
        QTest::newRow(name) << ids << texts;
    };
    const QString bad = QStringLiteral("\uFFFD");
    row("one space goes", {265, 263}, {"ab", " a", ""});
    row("of two one goes", {262, 265}, {" ", " ab", ""});
    row("no space", {260, 263}, {"a", " a", ""});
    row("space behind a space alone", {259, 259, 260}, {"", " ", "a", ""});
    row("a run appears with the next token", {3 + 0xC3, 3 + 0xA9, 260}, {"", "", QStringLiteral("\u00E9a"), ""});
    row("a run at the end", {260, 3 + 0xC3, 3 + 0xA9}, {"a", "", "", QStringLiteral("\u00E9")});
    row("broken from the start", {3 + 0xA9, 3 + 'x'}, {bad, bad, ""});
    row("broken later takes all of the run", {3 + 'x', 3 + 0xC3, 3 + 'y', 3 + 'z', 260},
        {"", "", bad + bad + bad, bad, "a", ""});
    row("unfinished", {3 + 0xE4, 3 + 0xB8, 260}, {"", "", bad + bad + "a", ""});
    row("unfinished at the end", {3 + 0xE4, 3 + 0xB8}, {"", "", bad + bad});
    row("special between", {265, 1, 263}, {"ab", "", " a", ""});
    row("unknown id", {9999, 260}, {"", "a", ""});
}

void TokenizerCharactersTest::bytesByFallback()
{
    QFETCH(Ids, ids);
    QFETCH(QStringList, texts);
    const auto tokenizer = parseObject(characterTokenizer());
    QVERIFY(tokenizer);
    TokenStream stream((*tokenizer)->texts());
    for (int round = 0; round < 2; ++round) { // a finished stream is as new
        for (std::size_t i = 0; i < ids.size(); ++i)
            QCOMPARE(QString::fromStdString(std::string(stream.push(ids[i]))), texts[qsizetype(i)]);
        QCOMPARE(QString::fromStdString(std::string(stream.finish())), texts.back());
    }
    QCOMPARE(QString::fromStdString((*tokenizer)->decode(ids)), texts.join(""));
}

void TokenizerCharactersTest::streamedAsDecoded()
{
    const auto tokenizer = parseObject(characterTokenizer());
    std::mt19937 random(3);
    for (int i = 0; i < 2'000; ++i) {
        Ids ids;
        for (unsigned n = random() % 12; n > 0; --n)
            ids.push_back(random() % 3 ? 3 + (0x80 | random() % 128) : random() % 270);
        // The definition: runs of bytes are UTF-8 as a whole, or each byte is replaced.
        QString expected;
        QByteArray run;
        const auto endRun = [&] {
            const bool good = findIllFormedUtf8({run.constData(), std::size_t(run.size())}) == std::string_view::npos;
            expected += good ? QString::fromUtf8(run) : QString(run.size(), QChar(0xFFFD));
            run.clear();
        };
        for (const TokenId id : ids) {
            if (id < 3 || (*tokenizer)->bytes(id).empty())
                continue;
            const std::string_view bytes = (*tokenizer)->bytes(id);
            if (id < 259)
                run += bytes.front();
            else {
                endRun();
                expected += QString::fromUtf8(bytes.data(), qsizetype(bytes.size()));
            }
        }
        endRun();
        if (expected.startsWith(' '))
            expected.remove(0, 1);
        QCOMPARE(QString::fromStdString((*tokenizer)->decode(ids)), expected);
    }
}

void TokenizerCharactersTest::unknownTokens()
{
    QJsonObject file = characterTokenizer();
    QJsonObject model = file["model"].toObject();
    model["byte_fallback"] = false;
    file["model"] = model;
    QCOMPARE(listed(*(*parseObject(file))->encode("axy\xC3\xA9z")), listed({263, 0, 266, 0}));
    model["fuse_unk"] = false;
    file["model"] = model;
    QCOMPARE(listed(*(*parseObject(file))->encode("axy\xC3\xA9z")), listed({263, 0, 0, 266, 0}));
}

void TokenizerCharactersTest::metaspaces_data()
{
    QTest::addColumn<QByteArray>("scheme");
    QTest::addColumn<bool>("split");
    QTest::addColumn<Ids>("expected"); // of "a<s>a a"
    QTest::newRow("always") << QByteArray("always") << false << Ids{263, 1, 263, 263};
    QTest::newRow("first") << QByteArray("first") << false << Ids{263, 1, 260, 263};
    QTest::newRow("never") << QByteArray("never") << false << Ids{260, 1, 260, 263};
    QTest::newRow("split") << QByteArray("first") << true << Ids{263, 1, 260, 263};
}

void TokenizerCharactersTest::metaspaces()
{
    QFETCH(QByteArray, scheme);
    QFETCH(bool, split);
    QFETCH(Ids, expected);
    const auto tokenizer = parseObject(metaspace(scheme.constData(), split));
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message().c_str());
    QCOMPARE(listed(*(*tokenizer)->encode("a<s>a a")), listed(expected));
    // A space that is there is not doubled, and only a split keeps spaces apart.
    const bool prepends = scheme != "never";
    QCOMPARE(listed(*(*tokenizer)->encode(" a")), listed({263}));
    QCOMPARE(listed(*(*tokenizer)->encode("  b")), split ? listed({259, 259, 261}) : listed({262, 261}));
    QCOMPARE(listed(*(*tokenizer)->encode("b")), prepends ? listed({259, 261}) : listed({261}));
}

void TokenizerCharactersTest::metaspaceDecoder()
{
    QJsonObject file = characterTokenizer();
    file["decoder"] = stage("Metaspace", {{"replacement", mark}, {"prepend_scheme", "always"}});
    QCOMPARE((*parseObject(file))->decode(Ids{262, 263, 259, 265}), std::string(" a  ab"));
    file["decoder"] = stage("Metaspace", {{"replacement", mark}, {"prepend_scheme", "never"}});
    QCOMPARE((*parseObject(file))->decode(Ids{262, 263}), std::string("   a"));
}

QTEST_APPLESS_MAIN(TokenizerCharactersTest)
#include "tst_tokenizer_characters.moc"
