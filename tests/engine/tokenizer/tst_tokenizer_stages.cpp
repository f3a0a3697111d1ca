// SPDX-License-Identifier: Apache-2.0
#include "samples.h"
#include "tokenizer/pretokenizer.h"
#include "tokenizer/unicode.h"
#include "tokenizer/unicode_standins.h"

#include <QtTest>

using namespace colibri;
using namespace colibri::test;

namespace {

using Ids = std::vector<TokenId>;
using Look = AddedTokens::Look;

} // namespace

/// The stages of a tokenizer one by one, with small vocabularies.
class TokenizerStagesTest : public QObject {
    Q_OBJECT

private slots:
    void behaviors_data();
    void behaviors();
    void normalizers_data();
    void normalizers();
    void prefixSpace();
    void looks();
    void frames_data();
    void frames();
    void newCharacters();
};

void TokenizerStagesTest::behaviors_data()
{
    QTest::addColumn<SplitBehavior>("behavior");
    QTest::addColumn<QString>("expected");
    QTest::newRow("isolated") << SplitBehavior::Isolated << "the|-|final|-|-|countdown";
    QTest::newRow("removed") << SplitBehavior::Removed << "the|final|countdown";
    QTest::newRow("previous") << SplitBehavior::MergedWithPrevious << "the-|final-|-|countdown";
    QTest::newRow("next") << SplitBehavior::MergedWithNext << "the|-final|-|-countdown";
    QTest::newRow("contiguous") << SplitBehavior::Contiguous << "the|-|final|--|countdown";
}

void TokenizerStagesTest::behaviors()
{
    QFETCH(SplitBehavior, behavior);
    QFETCH(QString, expected);
    for (const bool invert : {false, true}) {
        PreTokenizer splitter;
        auto pattern = invert ? SplitPattern::compile("[^-]+|(?<=-)(?=-)")
                              : SplitPattern::compile("-", SplitPattern::Kind::Literal);
        QVERIFY(pattern);
        splitter.add(PreTokenizer::Split{std::move(*pattern), behavior, invert});
        PreTokenizer::Pieces pieces;
        pieces.list.push_back({"the-final--countdown", true});
        QVERIFY(splitter.apply(pieces));
        QStringList found;
        for (const auto& piece : pieces.list) {
            QCOMPARE(piece.first, found.isEmpty());
            found += QString::fromUtf8(piece.text.data(), qsizetype(piece.text.size()));
        }
        QCOMPARE(found.join('|'), expected);
    }
}

void TokenizerStagesTest::normalizers_data()
{
    QTest::addColumn<QJsonObject>("normalizer");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const QString text = QStringLiteral("e\u0301 \u00E9 \uFB01");
    QTest::newRow("NFC") << stage("NFC") << text << QStringLiteral("\u00E9 \u00E9 \uFB01");
    QTest::newRow("NFD") << stage("NFD") << text << QStringLiteral("e\u0301 e\u0301 \uFB01");
    QTest::newRow("NFKC") << stage("NFKC") << text << QStringLiteral("\u00E9 \u00E9 fi");
    QTest::newRow("NFKD") << stage("NFKD") << text << QStringLiteral("e\u0301 e\u0301 fi");
    QTest::newRow("Prepend") << stage("Prepend", {{"prepend", ">"}}) << "ab"
                             << ">ab";
    QTest::newRow("Replace") << replaced("aa", "c") << "aaaba"
                             << "caba";
    QTest::newRow("Replace by nothing") << replaced("a", "") << "aaba"
                                        << "b";
    QTest::newRow("Replace a pattern") << stage(
        "Replace", {{"pattern", QJsonObject{{"Regex", "\\s+"}}}, {"content", "_"}})
                                       << "a  b\tc"
                                       << "a_b_c";
}

void TokenizerStagesTest::normalizers()
{
    QFETCH(QJsonObject, normalizer);
    QFETCH(QString, text);
    QFETCH(QString, expected);
    QJsonObject file = smallTokenizer();
    file["normalizer"] = normalizer;
    const auto tokenizer = parseObject(file);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message().c_str());
    QCOMPARE(QString::fromStdString((*tokenizer)->decode(*(*tokenizer)->encode(text.toStdString()))), expected);
}

void TokenizerStagesTest::prefixSpace()
{
    QJsonObject file = smallTokenizer();
    QJsonObject byteLevel = file["pre_tokenizer"].toObject();
    byteLevel["add_prefix_space"] = true;
    file["pre_tokenizer"] = byteLevel;
    const auto tokenizer = parseObject(file);
    QVERIFY(tokenizer);
    QCOMPARE(listed(*(*tokenizer)->encode("hello<|end|>hello")), listed({260, 261, 260}));
    QCOMPARE(listed(*(*tokenizer)->encode(" hello")), listed({260}));
}

/// What is not looked for is text, also where another token begins inside of it.
void TokenizerStagesTest::looks()
{
    QJsonObject file = smallTokenizer();
    QJsonObject model = file["model"].toObject();
    model["merges"] = QJsonArray();
    file["model"] = model;
    file["added_tokens"] =
        QJsonArray{addedToken(300, "<S>", {"special"}), addedToken(301, "<A>"), addedToken(302, "S>")};
    const auto tokenizer = parseObject(file);
    QVERIFY(tokenizer);
    const auto ids = [&](Look look) { return listed(*(*tokenizer)->encode("<S><A>S>", look)); };
    QCOMPARE(ids(Look::All), listed({300, 301, 302}));
    QCOMPARE(ids(Look::NotSpecial), listed({'<', 'S', '>', 301, 302}));
    QCOMPARE(ids(Look::None), listed({'<', 'S', '>', '<', 'A', '>', 'S', '>'}));
}

void TokenizerStagesTest::frames_data()
{
    QTest::addColumn<QJsonArray>("single"); // empty: no template
    QTest::addColumn<QByteArray>("config"); // empty: no tokenizer_config.json
    QTest::addColumn<Ids>("begin");
    QTest::addColumn<Ids>("end");
    QTest::addColumn<bool>("stated");
    const QJsonObject s{{"SpecialToken", QJsonObject{{"id", "<s>"}, {"type_id", 0}}}};
    const QJsonObject e{{"SpecialToken", QJsonObject{{"id", "</s>"}, {"type_id", 0}}}};
    const QJsonObject text{{"Sequence", QJsonObject{{"id", "A"}, {"type_id", 0}}}};
    const QByteArray names = R"("bos_token": "<s>", "eos_token": {"content": "</s>"}})";
    QTest::newRow("nothing") << QJsonArray() << QByteArray() << Ids{} << Ids{} << false;
    QTest::newRow("template") << QJsonArray{s, text} << QByteArray() << Ids{1} << Ids{} << true;
    QTest::newRow("both ends") << QJsonArray{s, text, e} << QByteArray() << Ids{1} << Ids{2} << true;
    QTest::newRow("config alone") << QJsonArray() << R"({"add_bos_token": true, )" + names << Ids{1} << Ids{} << true;
    QTest::newRow("config's end") << QJsonArray() << R"({"add_eos_token": true, )" + names << Ids{} << Ids{2} << true;
    QTest::newRow("not twice") << QJsonArray{s, text} << R"({"add_bos_token": true, )" + names << Ids{1} << Ids{}
                               << true;
    QTest::newRow("off, but the class does not say so")
        << QJsonArray{s, text} << R"({"add_bos_token": false, "tokenizer_class": "Qwen2Tokenizer", )" + names << Ids{1}
        << Ids{} << true;
    QTest::newRow("off") << QJsonArray{s, text}
                         << R"({"add_bos_token": false, "tokenizer_class": "LlamaTokenizerFast", )" + names << Ids{}
                         << Ids{} << true;
    QTest::newRow("which token is not said")
        << QJsonArray() << QByteArray(R"({"add_bos_token": true})") << Ids{} << Ids{} << false;
}

void TokenizerStagesTest::frames()
{
    QFETCH(QJsonArray, single);
    QFETCH(QByteArray, config);
    QFETCH(Ids, begin);
    QFETCH(Ids, end);
    QFETCH(bool, stated);
    QJsonObject file = characterTokenizer();
    if (!single.isEmpty())
        file["post_processor"] = stage("TemplateProcessing",
            {{"single", single},
                {"special_tokens",
                    QJsonObject{
                        {"<s>", QJsonObject{{"ids", QJsonArray{1}}}}, {"</s>", QJsonObject{{"ids", QJsonArray{2}}}}}}});
    const auto parsedConfig = parseJson(config.isEmpty() ? "{}" : config.toStdString(), "tokenizer_config.json");
    QVERIFY(parsedConfig);
    const std::string json = QJsonDocument(file).toJson().toStdString();
    const auto tokenizer = Tokenizer::parse(json, "tokenizer.json", &*parsedConfig);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message().c_str());
    QCOMPARE((*tokenizer)->frame().begin, begin);
    QCOMPARE((*tokenizer)->frame().end, end);
    QCOMPARE((*tokenizer)->frame().stated, stated);
}

/// Characters that Unicode 15 and 16 added belong to words, numbers and Han like older ones.
void TokenizerStagesTest::newCharacters()
{
    QCOMPARE(standIn(U'a'), U'a');
    QCOMPARE(standIn(0x4E2D), char32_t(0x4E2D));
    QVERIFY(!withStandIns("abc \xE4\xB8\xAD \xF0\x9F\x98\x80"));
    for (const auto& [character, property] :
        QList<std::pair<char32_t, const char*>>{{0x1C89, "Lu"}, {0xA7CD, "Ll"}, {0x10D4E, "Lm"}, {0x16D43, "Lo"},
            {0x10D40, "Nd"}, {0x0897, "Mn"}, {0x113B8, "Mc"}, {0x1D2C0, "No"}, {0x1FADF, "So"}, {0x11BE1, "Po"},
            {0x10D6E, "Pd"}, {0x10D8E, "Sm"}, {0x13439, "Cf"}, {0x31350, "Han"}, {0x2EBF0, "Han"}, {0x1171E, "Mc"}}) {
        const std::string text = QString(u'.' + QString::fromUcs4(&character, 1) + u'.').toStdString();
        QCOMPARE(withStandIns(text)->size(), text.size());
        const auto pattern = SplitPattern::compile("\\p{" + std::string(property) + "}");
        std::vector<SplitPart> parts;
        QVERIFY(pattern && pattern->find(text, parts));
        QVERIFY2(parts.size() == 3 || QByteArray(property) == "Po", qPrintable(QString::number(character, 16)));
        QCOMPARE(std::string(parts[1].text), text.substr(1, text.size() - 2)); // itself, not its stand-in
        QVERIFY(parts[1].match);
    }
    QVERIFY(isWordCharacter(0x16D43) && isWordCharacter(0x10D40) && !isWordCharacter(0x1FADF));
}

QTEST_APPLESS_MAIN(TokenizerStagesTest)
#include "tst_tokenizer_stages.moc"
