// SPDX-License-Identifier: Apache-2.0
#include "samples.h"
#include "support/errorcheck.h"

#include <QTemporaryDir>
#include <QtTest>

#include <random>

using namespace colibri;
using colibri::test::addedToken;
using colibri::test::complaint;
using colibri::test::parseObject;
using colibri::test::smallTokenizer;

Q_DECLARE_METATYPE(Errc)

namespace {

/// The small tokenizer with one member replaced; a path like "model.vocab" leads into objects.
QJsonObject with(const QString& path, const QJsonValue& value, const QJsonObject& file = smallTokenizer())
{
    QJsonObject result = file;
    const QString key = path.section('.', 0, 0);
    const QString rest = path.section('.', 1);
    result[key] = rest.isEmpty() ? value : QJsonValue(with(rest, value, file[key].toObject()));
    return result;
}

QJsonObject ofType(const char* type)
{
    return {{"type", type}};
}

QJsonObject sequence(const char* list, const QJsonArray& stages)
{
    return {{"type", "Sequence"}, {list, stages}};
}

QJsonObject split(const QJsonObject& pattern, const char* behavior = "Isolated", bool invert = false)
{
    return {{"type", "Split"}, {"pattern", pattern}, {"behavior", behavior}, {"invert", invert}};
}

const QJsonObject byteLevel{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};

QJsonObject splitThenBytes(const QJsonObject& stage)
{
    return sequence("pretokenizers", {stage, byteLevel});
}

} // namespace

class TokenizerFileTest : public QObject {
    Q_OBJECT

private slots:
    void accepted_data();
    void accepted();
    void refused_data();
    void refused();
    void files();
    void damagedFilesEndInTokenizerOrError();
};

void TokenizerFileTest::accepted_data()
{
    QTest::addColumn<QJsonObject>("file");
    QTest::newRow("as it is") << smallTokenizer();
    QTest::newRow("type left out") << with("model.type", QJsonValue::Undefined);
    QTest::newRow("empty prefix") << with("model.continuing_subword_prefix", "");
    QTest::newRow("no dropout") << with("model.dropout", 0.0);
    QTest::newRow("empty normalizer") << with("normalizer", sequence("normalizers", {}));
    QTest::newRow("nested sequences") << with("pre_tokenizer",
        sequence("pretokenizers", {sequence("pretokenizers", QJsonArray{smallTokenizer()["pre_tokenizer"]})}));
    QTest::newRow("post-processor") << with("post_processor", sequence("processors", {byteLevel}));
    QTest::newRow("decoder in a sequence") << with("decoder", sequence("decoders", {byteLevel}));
    QJsonArray pairs;
    for (const QJsonValue& merge : smallTokenizer()["model"].toObject()["merges"].toArray())
        pairs.append(QJsonArray::fromStringList(merge.toString().split(' ')));
    QTest::newRow("merges as pairs") << with("model.merges", pairs);
    QTest::newRow("GPT-2's splitting as a pattern") << with("pre_tokenizer",
        splitThenBytes(split(
            QJsonObject{{"Regex", R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"}})));
}

void TokenizerFileTest::accepted()
{
    QFETCH(QJsonObject, file);
    const auto tokenizer = parseObject(file);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message().c_str());
    const auto ids = (*tokenizer)->encode("hello hello hell<|end|>1'll");
    QVERIFY(ids);
    QCOMPARE(*ids, (std::vector<TokenId>{259, 260, ' ', 258, 261, '1', '\'', 257}));
    QCOMPARE((*tokenizer)->decode(*ids), std::string("hello hello hell1'll"));
}

void TokenizerFileTest::refused_data()
{
    QTest::addColumn<QJsonObject>("file");
    QTest::addColumn<Errc>("code");
    QTest::addColumn<QList<QByteArray>>("parts");
    const auto row = [](const char* name, const QJsonObject& file, Errc code, const QList<QByteArray>& parts) {
        QTest::newRow(name) << file << code << parts;
    };
    const auto unsupported = [&](const char* part, const char* type, const QJsonObject& file) {
        row(qPrintable(QString("%1 %2").arg(part, type)), file, Errc::Unsupported,
            {part, "is of type \"" + QByteArray(type) + "\"", "supported is"});
    };
    for (const char* const type : {"WordPiece", "Unigram", "WordLevel"})
        unsupported("model", type, with("model.type", type));
    for (const char* const type : {"Lowercase", "Strip", "StripAccents", "BertNormalizer", "Precompiled", "Nmt"}) {
        unsupported("normalizer", type, with("normalizer", ofType(type)));
        unsupported("normalizer", type, with("normalizer", sequence("normalizers", {ofType("NFC"), ofType(type)})));
    }
    for (const char* const type :
        {"Whitespace", "WhitespaceSplit", "BertPreTokenizer", "Punctuation", "UnicodeScripts"})
        unsupported("pre_tokenizer", type, with("pre_tokenizer", splitThenBytes(ofType(type))));
    for (const char* const type : {"BertProcessing", "RobertaProcessing"})
        unsupported("post_processor", type, with("post_processor", sequence("processors", {byteLevel, ofType(type)})));
    for (const char* const type : {"WordPiece", "BPEDecoder", "CTC"})
        unsupported("decoder", type, with("decoder", ofType(type)));
    row("decoder of several stages", with("decoder", sequence("decoders", {ofType("Fuse"), byteLevel})),
        Errc::Unsupported, {"decoder has 2 stages"});
    const auto strip = [](const QJsonObject& members) {
        QJsonObject one{{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}};
        for (auto at = members.begin(); at != members.end(); ++at)
            one[at.key()] = at.value();
        return one;
    };
    const auto stripping = [&](const QJsonArray& more) {
        QJsonArray all{ofType("Fuse")};
        for (const QJsonValue stage : more)
            all.append(stage);
        return with("decoder", sequence("decoders", all));
    };
    row("strip from nowhere", stripping({strip({{"start", "one"}})}), Errc::Unsupported,
        {"decoder Strip.start is \"one\"", "integer up to"});
    row("strip at the end", stripping({strip({{"stop", 2}})}), Errc::Unsupported,
        {"decoder Strip.stop is 2", "supported is 0"});
    row("strip twice", stripping({strip({}), strip({})}), Errc::Unsupported, {"decoder has a second stage", "Strip"});
    row("replace a text", with("decoder", QJsonObject{{"type", "Replace"}, {"pattern", "a"}, {"content", "b"}}),
        Errc::Malformed, {"decoder Replace.pattern is \"a\"", "object"});
    row("no decoder", with("decoder", {}), Errc::Unsupported, {"pre_tokenizer is ByteLevel but decoder is not"});
    row("no pre-tokenizer", with("pre_tokenizer", {}), Errc::Unsupported, {"pre_tokenizer has no stage ByteLevel"});
    row("split alone", with("pre_tokenizer", split({{"Regex", "a"}})), Errc::Unsupported,
        {"pre_tokenizer has no stage ByteLevel"});
    row("stage behind ByteLevel", with("pre_tokenizer", sequence("pretokenizers", {byteLevel, byteLevel})),
        Errc::Unsupported, {"stage behind ByteLevel"});
    row("flag is a number", with("pre_tokenizer.use_regex", 1), Errc::Malformed,
        {"pre_tokenizer ByteLevel.use_regex is 1"});
    row("no pattern", with("pre_tokenizer", splitThenBytes(split({{"Glob", " "}}))), Errc::Malformed,
        {"Split.pattern", "Regex"});
    row("empty pattern", with("pre_tokenizer", splitThenBytes(split({{"String", ""}}))), Errc::Malformed,
        {"Split.pattern", "0 bytes"});
    row("behavior", with("pre_tokenizer", splitThenBytes(split({{"Regex", " "}}, "Dropped"))), Errc::Malformed,
        {"Split.behavior is \"Dropped\""});
    row("broken pattern", with("pre_tokenizer", splitThenBytes(split({{"Regex", "(a"}}))), Errc::Malformed,
        {"pre_tokenizer Split.pattern", "parenthes"});
    row("unknown property", with("pre_tokenizer", splitThenBytes(split({{"Regex", "\\p{Nonsense}"}}))), Errc::Malformed,
        {"pre_tokenizer Split.pattern", "Nonsense"});
    row("endless pattern", with("pre_tokenizer", splitThenBytes(split({{"Regex", QString(70'000, 'a')}}))),
        Errc::Malformed, {"70000 bytes"});
    QJsonArray many;
    for (int i = 0; i < 33; ++i)
        many.append(ofType("NFC"));
    row("many stages", with("normalizer", sequence("normalizers", many)), Errc::Unsupported, {"more than 32 stages"});
    row("bomb",
        with("normalizer",
            QJsonObject{{"type", "Replace"}, {"pattern", QJsonObject{{"String", "a"}}}, {"content", QString(17, 'a')}}),
        Errc::Unsupported, {"normalizer Replace.content", "16 bytes"});
    row("sequence without list", with("normalizer", ofType("Sequence")), Errc::Malformed,
        {"normalizer.normalizers is missing"});

    row("no model", with("model", QJsonValue::Undefined), Errc::Malformed, {"no \"model\""});
    row("model is a text", with("model", "BPE"), Errc::Unsupported, {"model is \"BPE\""});
    row("byte fallback", with("model.byte_fallback", true), Errc::Unsupported,
        {"model of byte-level BPE.byte_fallback is true"});
    row("dropout", with("model.dropout", 0.1), Errc::Unsupported, {"model.dropout is 0.1"});
    row("suffix", with("model.end_of_word_suffix", "</w>"), Errc::Unsupported,
        {"model.end_of_word_suffix is \"</w>\""});
    row("no vocabulary", with("model.vocab", QJsonArray{"a"}), Errc::Malformed, {"model.vocab is an array of 1"});
    row("empty vocabulary", with("model.vocab", QJsonObject{}), Errc::Malformed, {"model.vocab is an object"});
    row("negative id", with("model.vocab.he", -1), Errc::Malformed, {"model.vocab[\"he\"] is -1"});
    row("huge id", with("model.vocab.he", 4294967295.0), Errc::Malformed,
        {"model.vocab[\"he\"] is 4294967295", "65536"});
    row("id is a text", with("model.vocab.he", "256"), Errc::Malformed, {"model.vocab[\"he\"] is \"256\""});
    row("id twice", with("model.vocab.he", 257), Errc::Malformed, {"model.vocab gives the id 257 to two tokens"});
    row("a byte is missing", with("model.vocab.A", QJsonValue::Undefined), Errc::Unsupported,
        {"no token for the byte 65"});
    row("no merges", with("model.merges", QJsonValue::Undefined), Errc::Malformed, {"model.merges is missing"});
    row("merge of one part", with("model.merges", QJsonArray{"h e", "he"}), Errc::Malformed,
        {"model.merges[1] is \"he\""});
    row("merge of three parts", with("model.merges", QJsonArray{"h e l"}), Errc::Malformed,
        {"model.merges[0] is \"h e l\""});
    row("merge of a triple", with("model.merges", QJsonArray{QJsonArray{"h", "e", "l"}}), Errc::Malformed,
        {"model.merges[0] is an array of 3"});
    row("merge without left token", with("model.merges", QJsonArray{"xy z"}), Errc::Mismatch,
        {"model.merges[0] needs the token \"xy\""});
    row("merge without result", with("model.merges", QJsonArray{"x y"}), Errc::Mismatch,
        {"model.merges[0] needs the token \"xy\""});
    row("merge outside of the spelling", with("model.merges", QJsonArray{QString(QChar(0x4E2D)) + " e"}),
        Errc::Mismatch, {"model.merges[0] needs the token"});

    row("added tokens are an object", with("added_tokens", QJsonObject{}), Errc::Malformed,
        {"added_tokens is an object"});
    row("added token without text", with("added_tokens", QJsonArray{addedToken(300, "")}), Errc::Malformed,
        {"added_tokens[].content is \"\""});
    row("added token without id", with("added_tokens", QJsonArray{QJsonObject{{"content", "<x>"}}}), Errc::Malformed,
        {"added_tokens[].id is missing"});
    row("added token with a used id", with("added_tokens", QJsonArray{addedToken(256, "<x>")}), Errc::Mismatch,
        {"added token \"<x>\" has the id 256"});
    row("added token with another id", with("added_tokens", QJsonArray{addedToken(300, "he")}), Errc::Mismatch,
        {"added token \"he\" has the id 300"});
    row("added token twice", with("added_tokens", QJsonArray{addedToken(300, "<x>"), addedToken(301, "<x>")}),
        Errc::Mismatch, {"added token \"<x>\" has the id 301"});
    row("added token's flag",
        with("added_tokens", QJsonArray{QJsonObject{{"id", 300}, {"content", "<x>"}, {"lstrip", "yes"}}}),
        Errc::Malformed, {"added token \"<x>\".lstrip is \"yes\""});
}

void TokenizerFileTest::refused()
{
    QFETCH(QJsonObject, file);
    QFETCH(Errc, code);
    QFETCH(QList<QByteArray>, parts);
    parts.append({"dir/tokenizer.json", "offset"});
    QCOMPARE(complaint(parseObject(file), code, parts), QString());
}

void TokenizerFileTest::files()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("tokenizer.json").toStdString();
    QCOMPARE(complaint(Tokenizer::load(path), Errc::NotFound, {path.c_str()}), QString());
    QFile file(folder.filePath("tokenizer.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(complaint(Tokenizer::load(path), Errc::Truncated, {path.c_str(), "offset 0"}), QString());
    file.write("[1]");
    file.flush();
    QCOMPARE(complaint(Tokenizer::load(path), Errc::Malformed, {path.c_str(), "no \"model\""}), QString());
    file.seek(0);
    file.write(QJsonDocument(smallTokenizer()).toJson());
    file.close();
    QVERIFY(Tokenizer::load(path));
}

void TokenizerFileTest::damagedFilesEndInTokenizerOrError()
{
    const QByteArray good = QJsonDocument(smallTokenizer()).toJson(QJsonDocument::Compact);
    std::mt19937 random(5);
    int accepted = 0;
    for (int i = 0; i < 1'500; ++i) {
        QByteArray text = good;
        text[qsizetype(random() % unsigned(text.size()))] = "0123456789[]{},\"aeh"[random() % 19];
        const auto tokenizer = Tokenizer::parse({text.constData(), std::size_t(text.size())}, "f");
        if (!tokenizer)
            continue;
        ++accepted;
        const auto ids = (*tokenizer)->encode("hello hello <|end|>");
        QVERIFY(ids && !ids->empty());
        (void)(*tokenizer)->decode(*ids);
    }
    QVERIFY(accepted > 20 && accepted < 1'480);
}

QTEST_APPLESS_MAIN(TokenizerFileTest)
#include "tst_tokenizer_file.moc"
