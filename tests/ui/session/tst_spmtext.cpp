// SPDX-License-Identifier: GPL-3.0-or-later
#include "generatedfolder.h"
#include "session/makefacts.h"
#include "stores/tokentext.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

using namespace colibri;

/// The window's text of SentencePiece vocabularies is that of `colibri run`: a leading space less, and bytes by
/// fallback as a whole or not at all.
class TestSpmText : public QObject {
    Q_OBJECT

private slots:
    void sameText_data();
    void sameText();
    void pieces();
};

namespace {

const QString space = QStringLiteral("\u2581"); // a space in a vocabulary's name

/// <s> as 0, the bytes as 1 to 256, then some words.
QByteArray smallTokenizer(const QJsonObject& decoder)
{
    QJsonObject vocab{{"<s>", 0}};
    for (int byte = 0; byte < 256; ++byte)
        vocab[QString("<0x%1>").arg(byte, 2, 16, QChar('0')).toUpper().replace("0X", "0x")] = 1 + byte;
    int next = 257;
    for (const QString& word : {space, space + "a", space + space + "b", QString("c"), QString("\u00E9"), QString(" ")})
        vocab[word] = next++;
    const QJsonObject model{{"type", "BPE"}, {"unk_token", "<s>"}, {"fuse_unk", true}, {"byte_fallback", true},
        {"vocab", vocab}, {"merges", QJsonArray()}};
    const QJsonObject begin{{"id", 0}, {"content", "<s>"}, {"single_word", false}, {"lstrip", false}, {"rstrip", false},
        {"normalized", false}, {"special", true}};
    return QJsonDocument(
        QJsonObject{{"added_tokens", QJsonArray{begin}}, {"normalizer", QJsonValue()}, {"pre_tokenizer", QJsonValue()},
            {"post_processor", QJsonValue()}, {"decoder", decoder}, {"model", model}})
        .toJson();
}

QJsonObject sequenceDecoder(int strip)
{
    return {{"type", "Sequence"},
        {"decoders",
            QJsonArray{QJsonObject{{"type", "Replace"}, {"pattern", QJsonObject{{"String", space}}}, {"content", " "}},
                QJsonObject{{"type", "ByteFallback"}}, QJsonObject{{"type", "Fuse"}},
                QJsonObject{{"type", "Strip"}, {"content", " "}, {"start", strip}, {"stop", 0}}}}};
}

/// A model of zeros with this tokenizer; null with a warning.
ModelPtr modelWith(const QByteArray& tokenizer, int vocabulary)
{
    QTemporaryDir dir;
    GeneratedModel shape{vocabulary, 16, 1, 2, 1, 8, 2, 1, 16, 64};
    QFile file(dir.filePath("tokenizer.json"));
    if (!writeGeneratedFolder(dir.path(), shape) || !file.open(QIODevice::WriteOnly)
        || file.write(tokenizer) != tokenizer.size())
        return {};
    file.close();
    auto model = openModel(dir.path().toStdString());
    if (!model)
        qWarning("%s", model.error().message().c_str());
    return model ? *model : ModelPtr();
}

QByteArray contents(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

void TestSpmText::sameText_data()
{
    QTest::addColumn<QByteArray>("tokenizer");
    QTest::addColumn<int>("vocabulary");
    QTest::newRow("one space") << smallTokenizer(sequenceDecoder(1)) << 263;
    QTest::newRow("two spaces") << smallTokenizer(sequenceDecoder(2)) << 263;
    QTest::newRow("no space") << smallTokenizer(sequenceDecoder(0)) << 263;
    QTest::newRow("Metaspace") << smallTokenizer({{"type", "Metaspace"}, {"replacement", space},
        {"prepend_scheme", "always"}, {"add_prefix_space", true}, {"split", false}})
                               << 263;
    QTest::newRow("Mixtral") << contents(qEnvironmentVariable("COLIBRI_SHARED") + "/tokenizers/mixtral/tokenizer.json")
                             << 32000;
}

/// At each length of random texts, of which half are bytes, and of parts of them.
void TestSpmText::sameText()
{
    QFETCH(QByteArray, tokenizer);
    QFETCH(int, vocabulary);
    if (tokenizer.isEmpty())
        QSKIP("COLIBRI_SHARED names no folder with tokenizers");
    const ModelPtr model = modelWith(tokenizer, vocabulary);
    QVERIFY(model);
    QVERIFY(model->hasTokenizer());
    const ModelFactsPtr facts = makeFacts(*model);
    QCOMPARE(std::ranges::count(facts->byteToken, true), facts->textRules.byteFallback ? 256 : 0);
    QCOMPARE(facts->textRules.byteFallback, !facts->textRules.firstWithoutSpaces); // of these rows
    QRandomGenerator random(7);
    const QByteArray good = QString("\u00E9\u20AC x\U0001F600").toUtf8();
    const int firstByte =
        vocabulary == 263 ? 1 : int(std::ranges::find(facts->byteToken, true) - facts->byteToken.begin());
    for (int round = 0; round < 300; ++round) {
        std::vector<TokenId> ids;
        TokenText text(facts);
        while (ids.size() < 24) {
            const int kind = random.bounded(4);
            const int at = random.bounded(int(good.size()));
            if (kind == 0) // some bytes in a row, of which most are characters
                for (qsizetype i = at; i < good.size() && i < at + 6; ++i)
                    ids.push_back(TokenId(firstByte + static_cast<unsigned char>(good[i])));
            else
                ids.push_back(TokenId(kind == 1 ? firstByte + random.bounded(256) : random.bounded(vocabulary)));
        }
        for (std::size_t n = 0; n < ids.size(); ++n) {
            text.append(ids[n]);
            const std::span<const TokenId> all(ids);
            QCOMPARE(text.text(), QString::fromStdString(model->detokenize(all.first(n + 1))));
            QCOMPARE(decodeTokens(facts, all.subspan(n)), QString::fromStdString(model->detokenize(all.subspan(n))));
        }
    }
}

/// A run's bytes wait for its end; then every character stands in the token in which it began.
void TestSpmText::pieces()
{
    const ModelPtr model = modelWith(smallTokenizer(sequenceDecoder(1)), 263);
    QVERIFY(model);
    const ModelFactsPtr facts = makeFacts(*model);
    const auto byte = [](int value) { return TokenId(1 + value); };
    TokenText text(facts);
    text.append(258); // a space and an a
    QCOMPARE(text.piece(0).text, QString("a"));
    text.append(byte(0xC3));
    text.append(byte(0xA9));
    QVERIFY(text.piece(1).partial && text.piece(2).partial && !text.piece(0).partial);
    QCOMPARE(text.piece(1).bytes, QByteArray("\xC3"));
    QCOMPARE(text.text(), QString("a\u00E9"));
    QCOMPARE(text.append(260), 1); // a c: the run's pieces change as well
    QVERIFY(!text.piece(1).partial && !text.piece(2).partial);
    QCOMPARE(text.piece(1).text, QString("\u00E9"));
    QCOMPARE(text.piece(2).text, QString());
    QCOMPARE(text.piece(2).group, 1);
    QCOMPARE(text.piece(3).text, QString("c"));
    text.append(byte(0xE2));
    text.append(byte(0x28));
    QCOMPARE(text.append(257), 4);
    QCOMPARE(text.piece(4).text, QString(QChar(0xFFFD)));
    QCOMPARE(text.piece(5).text, QString(QChar(0xFFFD))); // a bracket that stands in a bad run
    QCOMPARE(text.piece(5).group, 5);
    QCOMPARE(text.text(), QString("a\u00E9c\uFFFD\uFFFD "));
}

QTEST_GUILESS_MAIN(TestSpmText)
#include "tst_spmtext.moc"
