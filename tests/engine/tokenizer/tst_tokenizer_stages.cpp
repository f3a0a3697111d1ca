// SPDX-License-Identifier: Apache-2.0
#include "samples.h"
#include "tokenizer/pretokenizer.h"
#include "tokenizer/tokenstream.h"
#include "tokenizer/unicode.h"
#include "tokenizer/unicode_standins.h"
#include "tokenizer/utf8.h"

#include <QtTest>

#include <random>

using namespace colibri;
using colibri::test::addedToken;
using colibri::test::parseObject;
using colibri::test::smallTokenizer;

namespace {

using Ids = std::vector<TokenId>;
using Look = AddedTokens::Look;

const QString mark = QStringLiteral("\u2581");

QJsonObject stage(const char* type, QJsonObject members = {})
{
    members["type"] = type;
    return members;
}

QJsonObject replaced(const QString& from, const QString& to)
{
    return stage("Replace", {{"pattern", QJsonObject{{"String", from}}}, {"content", to}});
}

/// BPE over characters as Mixtral has it: <unk> <s> </s>, 256 bytes from id 3 on, then characters and merges from 259
/// on.
QJsonObject characterTokenizer()
{
    QJsonObject vocab{{"<unk>", 0}, {"<s>", 1}, {"</s>", 2}};
    for (int byte = 0; byte < 256; ++byte)
        vocab["<0x" + QString("%1").arg(byte, 2, 16, QChar('0')).toUpper() + ">"] = 3 + byte;
    int next = 259;
    for (const QString& token : {mark, QStringLiteral("a"), QStringLiteral("b"), mark + mark, mark + "a",
             QStringLiteral("ab"), mark + "ab", QStringLiteral("\u00E9")})
        vocab[token] = next++;
    const QJsonArray merges{mark + " " + mark, mark + " a", "a b", mark + "a b", mark + " ab"};
    return {{"added_tokens",
                QJsonArray{addedToken(0, "<unk>", {"special"}), addedToken(1, "<s>", {"special"}),
                    addedToken(2, "</s>", {"special"})}},
        {"normalizer",
            stage(
                "Sequence", {{"normalizers", QJsonArray{stage("Prepend", {{"prepend", mark}}), replaced(" ", mark)}}})},
        {"decoder",
            stage("Sequence",
                {{"decoders",
                    QJsonArray{replaced(mark, " "), stage("ByteFallback"), stage("Fuse"),
                        stage("Strip", {{"content", " "}, {"start", 1}, {"stop", 0}})}}})},
        {"model",
            QJsonObject{{"type", "BPE"}, {"vocab", vocab}, {"merges", merges}, {"byte_fallback", true},
                {"fuse_unk", true}, {"unk_token", "<unk>"}}}};
}

QByteArray listed(const Ids& ids)
{
    QByteArray text;
    for (const TokenId id : ids)
        text += QByteArray::number(id) + " ";
    return text;
}

QJsonObject metaspace(const char* scheme, bool split)
{
    QJsonObject file = characterTokenizer();
    file.remove("normalizer");
    file["pre_tokenizer"] = stage("Metaspace", {{"replacement", mark}, {"prepend_scheme", scheme}, {"split", split}});
    return file;
}

} // namespace

/// The stages of a tokenizer one by one, with small vocabularies.
class TokenizerStagesTest : public QObject {
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

void TokenizerStagesTest::characters_data()
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

void TokenizerStagesTest::characters()
{
    QFETCH(QString, text);
    QFETCH(Ids, expected);
    const auto tokenizer = parseObject(characterTokenizer());
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message().c_str());
    const auto ids = (*tokenizer)->encode(text.toStdString());
    QVERIFY(ids);
    QCOMPARE(listed(*ids), listed(expected));
}

void TokenizerStagesTest::bytesByFallback_data()
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

void TokenizerStagesTest::bytesByFallback()
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

void TokenizerStagesTest::streamedAsDecoded()
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

void TokenizerStagesTest::unknownTokens()
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

void TokenizerStagesTest::metaspaces_data()
{
    QTest::addColumn<QByteArray>("scheme");
    QTest::addColumn<bool>("split");
    QTest::addColumn<Ids>("expected"); // of "a<s>a a"
    QTest::newRow("always") << QByteArray("always") << false << Ids{263, 1, 263, 263};
    QTest::newRow("first") << QByteArray("first") << false << Ids{263, 1, 260, 263};
    QTest::newRow("never") << QByteArray("never") << false << Ids{260, 1, 260, 263};
    QTest::newRow("split") << QByteArray("first") << true << Ids{263, 1, 260, 263};
}

void TokenizerStagesTest::metaspaces()
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

void TokenizerStagesTest::metaspaceDecoder()
{
    QJsonObject file = characterTokenizer();
    file["decoder"] = stage("Metaspace", {{"replacement", mark}, {"prepend_scheme", "always"}});
    QCOMPARE((*parseObject(file))->decode(Ids{262, 263, 259, 265}), std::string(" a  ab"));
    file["decoder"] = stage("Metaspace", {{"replacement", mark}, {"prepend_scheme", "never"}});
    QCOMPARE((*parseObject(file))->decode(Ids{262, 263}), std::string("   a"));
}

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
