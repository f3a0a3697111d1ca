// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/tokentext.h"

#include <QRandomGenerator>
#include <QTest>

using namespace colibri;

namespace {

/// A vocabulary of exactly these byte strings; ids are their places.
ModelFactsPtr vocabulary(std::vector<std::string> tokens, std::vector<TokenId> special = {})
{
    auto facts = std::make_shared<ModelFacts>();
    facts->hasTokenizer = true;
    facts->specialToken.resize(tokens.size());
    for (const TokenId id : special)
        facts->specialToken[id] = true;
    facts->tokenBytes = std::move(tokens);
    return facts;
}

/// All 256 single bytes.
ModelFactsPtr byteVocabulary()
{
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte)
        tokens.emplace_back(1, static_cast<char>(byte));
    return vocabulary(std::move(tokens));
}

std::vector<TokenId> idsOf(const QByteArray& bytes)
{
    std::vector<TokenId> ids;
    for (const char byte : bytes)
        ids.push_back(static_cast<unsigned char>(byte));
    return ids;
}

} // namespace

class TestTokenText : public QObject {
    Q_OBJECT

private slots:
    void characterOverThreeTokens();
    void groupsChainOverTokens();
    void specialTokensAddNothing();
    void unknownIdsAddNothing();
    void maximalSubparts_data();
    void maximalSubparts();
    void everyCharacterSurvives();
    void anySplitGivesTheSameText();
};

void TestTokenText::characterOverThreeTokens()
{
    TokenText text(vocabulary({"a\xE2", "\x82", "\xAC!"}));
    QCOMPARE(text.append(0), 0);
    QCOMPARE(text.piece(0).text, QStringLiteral("a"));
    QVERIFY(text.piece(0).partial);
    QCOMPARE(text.append(1), 1);
    QVERIFY(text.piece(1).partial);
    QCOMPARE(text.piece(1).group, 0);
    QCOMPARE(text.text(), QStringLiteral("a\uFFFD"));
    QCOMPARE(text.append(2), 0); // the first token's piece changes as well
    for (int position = 0; position < 3; ++position) {
        QVERIFY(!text.piece(position).partial);
        QCOMPARE(text.piece(position).group, 0);
    }
    QCOMPARE(text.piece(0).text, QStringLiteral("a\u20AC"));
    QCOMPARE(text.piece(1).text, QString());
    QCOMPARE(text.piece(1).bytes, QByteArray("\x82"));
    QCOMPARE(text.piece(2).text, QStringLiteral("!"));
    QCOMPARE(text.text(), QStringLiteral("a\u20AC!"));
}

void TestTokenText::groupsChainOverTokens()
{
    TokenText text(vocabulary({"\xC3", "\xA9\xC3", "\xA8", "x"}));
    for (const TokenId id : {0u, 1u, 2u, 3u})
        text.append(id);
    QCOMPARE(text.piece(0).group, 0);
    QCOMPARE(text.piece(1).group, 0);
    QCOMPARE(text.piece(2).group, 0);
    QCOMPARE(text.piece(3).group, 3);
    QCOMPARE(text.text(), QStringLiteral("\u00E9\u00E8x"));
}

void TestTokenText::specialTokensAddNothing()
{
    TokenText text(vocabulary({"\xC3", "<|end|>", "\xA9"}, {1}));
    for (const TokenId id : {0u, 1u, 2u})
        text.append(id);
    QVERIFY(text.piece(1).special);
    QVERIFY(!text.piece(1).partial);
    QCOMPARE(text.piece(1).bytes, QByteArray("<|end|>"));
    QCOMPARE(text.piece(1).group, 1);
    QCOMPARE(text.text(), QStringLiteral("\u00E9"));
}

void TestTokenText::unknownIdsAddNothing()
{
    TokenText text(vocabulary({"a"}));
    text.append(0);
    text.append(4000000000u);
    QCOMPARE(text.piece(1).id, 4000000000u);
    QCOMPARE(text.text(), QStringLiteral("a"));
}

void TestTokenText::maximalSubparts_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("expected");
    // The table of Unicode 15, section 3.9, and the ends of every range of table 3-7.
    QTest::newRow("unicode 3-8") << QByteArray::fromHex("C0AFE080BFF08182 41")
                                 << QStringLiteral("\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA");
    QTest::newRow("unicode 3-9") << QByteArray::fromHex("EDA080EDBFBFEDAF41")
                                 << QStringLiteral("\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA");
    QTest::newRow("unicode 3-10") << QByteArray::fromHex("F4919293FF4180BF42")
                                  << QStringLiteral("\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA\uFFFD\uFFFDB");
    QTest::newRow("unicode 3-11") << QByteArray::fromHex("E180E2F09192F1BF41")
                                  << QStringLiteral("\uFFFD\uFFFD\uFFFD\uFFFDA");
    QTest::newRow("cut at the end") << QByteArray::fromHex("41F09F98") << QStringLiteral("A\uFFFD");
    QTest::newRow("restart inside") << QByteArray::fromHex("E2C3A9") << QStringLiteral("\uFFFD\u00E9");
    QTest::newRow("lone continuation") << QByteArray::fromHex("80") << QStringLiteral("\uFFFD");
    QTest::newRow("largest") << QByteArray::fromHex("F48FBFBF") << QString::fromUcs4(U"\U0010FFFF");
    QTest::newRow("zero byte") << QByteArray::fromHex("410042") << QString(QChar(u'A')) + QChar(u'\0') + QChar(u'B');
}

void TestTokenText::maximalSubparts()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, expected);
    QCOMPARE(decodeTokens(byteVocabulary(), idsOf(bytes)), expected);
    QCOMPARE(decodeTokens(vocabulary({bytes.toStdString()}), std::vector<TokenId>{0}), expected);
}

void TestTokenText::everyCharacterSurvives()
{
    const ModelFactsPtr model = byteVocabulary();
    for (char32_t character = 0; character <= 0x10FFFF; ++character) {
        if (character >= 0xD800 && character <= 0xDFFF)
            continue;
        const QString expected = QString::fromUcs4(&character, 1);
        if (decodeTokens(model, idsOf(expected.toUtf8())) != expected)
            QFAIL(qPrintable(QStringLiteral("U+%1").arg(uint(character), 0, 16)));
    }
}

void TestTokenText::anySplitGivesTheSameText()
{
    QRandomGenerator random(7);
    const QByteArray alphabet = QByteArray::fromHex("4180BFC2C3E0A0E29FEDF090F48FF5FF");
    for (int round = 0; round < 2000; ++round) {
        QByteArray bytes;
        for (int i = 0; i < 12; ++i)
            bytes += alphabet[random.bounded(int(alphabet.size()))];
        std::vector<std::string> tokens;
        std::vector<TokenId> ids;
        for (int at = 0; at < bytes.size();) {
            const int length = 1 + random.bounded(4);
            ids.push_back(static_cast<TokenId>(tokens.size()));
            tokens.push_back(bytes.mid(at, length).toStdString());
            at += length;
        }
        const ModelFactsPtr model = vocabulary(tokens);
        const QString whole = decodeTokens(vocabulary({bytes.toStdString()}), std::vector<TokenId>{0});
        TokenText text(model);
        QString joined;
        for (const TokenId id : ids)
            text.append(id);
        for (int position = 0; position < text.size(); ++position) {
            joined += text.piece(position).text;
            QVERIFY(text.piece(position).group <= position);
        }
        QCOMPARE(text.text(), whole);
        QVERIFY(whole.startsWith(joined) && whole.size() - joined.size() <= 1);
    }
}

QTEST_APPLESS_MAIN(TestTokenText)
#include "tst_tokentext.moc"
