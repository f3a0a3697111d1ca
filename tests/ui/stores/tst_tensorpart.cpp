// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/tensorpart.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

using namespace colibri;

namespace {

TensorPart part(PartKind kind, int layer = -1, int expert = -1)
{
    return {kind, layer, expert, 0};
}

/// The order of naturalLess, written another way: names cut into pieces, numbers padded to one length.
std::string padded(const std::string& name)
{
    std::string out;
    for (std::size_t at = 0; at < name.size();) {
        std::size_t end = at;
        while (end < name.size() && name[end] >= '0' && name[end] <= '9')
            ++end;
        if (end == at) {
            out += name[at++];
            continue;
        }
        const std::string digits = name.substr(at, end - at);
        out += std::string(60 - digits.size(), '0') + digits;
        at = end;
    }
    return out;
}

} // namespace

class TestTensorPart : public QObject {
    Q_OBJECT

private slots:
    void names_data();
    void names();
    void hostileNames();
    void naturalOrder();
    void ranks();
    void sums();
};

void TestTensorPart::names_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("layer");
    QTest::addColumn<int>("expert");
    const auto row = [](const char* name, PartKind kind, int layer = -1, int expert = -1) {
        QTest::newRow(name) << QByteArray(name) << int(kind) << layer << expert;
    };
    row("model.embed_tokens.weight", PartKind::Embedding);
    row("lm_head.weight", PartKind::Head);
    row("model.norm.weight", PartKind::Norm);
    row("model.layers.0.self_attn.q_proj.weight", PartKind::Attention, 0);
    row("model.layers.47.self_attn.o_proj.bias", PartKind::Attention, 47);
    row("model.layers.3.self_attn.q_norm.weight", PartKind::Norm, 3);
    row("model.layers.3.self_attn.k_norm.weight", PartKind::Norm, 3);
    row("model.layers.3.input_layernorm.weight", PartKind::Norm, 3);
    row("model.layers.3.post_attention_layernorm.weight", PartKind::Norm, 3);
    row("model.layers.12.mlp.gate.weight", PartKind::Router, 12);
    row("model.layers.12.mlp.gate.e_score_correction_bias", PartKind::Router, 12);
    row("model.layers.3.mlp.experts.7.gate_proj.weight", PartKind::Expert, 3, 7);
    row("model.layers.0.mlp.experts.127.weight", PartKind::Expert, 0, 127);
    row("model.layers.0.mlp.experts.5.bias", PartKind::Expert, 0, 5);
    row("model.layers.2.block_sparse_moe.gate.weight", PartKind::Router, 2);
    row("model.layers.2.block_sparse_moe.experts.1.w1.weight", PartKind::Expert, 2, 1);
    row("model.layers.2.mlp.shared_expert.up_proj.weight", PartKind::Shared, 2);
    row("model.layers.2.mlp.shared_experts.up_proj.weight", PartKind::Shared, 2);
    row("model.layers.2.mlp.shared_expert_gate.weight", PartKind::Shared, 2);
    row("model.layers.0.mlp.down_proj.weight", PartKind::Dense, 0);
    row("model.layers.65534.mlp.experts.65534.x", PartKind::Expert, 65534, 65534);
    row("model.layers.9.rotary.inv_freq", PartKind::Other, 9);
    row("vision.patch.weight", PartKind::Other);
    row("model.layers.1.mlp.experts.gate_up_proj", PartKind::Expert, 1);
    row("model.layers.1.mlp.experts.down_proj_blocks", PartKind::Expert, 1);
    row("model.layers.1.mlp.router.weight", PartKind::Router, 1);
    row("model.layers.0.self_attn.kv_a_layernorm.weight", PartKind::Norm, 0);
    row("token_embd.weight", PartKind::Embedding);
    row("output.weight", PartKind::Head);
    row("output_norm.weight", PartKind::Norm);
    row("blk.0.attn_q.weight", PartKind::Attention, 0);
    row("blk.0.attn_sinks.weight", PartKind::Attention, 0);
    row("blk.0.attn_kv_a_norm.weight", PartKind::Norm, 0);
    row("blk.2.ffn_norm.weight", PartKind::Norm, 2);
    row("blk.2.ffn_gate_inp.weight", PartKind::Router, 2);
    row("blk.2.ffn_gate_inp_shexp.weight", PartKind::Shared, 2);
    row("blk.2.exp_probs_b.bias", PartKind::Router, 2);
    row("blk.2.ffn_down_exps.weight", PartKind::Expert, 2);
    row("blk.2.ffn_down.5.weight", PartKind::Expert, 2, 5);
    row("blk.0.ffn_down.weight", PartKind::Dense, 0);
    row("blk.2.ffn_up_shexp.weight", PartKind::Shared, 2);
    row("blk.2.something.weight", PartKind::Other, 2);
}

void TestTensorPart::names()
{
    QFETCH(QByteArray, name);
    QFETCH(int, kind);
    QFETCH(int, layer);
    QFETCH(int, expert);
    const TensorPart found = partNamed(name.toStdString());
    QCOMPARE(int(found.kind), kind);
    QCOMPARE(found.layer, layer);
    QCOMPARE(found.expert, expert);
}

void TestTensorPart::hostileNames()
{
    const auto other = part(PartKind::Other);
    for (const char* name : {"", ".", "model", "model.", "model.layers", "model.layers.", "model.layers.3",
             "model.layers.3.", "model.layers.-1.mlp.gate.weight", "model.layers.+1.mlp.gate.weight",
             "model.layers.03.mlp.gate.weight", "model.layers. 3.mlp.gate.weight", "model.layers.65535.mlp.gate.weight",
             "model.layers.99999999999999999999.mlp.gate.weight", "model.layers.3x.mlp.gate.weight",
             "model.embed_tokens.", "model.embed_tokens", "lm_head", "MODEL.NORM.WEIGHT",
             "model.layers.{layer}.mlp.gate.weight", "*", "{layer}"})
        QCOMPARE(partNamed(name), other);
    // A layer can be said although the rest makes no sense.
    for (const char* name : {"model.layers.3.mlp.experts.weight", "model.layers.3.mlp.experts.65535.weight",
             "model.layers.3.mlp.experts.007.weight", "model.layers.3.mlp.experts.7.", "model.layers.3.mlp.gate"})
        QCOMPARE(partNamed(name), part(PartKind::Other, 3));
    QCOMPARE(partNamed(std::string("model.norm.\0w", 13)), part(PartKind::Norm));
    QCOMPARE(partNamed(std::string(1 << 20, '1')), other);
    std::mt19937 random(3);
    const std::string base = "model.layers.3.mlp.experts.7.gate_proj.weight";
    for (int i = 0; i < 20000; ++i) { // what comes is consistent, whatever the bytes
        std::string name = base.substr(0, random() % (base.size() + 1));
        for (int change = int(random() % 3); change > 0 && !name.empty(); --change)
            name[random() % name.size()] = static_cast<char>(random() % 256);
        const TensorPart found = partNamed(name);
        QVERIFY(found.expert < 0 || found.kind == PartKind::Expert);
        QVERIFY(found.kind != PartKind::Expert || found.layer >= 0);
    }
}

void TestTensorPart::naturalOrder()
{
    QVERIFY(naturalLess("layers.2.x", "layers.10.x"));
    QVERIFY(!naturalLess("layers.10.x", "layers.2.x"));
    QVERIFY(naturalLess("a", "a0"));
    QVERIFY(naturalLess("", "0"));
    QVERIFY(!naturalLess("a7", "a7"));
    QVERIFY(naturalLess("a07", "a7")); // only the bytes differ
    QVERIFY(naturalLess("a07b", "a7c"));
    QVERIFY(naturalLess("a\x7f", "a\x80"));
    QVERIFY(naturalLess("9", "123456789012345678901234567890"));
    std::mt19937 random(5);
    const auto draw = [&] {
        std::string name(random() % 7, ' ');
        for (char& c : name)
            c = "01289a/:.\xe9"[random() % 10];
        return name;
    };
    for (int i = 0; i < 50000; ++i) {
        const std::string a = draw();
        const std::string b = draw();
        const auto order = std::pair(padded(a), a) <=> std::pair(padded(b), b);
        QCOMPARE(naturalLess(a, b), order < 0);
    }
}

void TestTensorPart::ranks()
{
    std::vector<TensorInfo> tensors(300);
    std::mt19937 random(1);
    for (TensorInfo& tensor : tensors)
        tensor.name = "model.layers." + std::to_string(random() % 100) + ".mlp.gate.weight";
    const std::vector<TensorPart> parts = partsOf(tensors);
    QCOMPARE(parts.size(), tensors.size());
    std::vector<std::uint32_t> ranks;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        ranks.push_back(parts[i].nameRank);
        for (std::size_t j = 0; j < i; ++j) { // layers as numbers; equal names keep their order
            const bool before = parts[j].layer <= parts[i].layer;
            QCOMPARE(parts[j].nameRank < parts[i].nameRank, before);
        }
    }
    std::ranges::sort(ranks);
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank)
        QCOMPARE(ranks[rank], rank);
    QVERIFY(partsOf({}).empty());
}

void TestTensorPart::sums()
{
    std::vector<TensorInfo> tensors(4);
    tensors[0] = {"model.layers.0.mlp.experts.0.weight", 0, 0, 100, DType::F32, Layout::RowMajor, {5, 5}, {}};
    tensors[1] = {"model.layers.0.mlp.experts.1.weight", 0, 0, 7, DType::F32, Layout::RowMajor, {}, {}};
    tensors[2] = {"lm_head.weight", 0, 0, 12, DType::F32, Layout::RowMajor, {0, 3}, {}};
    tensors[3] = {"x", 0, 0, 1, DType::F32, Layout::RowMajor, {1ULL << 40, 1ULL << 40}, {}};
    const auto sums = sumsByKind(tensors, partsOf(tensors));
    QCOMPARE(sums[std::size_t(PartKind::Expert)], (PartSum{2, 26, 107}));
    QCOMPARE(sums[std::size_t(PartKind::Head)], (PartSum{1, 0, 12}));
    QCOMPARE(sums[std::size_t(PartKind::Other)], (PartSum{1, ~0ULL, 1}));
    QCOMPARE(sums[std::size_t(PartKind::Router)], PartSum{});
}

QTEST_APPLESS_MAIN(TestTensorPart)
#include "tst_tensorpart.moc"
