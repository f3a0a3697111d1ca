// SPDX-License-Identifier: Apache-2.0
#include "model/architecture.h"
#include "model/config_writer.h"
#include "support/errorcheck.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace colibri;
using namespace colibri::test;

/// From the keys of folders and of GGUF files to rules, each with its origin; what is not computed is refused by name.
class TestRules : public QObject {
    Q_OBJECT

private slots:
    void origins_data();
    void origins();
    void yarn();
    void scalesOfYarn();
    void membersThatNothingReads();
    void rulesOfPartsThatAreMissing();
    void window();
    void canonicalConfigKeepsRules_data();
    void canonicalConfigKeepsRules();
    void refusals_data();
    void refusals();
};

namespace {

const QByteArray deepSeek = R"({"vocab_size":320,"hidden_size":64,"num_hidden_layers":3,"num_attention_heads":4,
"n_routed_experts":16,"n_shared_experts":2,"num_experts_per_tok":4,"moe_intermediate_size":32,"intermediate_size":96,
"first_k_dense_replace":1,"max_position_embeddings":512,"kv_lora_rank":32,"q_lora_rank":40,"qk_nope_head_dim":24,
"qk_rope_head_dim":8,"v_head_dim":16,"n_group":4,"topk_group":2,"routed_scaling_factor":2.5,
"rope_scaling":{"type":"yarn","factor":40,"original_max_position_embeddings":4096,"mscale":0.5,"mscale_all_dim":0.707})";
const QByteArray v2 = deepSeek + R"(,"model_type":"deepseek_v2","topk_method":"group_limited_greedy"})";
const QByteArray v3 = deepSeek + R"(,"model_type":"deepseek_v3","norm_topk_prob":true})";
const QByteArray gptOss = R"({"model_type":"gpt_oss","vocab_size":320,"hidden_size":64,"num_hidden_layers":3,
"num_attention_heads":4,"num_key_value_heads":2,"head_dim":32,"num_local_experts":8,"num_experts_per_tok":4,
"intermediate_size":32,"max_position_embeddings":512,"sliding_window":6,
"layer_types":["sliding_attention","full_attention","sliding_attention"],
"rope_scaling":{"rope_type":"yarn","factor":32,"original_max_position_embeddings":4096,"truncate":false}})";
const QByteArray gguf =
    R"({"general.architecture":"deepseek2","deepseek2.vocab_size":320,"deepseek2.embedding_length":64,
"deepseek2.block_count":3,"deepseek2.context_length":512,"deepseek2.feed_forward_length":96,
"deepseek2.attention.head_count":4,"deepseek2.attention.head_count_kv":1,"deepseek2.expert_count":16,
"deepseek2.expert_used_count":4,"deepseek2.expert_feed_forward_length":32,"deepseek2.expert_shared_count":2,
"deepseek2.attention.q_lora_rank":0,"deepseek2.attention.kv_lora_rank":32,"deepseek2.attention.key_length":40,
"deepseek2.attention.value_length":32,"deepseek2.attention.key_length_mla":32,"deepseek2.attention.value_length_mla":16,
"deepseek2.rope.dimension_count":8,"deepseek2.leading_dense_block_count":1,"deepseek2.expert_gating_func":2,
"deepseek2.expert_weights_scale":2.5,"deepseek2.expert_group_count":4,"deepseek2.expert_group_used_count":2,
"deepseek2.rope.scaling.type":"yarn","deepseek2.rope.scaling.factor":40.0,
"deepseek2.rope.scaling.original_context_length":4096,"deepseek2.rope.scaling.yarn_log_multiplier":0.0707})";
const QByteArray narrowValues =
    R"({"general.architecture":"qwen3moe","qwen3moe.vocab_size":320,"qwen3moe.embedding_length":64,
"qwen3moe.block_count":3,"qwen3moe.context_length":512,"qwen3moe.attention.head_count":4,
"qwen3moe.attention.head_count_kv":2,"qwen3moe.expert_count":16,"qwen3moe.expert_used_count":4,
"qwen3moe.expert_feed_forward_length":32,"qwen3moe.attention.key_length":32,"qwen3moe.attention.value_length":24})";

/// `allNamed`: as in ModelSource; `correction`: the tensor that says that there is a correction is there.
Result<ModelConfig> readText(const QByteArray& text, bool allNamed = true, bool correction = true)
{
    ModelSource source;
    source.allNamed = allNamed;
    source.format = text.contains("general.architecture") ? "gguf"
        : text.contains("model_type")                     ? "huggingface"
                                                          : "colibri";
    source.configFile = "config.json";
    if (correction)
        source.tensors.emplace_back().name = "blk.1.exp_probs_b.bias";
    auto config = parseJson(text.toStdString(), "config.json");
    if (!config)
        return config.error();
    source.config = std::move(*config);
    return readConfig(source);
}

QString origin(const ModelConfig& config, const char* rule)
{
    const auto found = std::ranges::find(config.origins, rule, &RuleOrigin::rule);
    return found == config.origins.end()
        ? QString("none")
        : QString::fromStdString(found->value + "|" + std::string(name(found->origin)) + "|" + found->key);
}

} // namespace

void TestRules::origins_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QList<QPair<const char*, QString>>>("expected");
    using Expected = QList<QPair<const char*, QString>>;
    QTest::newRow("deepseek_v2") << v2
                                 << Expected{{"routing.scoring", "softmax|family default|"},
                                        {"routing.normalize", "false|family default|"},
                                        {"routing.scale", "2.5|config|routed_scaling_factor"},
                                        {"routing.groups", "4|config|n_group"},
                                        {"routing.groups_kept", "2|config|topk_group"},
                                        {"routing.group_score", "best|config|topk_method"},
                                        {"routing.correction_bias", "false|config|topk_method"},
                                        {"attention_factor", "1.5896262|config|rope_scaling.mscale_all_dim"},
                                        {"yarn.rotation_scale", "0.9394356|config|rope_scaling.mscale"},
                                        {"dense_layers", "1|config|first_k_dense_replace"}};
    QTest::newRow("deepseek_v2, greedy") << QByteArray(v2).replace("group_limited_greedy",
        "greedy") << Expected{{"routing.groups", "none"}, {"routing.correction_bias", "false|config|topk_method"}};
    QTest::newRow("deepseek_v3") << v3
                                 << Expected{{"routing.scoring", "sigmoid|family default|"},
                                        {"routing.normalize", "true|config|norm_topk_prob"},
                                        {"routing.weight_sum_floor", "6.1035156e-05|family default|"},
                                        {"routing.group_score", "two_best|family default|"},
                                        {"routing.correction_bias", "true|family default|"}};
    QTest::newRow("GGUF") << gguf
                          << Expected{{"routing.scoring", "sigmoid|config|deepseek2.expert_gating_func"},
                                 {"routing.normalize", "false|family default|"},
                                 {"routing.groups", "4|config|deepseek2.expert_group_count"},
                                 {"routing.group_score", "two_best|family default|"},
                                 {"routing.correction_bias", "true|tensors|"},
                                 {"attention_factor", "1.5896262|config|deepseek2.rope.scaling.yarn_log_multiplier"},
                                 {"yarn.rotation_scale", "1|config|deepseek2.rope.scaling.yarn_log_multiplier"},
                                 {"rope_pairs", "neighbours|family default|"}};
    QTest::newRow("values shorter than keys") << narrowValues
                                              << Expected{{"head_dim", "32|config|qwen3moe.attention.key_length"},
                                                     {"value_head_dim", "24|config|qwen3moe.attention.value_length"}};
    QTest::newRow("gpt_oss") << gptOss
                             << Expected{{"routing.order", "select_then_score|family default|"},
                                    {"activation", "clamped_swiglu|family default|"},
                                    {"sliding_window", "6|config|sliding_window"},
                                    {"window_period", "2|family default|"},
                                    {"yarn.rotation_scale", "1.3465736|family default|"},
                                    {"yarn.factor", "32|config|rope_scaling.factor"}};
}

void TestRules::origins()
{
    QFETCH(QByteArray, config);
    const auto read = readText(config);
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    using Expected = QList<QPair<const char*, QString>>;
    QFETCH(Expected, expected);
    for (const auto& [rule, text] : expected)
        QCOMPARE(origin(*read, rule), text);
}

/// DeepSeek scales products of queries and keys, gpt-oss cosines and sines; GGUF states a tenth of the multiplier.
void TestRules::yarn()
{
    const auto folder = readText(v2);
    const auto file = readText(gguf);
    const auto oss = readText(gptOss);
    QVERIFY(folder && file && oss);
    const double all = 0.0707 * std::log(40.0) + 1;
    QVERIFY(std::abs(folder->attentionFactor - all * all) < 1e-6);
    QVERIFY(std::abs(file->attentionFactor - all * all) < 1e-6);
    QVERIFY(std::abs(folder->yarn.rotationScale - (0.05 * std::log(40.0) + 1) / all) < 1e-9);
    QCOMPARE(file->yarn.rotationScale, 1.0);
    QCOMPARE(oss->attentionFactor, 1.f);
    QVERIFY(std::abs(oss->yarn.rotationScale - (0.1 * std::log(32.0) + 1)) < 1e-9);
    QVERIFY(folder->yarn.truncate && file->yarn.truncate && !oss->yarn.truncate);
    QCOMPARE(folder->headDim, 32u);
    QCOMPARE(file->headDim, 32u);
    QCOMPARE(folder->sharedFfnSize, 64u);
    QCOMPARE(file->sharedFfnSize, 64u);
    QCOMPARE(cachedKeyDim(*file), 40u);
}

/// What a source may say beside that.
void TestRules::scalesOfYarn()
{
    const auto scale = [](QByteArray config, const char* from, const char* to) {
        const auto read = readText(config.replace(from, to));
        if (!read)
            qWarning("%s", read.error().message().c_str());
        return read ? read->yarn.rotationScale : 0;
    };
    const double usual = 0.1 * std::log(32.0) + 1;
    const char* const factor = "\"factor\":32";
    QVERIFY(std::abs(scale(gptOss, factor, "\"factor\":32,\"attention_factor\":1.5") - 1.5) < 1e-9);
    QVERIFY(std::abs(scale(gptOss, factor, "\"factor\":32,\"attention_factor\":null") - usual) < 1e-9);
    QVERIFY(std::abs(scale(gptOss, factor, "\"factor\":32,\"mscale\":1") - usual) < 1e-9);
    QVERIFY(std::abs(scale(gptOss, factor, "\"factor\":32,\"mscale\":1.0,\"mscale_all_dim\":0.0") - usual) < 1e-9);
    QVERIFY(std::abs(scale(gptOss, factor, "\"factor\":32,\"mscale\":2.0,\"mscale_all_dim\":0.5")
                - (0.2 * std::log(32.0) + 1) / (0.05 * std::log(32.0) + 1))
        < 1e-9);
    const char* const type = "\"deepseek2.rope.scaling.type\"";
    QCOMPARE(scale(gguf, type, "\"deepseek2.rope.scaling.attn_factor\":1.25,\"deepseek2.rope.scaling.type\""), 1.25);
    QCOMPARE(scale(gguf, type, "\"deepseek2.rope.scaling.yarn_ext_factor\":-1.0,\"deepseek2.rope.scaling.type\""), 1.0);
    QCOMPARE(scale(gguf, type, "\"deepseek2.rope.scaling.yarn_ext_factor\":1.0,\"deepseek2.rope.scaling.type\""), 1.0);
}

void TestRules::membersThatNothingReads()
{
    const auto unused = [](QByteArray config) {
        const auto read = readText(config);
        return read ? read->unusedKeys : std::vector<std::string>{read.error().message()};
    };
    QCOMPARE(unused(gptOss), std::vector<std::string>{});
    QCOMPARE(unused(QByteArray(gptOss).replace("\"factor\":32", "\"factor\":32,\"long_factor\":[1],\"none\":null")),
        std::vector<std::string>{"rope_scaling.long_factor"});
    QCOMPARE(unused(QByteArray(gptOss).replace("\"vocab_size\"", "\"other\":{\"x\":1},\"vocab_size\"")),
        std::vector<std::string>{"other"});
}

/// What a tensor says is not denied because nobody knows whether it is there.
void TestRules::rulesOfPartsThatAreMissing()
{
    constexpr const char* rule = "routing.correction_bias";
    for (const bool allNamed : {true, false}) {
        const auto with = readText(gguf, allNamed);
        const auto without = readText(gguf, allNamed, false);
        QVERIFY(with && without);
        QCOMPARE(origin(*with, rule), "true|tensors|");
        QCOMPARE(origin(*without, rule), allNamed ? "false|tensors|" : "none");
        QCOMPARE(without->tiedEmbeddings, allNamed);
    }
}

void TestRules::window()
{
    const auto config = readText(gptOss);
    QVERIFY(config);
    QVERIFY(isWindowed(*config, 0) && !isWindowed(*config, 1) && isWindowed(*config, 2));
    const auto dense = readText(v3);
    QVERIFY(dense);
    QCOMPARE(moeLayers(*dense), 2u);
    QCOMPARE(layerOfMoe(*dense, 0), 1u);
    QVERIFY(!isWindowed(*dense, 0));
}

void TestRules::canonicalConfigKeepsRules_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::newRow("deepseek_v2") << v2;
    QTest::newRow("deepseek_v3") << v3;
    QTest::newRow("GGUF") << gguf;
    QTest::newRow("gpt_oss") << gptOss;
    QTest::newRow("values shorter than keys") << narrowValues;
}

void TestRules::canonicalConfigKeepsRules()
{
    QFETCH(QByteArray, config);
    const auto first = readText(config);
    QVERIFY2(first, first ? "" : first.error().message().c_str());
    const std::string text = canonicalConfig(*first);
    const auto second = readText(QByteArray::fromStdString(text));
    QVERIFY2(second, second ? "" : second.error().message().c_str());
    QCOMPARE(canonicalConfig(*second), text);
    QCOMPARE(second->headDim, first->headDim);
    QCOMPARE(second->valueDim, first->valueDim);
    QCOMPARE(second->attentionFactor, first->attentionFactor);
    QCOMPARE(second->yarn.rotationScale, first->yarn.rotationScale);
    QCOMPARE(second->activationLimit, first->activationLimit);
    QCOMPARE(second->ropePairs, first->ropePairs);
    QCOMPARE(second->routing.weightSumFloor, first->routing.weightSumFloor);
    QCOMPARE(second->routing.groupsKept, first->routing.groupsKept);
    QCOMPARE(second->routing.groupScore, first->routing.groupScore);
    QCOMPARE(second->routing.correctionBias, first->routing.correctionBias);
    QCOMPARE(second->windowPeriod, first->windowPeriod);
}

void TestRules::refusals_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<int>("code");
    QTest::addColumn<QList<QByteArray>>("parts");
    const auto row = [](const char* name, QByteArray config, const char* from, const char* to, Errc code,
                         QList<QByteArray> parts) {
        if (!config.contains(from))
            qFatal("the configuration has no %s", from);
        QTest::newRow(name) << config.replace(from, to) << int(code) << (QList<QByteArray>{"config.json"} + parts);
    };
    row("groups that do not divide", v3, "\"n_group\":4", "\"n_group\":3", Errc::OutOfRange, {"groups is 3", "16"});
    row("no group kept", v3, "\"topk_group\":2", "\"topk_group\":0", Errc::OutOfRange, {"groups_kept is 0", "1 to 4"});
    row("more kept than there are", v3, "\"topk_group\":2", "\"topk_group\":5", Errc::OutOfRange, {"groups_kept is 5"});
    row("too few left", v3, "\"n_group\":4,\"topk_group\":2", "\"n_group\":8,\"topk_group\":1", Errc::OutOfRange,
        {"2 experts to choose 4"});
    row("groups without end", v3, "\"n_group\":4", "\"n_group\":1000", Errc::OutOfRange, {"n_group is 1000", "256"});
    row("method", v2, "group_limited_greedy", "by_lot", Errc::Unsupported, {"topk_method is by_lot"});
    row("scoring", v2, "\"topk_method\"", "\"scoring_func\":\"tanh\",\"topk_method\"", Errc::Unsupported,
        {"scoring_func is tanh", "softmax or sigmoid"});
    row("gating of GGUF", gguf, "gating_func\":2", "gating_func\":9", Errc::OutOfRange,
        {"deepseek2.expert_gating_func is 9", "offset"});
    row("all dense", v3, "\"first_k_dense_replace\":1", "\"first_k_dense_replace\":3", Errc::OutOfRange,
        {"dense_layers is 3", "num_layers 3"});
    row("odd rotation", v3, "\"qk_rope_head_dim\":8", "\"qk_rope_head_dim\":7", Errc::OutOfRange, {"rope_dim is 7"});
    row("missing rank", v3, "\"kv_lora_rank\":32,", "", Errc::Malformed, {"kv_lora_rank", "deepseek2"});
    row("missing in GGUF", gguf, "\"deepseek2.block_count\":3,", "", Errc::Malformed, {"block_count"});
    row("dense width", v3, "\"intermediate_size\":96,", "", Errc::Malformed, {"intermediate_size is missing"});
    row("scaling", gptOss, "\"rope_type\":\"yarn\"", "\"rope_type\":\"linear\"", Errc::Unsupported,
        {"rope_type is linear", "yarn"});
    row("no factor", gptOss, "\"factor\":32,", "", Errc::Malformed, {"factor"});
    row("factor", gptOss, "\"factor\":32", "\"factor\":0.5", Errc::OutOfRange, {"rope_scaling.factor is 0.5"});
    row("other windows", gptOss, "\"full_attention\"", "\"sliding_attention\"", Errc::Unsupported,
        {"layer_types[1] is sliding_attention"});
    row("limit", gptOss, "\"sliding_window\":6", "\"sliding_window\":6,\"swiglu_limit\":-7.0", Errc::OutOfRange,
        {"swiglu_limit is -7"});
    row("half of the multipliers", v3, ",\"mscale_all_dim\":0.707", "", Errc::Unsupported,
        {"mscale is 0.5", "mscale_all_dim is missing"});
    row("the other half", v3, "\"mscale\":0.5,", "", Errc::Unsupported, {"mscale is missing"});
    row("no multiplier", v3, "\"mscale\":0.5", "\"mscale\":0", Errc::Unsupported, {"mscale is 0", "above 0"});
    row("no attention factor", gptOss, "\"factor\":32", "\"factor\":32,\"attention_factor\":0", Errc::OutOfRange,
        {"rope_scaling.attention_factor is 0"});
    row("extrapolation", gguf, "\"deepseek2.rope.scaling.factor\"",
        "\"deepseek2.rope.scaling.yarn_ext_factor\":0.5,\"deepseek2.rope.scaling.factor\"", Errc::Unsupported,
        {"deepseek2.rope.scaling.yarn_ext_factor is 0.5", "only 1"});
    row("attention of YaRN", gguf, "\"deepseek2.rope.scaling.factor\"",
        "\"deepseek2.rope.scaling.yarn_attn_factor\":2,\"deepseek2.rope.scaling.factor\"", Errc::Unsupported,
        {"deepseek2.rope.scaling.yarn_attn_factor is 2", "only 1"});
    row("attention without YaRN", gguf, "\"yarn\"", "\"none\",\"deepseek2.rope.scaling.attn_factor\":1.19",
        Errc::Unsupported, {"deepseek2.rope.scaling.attn_factor is 1.19", "only 1"});
    row("factor without a kind", gguf, "\"deepseek2.rope.scaling.type\":\"yarn\",", "", Errc::Unsupported,
        {"deepseek2.rope.scaling.factor is 40", "only yarn"});
    row("old factor", gguf, "\"deepseek2.rope.scaling.type\":\"yarn\",\"deepseek2.rope.scaling.factor\":40.0",
        "\"deepseek2.rope.scale_linear\":4.0", Errc::Unsupported, {"deepseek2.rope.scale_linear is 4"});
    row("logits for fewer ids", gptOss, "\"hidden_size\"", "\"output_size\":1,\"hidden_size\"", Errc::Mismatch,
        {"offset 56", "output_size is 1", "vocab_size 320"});
    row("logits for more ids", gptOss, "\"hidden_size\"", "\"output_size\":321,\"hidden_size\"", Errc::Mismatch,
        {"offset 58", "output_size is 321", "vocab_size 320"});
    row("layers in turn", v3, "\"n_group\"", "\"moe_layer_freq\":2,\"n_group\"", Errc::Unsupported,
        {"moe_layer_freq is 2"});
}

void TestRules::refusals()
{
    QFETCH(QByteArray, config);
    QFETCH(int, code);
    QFETCH(QList<QByteArray>, parts);
    QCOMPARE(complaint(readText(config), static_cast<Errc>(code), parts), QString());
}

QTEST_GUILESS_MAIN(TestRules)
#include "tst_rules.moc"
