// SPDX-License-Identifier: Apache-2.0
#include "api/inspect.h"
#include "api/session.h"
#include "support/errorcheck.h"
#include "support/ggufbytes.h"
#include "support/golden.h"
#include "support/outputrows.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace colibri;
using colibri::test::complaint;
using colibri::test::GgufWriter;
using colibri::test::GoldenCase;
using colibri::test::raw;
namespace t = colibri::test;

namespace {

std::string modelFile(const QString& name)
{
    const QString part = name.endsWith("-split") ? "/model-00001-of-00003.gguf" : "/model.gguf";
    return (qEnvironmentVariable("COLIBRI_SHARED") + "/golden/" + name + part).toStdString();
}

/// Logits, choices and weights of a prompt.
struct Evaluated {
    std::vector<float> logits;
    std::shared_ptr<RunRecord> record;
};

Result<Evaluated> evaluate(const ModelPtr& model, std::span<const TokenId> tokens)
{
    EngineOptions options;
    options.threads = 2;
    options.batch = 7;
    options.context = std::uint32_t(tokens.size());
    options.activations = Activations::F32;
    auto session = Session::create(model, options);
    if (!session)
        return session.error();
    auto record = (*session)->makeRecord();
    auto logits = test::outputRows(**session, tokens, record);
    if (!logits)
        return logits.error();
    return Evaluated{std::move(*logits), std::move(record)};
}

float largestDifference(std::span<const float> a, std::span<const float> b)
{
    float largest = a.size() == b.size() ? 0.f : INFINITY;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        largest = std::max(largest, std::isnan(a[i]) ? INFINITY : std::abs(a[i] - b[i]));
    return largest;
}

} // namespace

class GgufModelTest : public QObject {
    Q_OBJECT

private slots:
    void golden_data();
    void golden();
    void inspectsWhatItCannotRun();
    void typesThatAreNotComputed();
    void keysOfTheWrongType_data();
    void keysOfTheWrongType();
    void unusedKeysAreListed();
    void recommendedSamplingIsListed();
    void shapesAgainstTheConfiguration();
};

void GgufModelTest::golden_data()
{
    QTest::addColumn<QString>("name");
    const QString shared = qEnvironmentVariable("COLIBRI_SHARED");
    if (shared.isEmpty())
        QSKIP("COLIBRI_SHARED is not set");
    for (const QString& name : QDir(shared + "/golden").entryList(QDir::Dirs | QDir::NoDotAndDotDot))
        QTest::newRow(qPrintable(name)) << name;
}

/// Every case whose architecture and types this version computes. llama.cpp's logits of F32 files within 1e-3; of all
/// others those that unrounded activations give (numpy_logits) within 2e-3.
void GgufModelTest::golden()
{
    QFETCH(QString, name);
    const GoldenCase golden(name);
    QVERIFY(golden.exists());
    const auto model = openModel(modelFile(name));
    if (!model && model.error().code == Errc::Unsupported)
        QSKIP(model.error().message().c_str());
    QVERIFY2(model, model ? "" : model.error().message().c_str());
    QVERIFY2((*model)->notes().empty(), (*model)->notes().empty() ? "" : (*model)->notes()[0].c_str());
    std::vector<TokenId> tokens;
    for (const QJsonValue& token : golden.golden()["tokens"].toArray())
        tokens.push_back(TokenId(token.toInt()));
    const auto got = evaluate(*model, tokens);
    QVERIFY2(got, got ? "" : got.error().message().c_str());

    const bool plain = name.endsWith("-f32");
    const float difference = largestDifference(got->logits, golden.floats(plain ? "logits" : "numpy_logits"));
    qInfo("largest difference of a logit %g", double(difference));
    QVERIFY(difference <= (plain ? 1e-3f : 2e-3f));
    const std::vector<std::int32_t> experts = golden.ints("topk");
    const std::vector<float> weights = golden.floats("topk_weights");
    const RunRecord::Shape& shape = got->record->shape();
    QCOMPARE(experts.size(), std::size_t{shape.layers} * tokens.size() * shape.k);
    for (std::uint32_t layer = 0; layer < shape.layers; ++layer)
        for (std::uint32_t position = 0; position < tokens.size(); ++position) {
            const std::size_t row = (std::size_t{layer} * tokens.size() + position) * shape.k;
            for (std::size_t r = 0; r < shape.k; ++r) {
                // Equal sets are asked for; in f32 the order is the same, too.
                const auto chosen = got->record->experts(position, layer);
                const auto end = experts.begin() + std::ptrdiff_t(row + shape.k);
                const auto at = std::find(experts.begin() + std::ptrdiff_t(row), end, std::int32_t(chosen[r]));
                QVERIFY(at != end);
                const float expected = weights[std::size_t(at - experts.begin())];
                if (plain)
                    QVERIFY(std::abs(got->record->weights(position, layer)[r] - expected) <= 1e-4f);
            }
        }
}

void GgufModelTest::inspectsWhatItCannotRun()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("m.gguf");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(GgufWriter()
                   .words("general.architecture", "mamba")
                   .key("list", t::array, GgufWriter::strings({"a", "b"}))
                   .tensor("w", {32, 2}, 19, {})
                   .tail(QByteArray(100, 'w'))
                   .file());
    file.close();
    // 32 elements are no whole block of iq1_s
    QCOMPARE(complaint(inspectModel(path.toStdString()), Errc::Mismatch, {"\"w\".type is iq1_s", "blocks of 256"}),
        QString());

    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(GgufWriter()
                   .words("general.architecture", "mamba")
                   .key("list", t::array, GgufWriter::strings({"a", "b"}))
                   .tensor("w", {256, 2}, 19, QByteArray(100, 'w'))
                   .file());
    file.close();
    const auto seen = inspectModel(path.toStdString());
    QVERIFY2(seen, seen ? "" : seen.error().message().c_str());
    QVERIFY(!seen->model);
    QCOMPARE(complaint(*seen->refused, Errc::Unsupported, {"m.gguf", "mamba", "not known"}), QString());
    QCOMPARE(seen->architecture, std::string("mamba"));
    QCOMPARE(seen->tensors.at(0).size, std::uint64_t{100});
    QCOMPARE(seen->metadata.size(), std::size_t{2});
    QCOMPARE(seen->metadata[1].value, std::string("[\"a\", \"b\"]"));
    QCOMPARE(seen->metadata[1].type, std::string("array of string"));
    QCOMPARE(complaint(openModel(path.toStdString()), Errc::Unsupported, {"mamba"}), QString());
}

namespace {

constexpr std::uint32_t vocab = 8;

/// The smallest Qwen3-MoE model: one layer, two experts, hidden size 32; `type` and `bytes` of the value projection.
GgufWriter tinyModel(const QByteArray& except = {}, std::uint32_t valueType = 0, int valueBytes = 32 * 32 * 4)
{
    GgufWriter w;
    w.words("general.architecture", "qwen3moe");
    const std::pair<const char*, std::uint32_t> numbers[]{{"block_count", 1}, {"context_length", 16},
        {"embedding_length", 32}, {"attention.head_count", 1}, {"attention.head_count_kv", 1},
        {"attention.key_length", 32}, {"attention.value_length", 32}, {"expert_count", 2}, {"expert_used_count", 1},
        {"expert_feed_forward_length", 32}};
    for (const auto& [key, value] : numbers)
        if (except != key)
            w.number(QByteArray("qwen3moe.") + key, value);
    const auto add = [&](const char* name, const QList<std::uint64_t>& dims) {
        std::uint64_t elements = 1;
        for (const std::uint64_t dim : dims)
            elements *= dim;
        w.tensor(name, dims, 0, QByteArray(qsizetype(elements * 4), '\0'));
    };
    add("token_embd.weight", {32, vocab});
    add("output_norm.weight", {32});
    for (const char* const name : {"attn_norm", "ffn_norm", "attn_q_norm", "attn_k_norm"})
        add(("blk.0." + QByteArray(name) + ".weight").constData(), {32});
    for (const char* const name : {"attn_q", "attn_k", "attn_output"})
        add(("blk.0." + QByteArray(name) + ".weight").constData(), {32, 32});
    w.tensor("blk.0.attn_v.weight", {32, 32}, valueType, QByteArray(valueBytes, '\0'));
    add("blk.0.ffn_gate_inp.weight", {32, 2});
    for (const char* const name : {"ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"})
        add(("blk.0." + QByteArray(name) + ".weight").constData(), {32, 32, 2});
    return w;
}

Result<ModelPtr> openBytes(const QTemporaryDir& folder, const QByteArray& bytes)
{
    QFile file(folder.filePath("m.gguf"));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        return Error{Errc::Io, "write", {}, {}, {}};
    file.close();
    return openModel(file.fileName().toStdString());
}

} // namespace

void GgufModelTest::typesThatAreNotComputed()
{
    QTemporaryDir folder;
    const auto good = openBytes(folder, tinyModel().file());
    QVERIFY2(good, good ? "" : good.error().message().c_str());
    QCOMPARE((*good)->config().vocabSize, vocab);
    QCOMPARE((*good)->config().origins.empty(), false);
    QVERIFY(!(*good)->hasTokenizer());
    QCOMPARE(complaint((*good)->tokenize("text"), Errc::Unsupported, {"m.gguf", "tokenizer"}), QString());
    QCOMPARE(complaint(openBytes(folder, tinyModel({}, 9).file()), Errc::Unsupported,
                 {"blk.0.attn_v.weight", "m.gguf", "offset", "q8_1"}),
        QString());
    QCOMPARE(
        complaint(openBytes(folder, tinyModel({}, 139).file()), Errc::Unsupported, {"blk.0.attn_v.weight", "type 139"}),
        QString());
}

void GgufModelTest::keysOfTheWrongType_data()
{
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<std::uint32_t>("type");
    QTest::addColumn<QByteArray>("value");
    for (const char* const key :
        {"block_count", "embedding_length", "expert_count", "expert_used_count", "context_length"}) {
        QTest::addRow("%s as a text", key) << QByteArray(key) << std::uint32_t(t::text) << GgufWriter::string("1");
        QTest::addRow("%s negative", key) << QByteArray(key) << std::uint32_t(t::i32) << raw<std::int32_t>(-1);
        QTest::addRow("%s fractional", key) << QByteArray(key) << std::uint32_t(t::f32) << raw(1.5f);
        QTest::addRow("%s too large", key) << QByteArray(key) << std::uint32_t(t::u64) << raw(UINT64_MAX);
        QTest::addRow("%s a list", key) << QByteArray(key) << std::uint32_t(t::array)
                                        << GgufWriter::list(t::u32, 1, raw(1u));
    }
}

void GgufModelTest::keysOfTheWrongType()
{
    QFETCH(QByteArray, key);
    QFETCH(std::uint32_t, type);
    QFETCH(QByteArray, value);
    QTemporaryDir folder;
    GgufWriter w = tinyModel(key);
    const QByteArray full = "qwen3moe." + key;
    w.key(full, type, value);
    const QByteArray file = w.file();
    const auto opened = openBytes(folder, file);
    QVERIFY(!opened);
    QCOMPARE(complaint(opened, opened.error().code, {full, "m.gguf", "offset"}), QString());
    const qsizetype at = file.indexOf(full) + full.size() + 4;
    QVERIFY(*opened.error().offset >= std::uint64_t(at) && *opened.error().offset <= std::uint64_t(at) + 12);
}

void GgufModelTest::unusedKeysAreListed()
{
    QTemporaryDir folder;
    GgufWriter w = tinyModel();
    w.number("qwen3moe.future_rule", 3).number("other.key", 4);
    const auto opened = openBytes(folder, w.file());
    QVERIFY2(opened, opened ? "" : opened.error().message().c_str());
    const auto& unused = (*opened)->config().unusedKeys;
    QVERIFY(std::find(unused.begin(), unused.end(), "qwen3moe.future_rule") != unused.end());
    QVERIFY(std::find(unused.begin(), unused.end(), "other.key") == unused.end());
    QVERIFY(std::find(unused.begin(), unused.end(), "qwen3moe.block_count") == unused.end());
}

void GgufModelTest::recommendedSamplingIsListed()
{
    QTemporaryDir folder;
    GgufWriter w = tinyModel();
    w.key("general.sampling.temp", t::f32, raw(0.5f));
    const auto opened = openBytes(folder, w.file());
    QVERIFY2(opened, opened ? "" : opened.error().message().c_str());
    const auto& origins = (*opened)->config().origins;
    const auto found = std::find_if(
        origins.begin(), origins.end(), [](const RuleOrigin& rule) { return rule.rule == "sampling.temperature"; });
    QVERIFY(found != origins.end());
    QCOMPARE(found->key, std::string("general.sampling.temp"));
    QVERIFY(found->value.starts_with("0.5"));
}

/// A tensor of all experts with one expert less, and one of another width: the file's name, shape and the key's value.
void GgufModelTest::shapesAgainstTheConfiguration()
{
    QTemporaryDir folder;
    GgufWriter more = tinyModel("expert_count");
    more.number("qwen3moe.expert_count", 3);
    QCOMPARE(complaint(openBytes(folder, more.file()), Errc::Mismatch, {"m.gguf", "offset", "blk.0.ffn_g", "[2, 32"}),
        QString());
    GgufWriter wide = tinyModel("expert_feed_forward_length");
    wide.number("qwen3moe.expert_feed_forward_length", 64);
    QCOMPARE(complaint(openBytes(folder, wide.file()), Errc::Mismatch,
                 {"m.gguf", "offset", "blk.0.ffn_gate_exps.weight", "[32, 32]", "[64, 32]"}),
        QString());
}

QTEST_APPLESS_MAIN(GgufModelTest)
#include "tst_gguf_model.moc"
