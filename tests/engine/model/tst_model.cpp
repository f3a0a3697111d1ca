// SPDX-License-Identifier: Apache-2.0
#include "api/model.h"
#include "format/readers.h"
#include "model/config_writer.h"
#include "model/loaded_model.h"
#include "support/errorcheck.h"
#include "support/generatedmodel.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace colibri;
using namespace colibri::test;

/// From a folder to bound weights: every rule with its origin, every refusal with key, value and rule.
class TestModel : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void origins();
    void canonicalConfigReadsBack();
    void parameters();
    void refusals_data();
    void refusals();
    void unusedTensorIsNoted();
    void missingTensor();
    void progress();
    void cancelled();
    void beginOfText_data();
    void beginOfText();

private:
    QString folder(const QByteArray& from = {}, const QByteArray& to = {});
    QTemporaryDir m_dir;
    QByteArray m_config;
    int m_count = 0;
};

void TestModel::initTestCase()
{
    QVERIFY(writeHuggingFaceModel(m_dir.path().toStdString(), {}));
    QFile config(m_dir.filePath("config.json"));
    QVERIFY(config.open(QIODevice::ReadOnly));
    m_config = config.readAll();
}

/// A folder with the same weights whose configuration has `from` replaced by `to`.
QString TestModel::folder(const QByteArray& from, const QByteArray& to)
{
    const QString path = m_dir.filePath(QString::number(m_count++));
    QByteArray config = m_config;
    if (!from.isEmpty() && !config.contains(from))
        qFatal("the configuration has no %s", from.constData());
    config.replace(from, to);
    if (!QDir().mkpath(path) || !QFile::link(m_dir.filePath("model.safetensors"), path + "/model.safetensors")
        || !writeFile((path + "/config.json").toStdString(), config.toStdString()))
        qFatal("cannot write %s", qPrintable(path));
    return path;
}

void TestModel::origins()
{
    const auto model = openModel(folder("\"norm_topk_prob\":true", "\"extra\":1").toStdString());
    QVERIFY2(model, model ? "" : model.error().message().c_str());
    QVERIFY(!(*model)->config().routing.normalize);
    const auto& origins = (*model)->config().origins;
    const auto origin = [&](const char* rule) {
        const auto found = std::ranges::find(origins, rule, &RuleOrigin::rule);
        return found == origins.end()
            ? QString("none")
            : QString::fromStdString(found->value + "|" + std::string(name(found->origin)) + "|" + found->key);
    };
    QCOMPARE(origin("routing.normalize"), QString("false|family default|"));
    QCOMPARE(origin("num_active_experts"), QString("3|config|num_experts_per_tok"));
    QCOMPARE(origin("num_layers"), QString("3|config|num_hidden_layers"));
    QCOMPARE(origin("head_dim"), QString("18|config|head_dim"));
}

void TestModel::canonicalConfigReadsBack()
{
    const auto source = readModelSource(
        folder("\"norm_topk_prob\":true", "\"norm_topk_prob\":true,\"bos_token_id\":3,\"eos_token_id\":[3,5]")
            .toStdString(),
        {}, {});
    QVERIFY(source);
    const auto config = readConfig(*source);
    QVERIFY2(config, config ? "" : config.error().message().c_str());
    ModelSource again;
    again.format = "colibri";
    auto json = parseJson(canonicalConfig(*config), "config.json");
    QVERIFY(json);
    again.config = std::move(*json);
    const auto readBack = readConfig(again);
    QVERIFY2(readBack, readBack ? "" : readBack.error().message().c_str());
    QCOMPARE(canonicalConfig(*readBack), canonicalConfig(*config));
    QCOMPARE(readBack->endOfText, (std::vector<TokenId>{3, 5}));
    QCOMPARE(readBack->rmsNormEps, 1e-6f);
    QVERIFY(readBack->qkNorm);
}

void TestModel::parameters()
{
    const auto model = openModel(folder().toStdString());
    QVERIFY(model);
    const std::uint64_t attention = 70 * 108 * 2 + 70 * 36 * 2 + 2 * 18 + 2 * 70;
    const std::uint64_t expert = 3 * 70 * 45;
    const std::uint64_t fixed = 3 * (attention + 7 * 70) + 70 + 101 * 70;
    QCOMPARE((*model)->parameters(), fixed + 101 * 70 + 3 * 7 * expert);
    QCOMPARE((*model)->activeParameters(), fixed + 3 * 3 * expert);
    QVERIFY((*model)->hasRouter());
    QVERIFY(!(*model)->hasTable());
}

void TestModel::refusals_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<int>("code");
    QTest::addColumn<QList<QByteArray>>("parts");
    const auto row = [](const char* name, QByteArray from, QByteArray to, Errc code, QList<QByteArray> parts) {
        QTest::newRow(name) << from << to << int(code) << (QList<QByteArray>{"config.json"} + parts);
    };
    row("unknown architecture", "\"qwen3_moe\"", "\"mystery_moe\"", Errc::Unsupported,
        {"\"mystery_moe\"", "qwen3_moe"});
    row("no architecture", "\"model_type\"", "\"model_kind\"", Errc::Unsupported, {"model_type"});
    row("missing dimension", "\"hidden_size\":70,", "", Errc::Malformed, {"hidden_size"});
    row("dimension of text", "\"hidden_size\":70", "\"hidden_size\":\"70\"", Errc::OutOfRange,
        {"hidden_size", "offset"});
    row("negative", "\"num_experts\":7", "\"num_experts\":-7", Errc::OutOfRange, {"num_experts", "-7"});
    row("zero", "\"num_experts\":7", "\"num_experts\":0", Errc::OutOfRange, {"num_experts is 0"});
    row("huge", "\"vocab_size\":101", "\"vocab_size\":18446744073709551615", Errc::OutOfRange, {"vocab_size"});
    row("more active than there are", "\"num_experts_per_tok\":3", "\"num_experts_per_tok\":8", Errc::OutOfRange,
        {"8", "7"});
    row("heads", "\"num_key_value_heads\":2", "\"num_key_value_heads\":4", Errc::Mismatch,
        {"num_attention_heads is 6"});
    row("odd head", "\"head_dim\":18", "\"head_dim\":17", Errc::OutOfRange, {"head_dim is 17", "even"});
    row("activation", "\"norm_topk_prob\":true", "\"hidden_act\":\"gelu\"", Errc::Unsupported,
        {"hidden_act is gelu", "silu"});
    row("rope scaling", "\"norm_topk_prob\":true", "\"rope_scaling\":{\"type\":\"linear\"}", Errc::Unsupported,
        {"rope_scaling"});
    row("dense layers", "\"norm_topk_prob\":true", "\"mlp_only_layers\":[0]", Errc::Unsupported, {"mlp_only_layers"});
    row("sliding window", "\"norm_topk_prob\":true", "\"use_sliding_window\":true", Errc::Unsupported,
        {"use_sliding_window"});
    row("flag of text", "\"norm_topk_prob\":true", "\"norm_topk_prob\":\"yes\"", Errc::Malformed, {"norm_topk_prob"});
    row("epsilon", "\"rms_norm_eps\":1e-6", "\"rms_norm_eps\":0", Errc::OutOfRange, {"rms_norm_eps"});
    row("special token", "\"norm_topk_prob\":true", "\"eos_token_id\":101", Errc::OutOfRange,
        {"eos_token_id is 101", "101"});
}

void TestModel::refusals()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(int, code);
    QFETCH(QList<QByteArray>, parts);
    QCOMPARE(complaint(openModel(folder(from, to).toStdString()), static_cast<Errc>(code), parts), QString());
}

void TestModel::unusedTensorIsNoted()
{
    const auto model = openModel(folder("\"num_hidden_layers\":3", "\"num_hidden_layers\":2").toStdString());
    QVERIFY2(model, model ? "" : model.error().message().c_str());
    const auto notes = (*model)->notes();
    QVERIFY(std::ranges::any_of(
        notes, [](const std::string& n) { return n.find("model.layers.2.mlp.gate.weight") != std::string::npos; }));
}

void TestModel::missingTensor()
{
    QCOMPARE(complaint(openModel(folder("\"num_hidden_layers\":3", "\"num_hidden_layers\":4").toStdString()),
                 Errc::Mismatch, {"model.layers.3.input_layernorm.weight", "no such tensor"}),
        QString());
    QCOMPARE(
        complaint(openModel(folder("\"moe_intermediate_size\":45", "\"moe_intermediate_size\":46").toStdString()),
            Errc::Mismatch,
            {"model.layers.0.mlp.experts.0.gate_proj.weight", "model.safetensors", "offset", "[45, 70]", "[46, 70]"}),
        QString());
}

void TestModel::progress()
{
    OpenProgress lazy;
    QVERIFY(openModel(folder().toStdString(), {LoadMode::Lazy, {}}, &lazy));
    QCOMPARE(lazy.layers(), 3u);
    QCOMPARE(lazy.experts(), 7u);
    QCOMPARE(lazy.state(2, 6), ExpertState::Mapped);
    OpenProgress populated;
    QVERIFY(openModel(folder().toStdString(), {LoadMode::Populate, {}}, &populated));
    for (std::uint32_t layer = 0; layer < 3; ++layer)
        for (std::uint32_t expert = 0; expert < 7; ++expert)
            QCOMPARE(populated.state(layer, expert), ExpertState::Populated);
    QVERIFY(populated.bytesTotal() > 100000);
    QCOMPARE(populated.bytesDone(), populated.bytesTotal());
}

void TestModel::cancelled()
{
    std::stop_source stop;
    stop.request_stop();
    const auto opened = openModel(folder().toStdString(), {LoadMode::Populate, {}}, nullptr, stop.get_token());
    QCOMPARE(complaint(opened, Errc::Cancelled, {}), QString());
}

void TestModel::beginOfText_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QByteArray>("tokenizerConfig");
    QTest::addColumn<bool>("added");
    QTest::newRow("none") << QByteArray("\"norm_topk_prob\":true") << QByteArray() << false;
    QTest::newRow("one id begins and ends")
        << QByteArray("\"bos_token_id\":3,\"eos_token_id\":3") << QByteArray() << true;
    QTest::newRow("its own id") << QByteArray("\"bos_token_id\":3,\"eos_token_id\":4") << QByteArray() << false;
    QTest::newRow("stated no") << QByteArray("\"bos_token_id\":3,\"eos_token_id\":3")
                               << QByteArray("{\"add_bos_token\":false}") << false;
    QTest::newRow("stated yes") << QByteArray("\"bos_token_id\":3,\"eos_token_id\":4")
                                << QByteArray("{\"add_bos_token\":true}") << true;
}

void TestModel::beginOfText()
{
    QFETCH(QByteArray, config);
    QFETCH(QByteArray, tokenizerConfig);
    QFETCH(bool, added);
    const QString path = folder("\"norm_topk_prob\":true", config);
    if (!tokenizerConfig.isEmpty())
        QVERIFY(writeFile((path + "/tokenizer_config.json").toStdString(), tokenizerConfig.toStdString()));
    const auto model = openModel(path.toStdString());
    QVERIFY2(model, model ? "" : model.error().message().c_str());
    QCOMPARE((*model)->config().addBeginOfText, added);
}

QTEST_GUILESS_MAIN(TestModel)
#include "tst_model.moc"
