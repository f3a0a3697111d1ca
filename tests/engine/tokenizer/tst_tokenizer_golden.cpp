// SPDX-License-Identifier: Apache-2.0
#include "samples.h"
#include "tokenizer/tokenstream.h"

#include <QtTest>

using namespace colibri;

namespace {

using Ids = std::vector<TokenId>;

/// Read by the engine: Qt drops a byte order mark at the start of a text.
JsonValue readJson(const QString& path)
{
    QFile file(path);
    const std::string json = file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
    auto value = parseJson(json, path.toStdString());
    return value ? std::move(*value) : JsonValue();
}

/// RFC 7386: members of the patch replace or extend, null removes.
void patchWith(JsonValue& target, const JsonValue& patch)
{
    if (!patch.object()) {
        target = patch;
        return;
    }
    if (!target.object())
        target.data = JsonValue::Object();
    auto& members = std::get<JsonValue::Object>(target.data);
    for (const auto& [key, value] : *patch.object()) {
        const auto at =
            std::find_if(members.begin(), members.end(), [&](const auto& member) { return member.key == key; });
        if (value.isNull())
            members.erase(at, at == members.end() ? at : at + 1);
        else
            patchWith(at == members.end() ? members.emplace_back(JsonValue::Member{key, {}}).value : at->value, value);
    }
}

Ids idsOf(const JsonValue& list)
{
    Ids result;
    for (const JsonValue& id : *list.array())
        result.push_back(TokenId(*id.unsignedInteger()));
    return result;
}

std::string streamed(const Tokenizer& tokenizer, const Ids& ids)
{
    TokenStream stream(tokenizer.texts());
    std::string text;
    for (const TokenId id : ids)
        text += stream.push(id);
    text += stream.finish();
    return text;
}

} // namespace

/// Real tokenizers, and synthetic ones over their vocabularies, against what Hugging Face's library computes.
class TokenizerGoldenTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void families_data();
    void families();
    void beginOfText();
    void aMegabyteInTwoSeconds();

private:
    void encodes(const Tokenizer& tokenizer, const JsonValue& golden);
    void decodes(const Tokenizer& tokenizer, const JsonValue& list);

    QString m_folder;
};

void TokenizerGoldenTest::initTestCase()
{
    const QString shared = qEnvironmentVariable("COLIBRI_SHARED");
    if (shared.isEmpty())
        QSKIP("COLIBRI_SHARED is not set");
    m_folder = shared + "/tokenizers/";
}

void TokenizerGoldenTest::families_data()
{
    QTest::addColumn<QString>("base");
    QTest::addColumn<QString>("variant");
    const QList<std::pair<QString, QStringList>> all{{"qwen3", {"han_style", "llama3_style"}}, {"deepseek_v3", {}},
        {"gptoss", {}}, {"mixtral", {"metaspace_first", "phi_style"}},
        {"gpt2", {"neox_style", "starcoder_style", "strip_style"}}};
    for (const auto& [base, variants] : all) {
        QTest::newRow(qPrintable(base)) << base << QString();
        for (const QString& variant : variants)
            QTest::newRow(qPrintable(base + "/" + variant)) << base << "/variants/" + variant;
    }
}

void TokenizerGoldenTest::encodes(const Tokenizer& tokenizer, const JsonValue& golden)
{
    using Look = AddedTokens::Look;
    for (const JsonValue& value : *golden.find("cases")->array()) {
        const std::string& text = *value.find("text")->string();
        const JsonValue& noSpecial = *value.find("ids_without_special_parsing");
        const JsonValue* const none = value.find("ids_no_added_tokens");
        const std::tuple<Look, Ids> modes[] = {{Look::All, idsOf(*value.find("ids_with_special_parsing"))},
            {Look::NotSpecial, idsOf(noSpecial)}, {Look::None, idsOf(none ? *none : noSpecial)}};
        for (const auto& [look, expected] : modes) {
            const auto found = tokenizer.encode(text, look);
            if (!found || *found != expected)
                QFAIL(qPrintable(QString("%1, mode %2: %3")
                                     .arg(value.find("id")->string()->c_str())
                                     .arg(int(look))
                                     .arg(found ? "other ids" : found.error().message().c_str())));
        }
    }
}

void TokenizerGoldenTest::decodes(const Tokenizer& tokenizer, const JsonValue& list)
{
    for (const JsonValue& value : *list.array()) {
        const JsonValue* const given = value.find("ids");
        const Ids ids = idsOf(given ? *given : *value.find("ids_with_special_parsing"));
        const std::string& decoded = *value.find("decoded")->string();
        const JsonValue* const skipped = value.find("decoded_skip_special");
        QCOMPARE(tokenizer.decode(ids, true), decoded);
        QCOMPARE(tokenizer.decode(ids), skipped ? *skipped->string() : decoded);
        QCOMPARE(streamed(tokenizer, ids), skipped ? *skipped->string() : decoded);
    }
}

void TokenizerGoldenTest::families()
{
    QFETCH(QString, base);
    QFETCH(QString, variant);
    JsonValue file = readJson(m_folder + base + "/tokenizer.json");
    if (!variant.isEmpty())
        patchWith(file, readJson(m_folder + base + variant + "/patch.json"));
    const auto tokenizer = Tokenizer::make(file, 1'000'000, "tokenizer.json");
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message().c_str());
    const JsonValue golden = readJson(m_folder + base + variant + "/golden.json");
    QVERIFY(golden.find("cases") && golden.find("cases")->array()->size() > 90);
    QCOMPARE((*tokenizer)->vocabularySize(), *golden.find("vocab_size_with_added")->unsignedInteger());
    encodes(**tokenizer, golden);
    if (QTest::currentTestFailed())
        return;
    decodes(**tokenizer, *golden.find("cases"));
    decodes(**tokenizer, *golden.find("decode_cases"));
    const JsonValue& frame = *golden.find("add_bos");
    QCOMPARE((*tokenizer)->frame().begin, idsOf(*frame.find("tokenizer_json_post_processor_adds")));
    QVERIFY((*tokenizer)->frame().end.empty());
}

/// With tokenizer_config.json.
void TokenizerGoldenTest::beginOfText()
{
    const QList<std::pair<QString, Ids>> all{
        {"qwen3", {}}, {"deepseek_v3", {0}}, {"gptoss", {}}, {"mixtral", {1}}, {"gpt2", {}}};
    for (const auto& [base, begin] : all) {
        const JsonValue config = readJson(m_folder + base + "/tokenizer_config.json");
        QVERIFY(config.object());
        const auto tokenizer = Tokenizer::load((m_folder + base + "/tokenizer.json").toStdString(), &config);
        QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message().c_str());
        QCOMPARE((*tokenizer)->frame().begin, begin);
        QVERIFY((*tokenizer)->frame().end.empty());
    }
}

/// Without pre-tokenizer a whole text is one piece.
void TokenizerGoldenTest::aMegabyteInTwoSeconds()
{
    const auto tokenizer = Tokenizer::load((m_folder + "mixtral/tokenizer.json").toStdString());
    QVERIFY(tokenizer);
    std::string text;
    for (int i = 0; text.size() < 1'000'000; ++i)
        text += "Word " + std::to_string(i * 7919) + (i % 5 ? " runs over, " : "\n")
            + (i % 3 ? "abab" : "\xE4\xB8\xAD\xE6\x96\x87");
    QElapsedTimer timer;
    timer.start();
    const auto ids = (*tokenizer)->encode(text);
    const qint64 needed = timer.elapsed();
    QVERIFY(ids);
    QCOMPARE((*tokenizer)->decode(*ids), text);
    qInfo("%lld ms", needed);
    QVERIFY(needed < 20'000); // wide enough for sanitizers and busy machines; a quadratic merge takes minutes
}

QTEST_APPLESS_MAIN(TokenizerGoldenTest)
#include "tst_tokenizer_golden.moc"
