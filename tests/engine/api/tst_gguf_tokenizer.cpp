// SPDX-License-Identifier: Apache-2.0
#include "api/model_tokenizer.h"
#include "format/gguf.h"
#include "memory/mapped_file.h"
#include "support/errorcheck.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

using namespace colibri;
using colibri::test::complaint;

Q_DECLARE_METATYPE(Errc)
Q_DECLARE_METATYPE(std::function<void(GgufTokenizer&)>)

namespace {

using Ids = std::vector<TokenId>;

Result<std::shared_ptr<const Tokenizer>> made(const GgufTokenizer& from)
{
    const auto documents = tokenizerDocuments(from);
    if (!documents)
        return documents.error();
    return Tokenizer::make(documents->tokenizer, from.tokens.size(), from.file, &documents->config);
}

/// The texts of a real tokenizer.json as a GGUF file would hold them. The value's views are of this.
struct Converted {
    JsonValue document;
    std::vector<std::string> merges;
    GgufTokenizer value;
};

Converted converted(const QString& path)
{
    Converted result;
    QFile file(path);
    const std::string json = file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
    if (auto parsed = parseJson(json, "tokenizer.json"))
        result.document = std::move(*parsed);
    const JsonValue& model = *result.document.find("model");
    GgufTokenizer& value = result.value;
    const auto put = [&](std::string_view name, std::uint64_t id, GgufTokenType type) {
        value.tokens.resize(std::max<std::size_t>(value.tokens.size(), id + 1));
        value.types.resize(value.tokens.size(), int(GgufTokenType::Unused));
        value.tokens[id] = name;
        value.types[id] = int(type);
    };
    for (const auto& [name, id] : *model.find("vocab")->object())
        put(name, *id.unsignedInteger(), GgufTokenType::Normal);
    for (const JsonValue& token : *result.document.find("added_tokens")->array())
        put(*token.find("content")->string(), *token.find("id")->unsignedInteger(),
            *token.find("special")->boolean() ? GgufTokenType::Control : GgufTokenType::UserDefined);
    for (const JsonValue& merge : *model.find("merges")->array())
        result.merges.push_back(
            merge.string() ? *merge.string() : *(*merge.array())[0].string() + " " + *(*merge.array())[1].string());
    value.merges.assign(result.merges.begin(), result.merges.end());
    return result;
}

GgufTokenizer smallBytes()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (char32_t byte = 0, other = 256; byte < 256; ++byte) {
            const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
            const char32_t character = printable ? byte : other++;
            all.push_back(QString::fromUcs4(&character, 1).toStdString());
        }
        all.insert(all.end(), {"he", "<end>"});
        return all;
    }();
    GgufTokenizer value;
    value.file = "small.gguf";
    value.model = "gpt2";
    value.pre = "gpt-2";
    value.tokens.assign(names.begin(), names.end());
    value.types.assign(names.size(), int(GgufTokenType::Normal));
    value.types.back() = int(GgufTokenType::Control);
    value.merges = {"h e"};
    value.endOfText = 257;
    return value;
}

} // namespace

class GgufTokenizerTest : public QObject {
    Q_OBJECT

private slots:
    void goldenCases_data();
    void goldenCases();
    void realFamilies_data();
    void realFamilies();
    void documents();
    void refused_data();
    void refused();
};

void GgufTokenizerTest::goldenCases_data()
{
    QTest::addColumn<QString>("folder");
    const QString shared = qEnvironmentVariable("COLIBRI_SHARED");
    if (shared.isEmpty())
        QSKIP("COLIBRI_SHARED is not set");
    for (const QString& name : QDir(shared + "/golden").entryList(QDir::Dirs | QDir::NoDotAndDotDot))
        QTest::newRow(qPrintable(name)) << shared + "/golden/" + name;
}

/// Tiny vocabularies against what llama.cpp computes: ids with and without special tokens, and their bytes.
void GgufTokenizerTest::goldenCases()
{
    QFETCH(QString, folder);
    const QStringList files = QDir(folder).entryList({"*.gguf"}, QDir::Files, QDir::Name);
    const std::string path = (folder + "/" + files.front()).toStdString();
    const auto mapped = MappedFile::open(path);
    QVERIFY(mapped);
    std::vector<std::string> notes;
    const auto head = parseGguf((*mapped)->bytes(), path, 0, notes);
    QVERIFY2(head, head ? "" : head.error().message().c_str());
    const auto said = ggufTokenizerOf(head->metadata, path);
    QVERIFY(said && *said);
    const auto tokenizer = made(**said);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message().c_str());
    QFile golden(folder + "/golden.json");
    QVERIFY(golden.open(QIODevice::ReadOnly));
    const QJsonArray cases = QJsonDocument::fromJson(golden.readAll())["tokenize"].toArray();
    QVERIFY(cases.size() >= 20);
    for (const QJsonValue& value : cases) {
        const bool special = value["parse_special"].toBool();
        auto ids = (*tokenizer)
                       ->encode(value["text"].toString().toStdString(),
                           special ? AddedTokens::Look::All : AddedTokens::Look::NotSpecial);
        QVERIFY(ids);
        ids->insert(ids->begin(), (*tokenizer)->frame().begin.begin(), (*tokenizer)->frame().begin.end());
        ids->insert(ids->end(), (*tokenizer)->frame().end.begin(), (*tokenizer)->frame().end.end());
        Ids expected;
        for (const QJsonValue& id : value["ids"].toArray())
            expected.push_back(TokenId(id.toInt()));
        QVERIFY2(*ids == expected, qPrintable(value["text"].toString()));
        QCOMPARE(QByteArray::fromStdString((*tokenizer)->decode(*ids, true)).toHex(),
            value["detok_hex"].toString().toLatin1());
    }
}

void GgufTokenizerTest::realFamilies_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("pre");
    QTest::newRow("gpt2") << "gpt2"
                          << "gpt2"
                          << "gpt-2";
    QTest::newRow("granite") << "gpt2/variants/starcoder_style"
                             << "gpt2"
                             << "refact";
    QTest::newRow("qwen3") << "qwen3"
                           << "gpt2"
                           << "qwen2";
    QTest::newRow("llama3") << "qwen3/variants/llama3_style"
                            << "gpt2"
                            << "llama-bpe";
    QTest::newRow("kimi") << "qwen3/variants/han_style"
                          << "gpt2"
                          << "kimi-k2";
    QTest::newRow("deepseek_v3") << "deepseek_v3"
                                 << "gpt2"
                                 << "deepseek-v3";
    QTest::newRow("gptoss") << "gptoss"
                            << "gpt2"
                            << "gpt-4o";
    QTest::newRow("mixtral") << "mixtral"
                             << "llama"
                             << "default";
}

/// Real vocabularies as GGUF files hold them give what Hugging Face computes.
void GgufTokenizerTest::realFamilies()
{
    QFETCH(QString, family);
    QFETCH(QString, model);
    QFETCH(QString, pre);
    const QString shared = qEnvironmentVariable("COLIBRI_SHARED");
    if (shared.isEmpty())
        QSKIP("COLIBRI_SHARED is not set");
    Converted from = converted(shared + "/tokenizers/" + family.section('/', 0, 0) + "/tokenizer.json");
    const QByteArray modelName = model.toLatin1();
    const QByteArray preName = pre.toLatin1();
    from.value.model = std::string_view(modelName.constData());
    from.value.pre = std::string_view(preName.constData());
    for (std::size_t id = 0; model == "llama" && id < from.value.tokens.size(); ++id) {
        // As the original file has them: falling with the id, runs of spaces last.
        const bool spaces = QByteArray(from.value.tokens[id].data(), qsizetype(from.value.tokens[id].size()))
                                .replace("\xE2\x96\x81", "")
                                .isEmpty();
        from.value.scores.push_back(spaces && from.value.tokens[id].size() > 3 ? -1e9F : -float(id));
    }
    const auto tokenizer = made(from.value);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message().c_str());
    QFile file(shared + "/tokenizers/" + family + "/golden.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const std::string json = file.readAll().toStdString();
    const auto golden = parseJson(json, "golden.json");
    QVERIFY(golden);
    int compared = 0;
    for (const JsonValue& value : *golden->find("cases")->array()) {
        for (const auto& [look, key] : {std::pair(AddedTokens::Look::All, "ids_with_special_parsing"),
                 std::pair(AddedTokens::Look::NotSpecial, "ids_without_special_parsing")}) {
            Ids expected;
            for (const JsonValue& id : *value.find(key)->array())
                expected.push_back(TokenId(*id.unsignedInteger()));
            const auto ids = (*tokenizer)->encode(*value.find("text")->string(), look);
            QVERIFY2(ids && *ids == expected, value.find("id")->string()->c_str());
            ++compared;
        }
    }
    QVERIFY(compared > 180);
}

void GgufTokenizerTest::documents()
{
    GgufTokenizer value = smallBytes();
    auto tokenizer = made(value);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message().c_str());
    QCOMPARE(*(*tokenizer)->encode("he<end>"), (Ids{256, 257}));
    QVERIFY((*tokenizer)->frame().begin.empty() && (*tokenizer)->frame().end.empty());
    value.addEndOfText = true;
    value.beginOfText = 'a';
    value.addBeginOfText = true;
    tokenizer = made(value);
    QCOMPARE((*tokenizer)->frame().begin, Ids{'a'});
    QCOMPARE((*tokenizer)->frame().end, Ids{257});
    value.types.clear(); // all normal
    QCOMPARE((*made(value))->encode("<end>")->size(), std::size_t{5});
}

void GgufTokenizerTest::refused_data()
{
    QTest::addColumn<std::function<void(GgufTokenizer&)>>("change");
    QTest::addColumn<Errc>("code");
    QTest::addColumn<QByteArray>("part");
    const auto row = [](const char* name, std::function<void(GgufTokenizer&)> change, Errc code, const char* part) {
        QTest::newRow(name) << std::move(change) << code << QByteArray(part);
    };
    row(
        "model", [](auto& v) { v.model = "t5"; }, Errc::Unsupported, "model is \"t5\"");
    row(
        "no model", [](auto& v) { v.model = {}; }, Errc::Unsupported, "model is \"\"");
    row(
        "splitting", [](auto& v) { v.pre = "jina-v2-de"; }, Errc::Unsupported, "pre is \"jina-v2-de\"");
    row(
        "default splitting", [](auto& v) { v.pre = "default"; }, Errc::Unsupported, "pre is \"default\"");
    row(
        "no tokens", [](auto& v) { v.tokens.clear(); }, Errc::Malformed, "tokens has 0");
    row(
        "types are fewer", [](auto& v) { v.types.pop_back(); }, Errc::Mismatch, "token_type has 257 elements");
    row(
        "a type", [](auto& v) { v.types[3] = 7; }, Errc::Malformed, "token_type[3] is 7");
    row(
        "no UTF-8", [](auto& v) { v.tokens[5] = "\xFF"; }, Errc::Malformed, "tokens[5]");
    row(
        "twice", [](auto& v) { v.tokens[256] = "h"; }, Errc::Malformed, "\"h\"");
    row(
        "merge", [](auto& v) { v.merges = {"he llo"}; }, Errc::Mismatch, "merges[0] needs the token \"llo\"");
    row(
        "merge of one",
        [](auto& v) {
            v.merges = {"h e", "he"};
        },
        Errc::Malformed, "merges[1] is \"he\"");
    row(
        "id", [](auto& v) { v.endOfText = 258; }, Errc::OutOfRange, "eos_token_id is 258");
    row(
        "no id", [](auto& v) { v.addBeginOfText = true; }, Errc::Mismatch, "bos_token_id is missing");
    row(
        "scores", [](auto& v) { v.model = "llama"; }, Errc::Mismatch, "scores has 0 elements");
    row(
        "no bytes", [](auto& v) { v.model = "llama", v.scores.resize(v.tokens.size()); }, Errc::Unsupported,
        "no token for the byte 0");
}

void GgufTokenizerTest::refused()
{
    QFETCH(std::function<void(GgufTokenizer&)>, change);
    QFETCH(Errc, code);
    QFETCH(QByteArray, part);
    GgufTokenizer value = smallBytes();
    change(value);
    QCOMPARE(complaint(made(value), code, {part, "small.gguf"}), QString());
}

QTEST_APPLESS_MAIN(GgufTokenizerTest)
#include "tst_gguf_tokenizer.moc"
