// SPDX-License-Identifier: Apache-2.0
#include "exportdifference.h"

#include "support/ggufbytes.h"
#include "support/goldenfolder.h"
#include "support/safetensorsfile.h"

#include <QTest>

#include <tuple>

using namespace colibri;
using namespace colibri::test;

namespace {

/// `count` numbers of a type from 0 on, small ones of both signs.
template <class T>
QByteArray numbers(std::uint64_t count, double scale)
{
    QByteArray bytes;
    std::uint32_t state = 77;
    for (std::uint64_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        const auto value = static_cast<T>((int(state >> 20) - 2048) * scale);
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return bytes;
}

/// `count` bytes of any value but those around 0x7F and 0xFF, which are NaN or infinity in f8.
QByteArray f8Bytes(std::uint64_t count)
{
    QByteArray bytes = numbers<std::uint8_t>(count, 1);
    for (char& byte : bytes)
        byte = static_cast<char>(byte & 0xBF); // magnitudes below 2
    return bytes;
}

std::uint64_t elements(const StoredTensor& tensor)
{
    std::uint64_t count = 1;
    for (const std::uint64_t extent : tensor.shape)
        count *= extent;
    return count;
}

} // namespace

/// Exports of folders with types that version 1 of the format does not have, or not in this form.
class TestExportTypes : public QObject {
    Q_OBJECT

private slots:
    void otherTypes();
    void blocksApart();
    void scaled();

private:
    QTemporaryDir m_dir;
};

/// Types that version 1 does not have become the smallest of its own that holds them, or f32, and are named.
void TestExportTypes::otherTypes()
{
    const GoldenCase golden("qwen3moe-f32");
    REQUIRE_CASE(golden);
    const QTemporaryDir source;
    QCOMPARE(writeHuggingFaceFolder(golden, source.path()), QString());
    StoredTensors tensors = readSafetensors(source.filePath("model.safetensors"));
    const std::string layer = "model.layers.0.";
    const auto become = [&](const std::string& name, const char* dtype, auto bytes) {
        StoredTensor& tensor = tensors.at(layer + name);
        tensor.dtype = dtype;
        tensor.bytes = bytes(elements(tensor));
    };
    become("self_attn.q_proj.weight", "F64", [](auto n) { return numbers<double>(n, 1.0 / 30000); });
    become("self_attn.k_proj.weight", "F8_E4M3", f8Bytes);
    become("self_attn.v_proj.weight", "F8_E5M2", f8Bytes);
    become("self_attn.o_proj.weight", "I8", [](auto n) { return numbers<std::int8_t>(n, 1.0 / 17); });
    become("mlp.experts.1.gate_proj.weight", "I16", [](auto n) { return numbers<std::int16_t>(n, 1); });
    become("mlp.experts.1.up_proj.weight", "I32", [](auto n) { return numbers<std::int32_t>(n, 90001); });
    become("mlp.experts.1.down_proj.weight", "I64", [](auto n) { return numbers<std::int64_t>(n, 1e15); });
    QVERIFY(writeSafetensors(source.filePath("model.safetensors"), tensors));

    const QString out = m_dir.filePath("others");
    QCOMPARE(exportDiffers(source.path(), out, ids(golden.golden()["tokens"])), "");
    const ModelPtr model = opened(source.path());
    const auto planned = plannedExport(*model, {});
    QVERIFY(planned);
    const std::tuple<DType, DType, bool, std::string> expected[]{
        {DType::F64, DType::F32, false, layer + "self_attn.q_proj.weight"},
        {DType::F8_E4M3, DType::BF16, true, layer + "self_attn.k_proj.weight"},
        {DType::F8_E5M2, DType::BF16, true, layer + "self_attn.v_proj.weight"},
        {DType::I8, DType::BF16, true, layer + "self_attn.o_proj.weight"},
        {DType::I16, DType::F32, true, layer + "mlp.experts.1.gate_proj.weight"},
        {DType::I32, DType::F32, false, layer + "mlp.experts.1.up_proj.weight"},
        {DType::I64, DType::F32, false, layer + "mlp.experts.1.down_proj.weight"}};
    QCOMPARE(planned->changes.size(), std::size(expected));
    for (std::size_t i = 0; i < std::size(expected); ++i) {
        const TypeChange& change = planned->changes[i];
        QCOMPARE(change.tensors.size(), std::size_t{1});
        QVERIFY2(std::tuple(change.from, change.to, change.exact, change.tensors.front()) == expected[i],
            std::get<3>(expected[i]).c_str());
    }
    const auto converted = plannedExport(*model, {DType::F16});
    QVERIFY(converted && converted->changes.empty());
    QVERIFY(!exportModel(*model, m_dir.filePath("others-f16").toStdString(), {DType::F16})); // 1e15 is beyond it
    QVERIFY(exportModel(*model, m_dir.filePath("others-f32").toStdString(), {DType::F32}));
}

/// gpt-oss's folders: MXFP4 blocks with their scales in a tensor of their own, gate and up in turn.
void TestExportTypes::blocksApart()
{
    const GoldenCase golden("gpt-oss-f32");
    REQUIRE_CASE(golden);
    const QTemporaryDir source;
    QCOMPARE(writeHuggingFaceFolder(golden, source.path()), QString());
    StoredTensors tensors = readSafetensors(source.filePath("model.safetensors"));
    for (int layer = 0; layer < 3; ++layer)
        for (const char* const tail : {"gate_up_proj", "down_proj"}) {
            const std::string name = "model.layers." + std::to_string(layer) + ".mlp.experts." + tail;
            const auto whole = tensors.extract(name).mapped(); // [experts][in][out]
            const std::vector<std::uint64_t> groups{whole.shape[0], whole.shape[2], whole.shape[1] / 32};
            const std::uint64_t count = groups[0] * groups[1] * groups[2];
            QByteArray scales = numbers<std::uint8_t>(count, 1);
            for (char& scale : scales)
                scale = static_cast<char>(118 + (scale & 7)); // 2^-9 to 2^-2
            tensors[name + "_scales"] = {"U8", groups, scales};
            tensors[name + "_blocks"] = {
                "U8", {groups[0], groups[1], groups[2], 16}, numbers<std::uint8_t>(count * 16, 1)};
        }
    QVERIFY(writeSafetensors(source.filePath("model.safetensors"), tensors));
    const QString out = m_dir.filePath("apart");
    QCOMPARE(exportDiffers(source.path(), out, ids(golden.golden()["tokens"])), "");
    int blocks = 0;
    const ModelPtr exported = opened(out);
    for (const TensorInfo& tensor : exported->tensors())
        blocks += tensor.dtype == DType::MXFP4;
    QCOMPARE(blocks, 3 * 8 * 3);
}

/// F8 with scales: the numbers that the model computes with, as f32.
void TestExportTypes::scaled()
{
    const GoldenCase golden("qwen3moe-f32");
    REQUIRE_CASE(golden);
    const QTemporaryDir source;
    QCOMPARE(writeHuggingFaceFolder(golden, source.path()), QString());
    StoredTensors tensors = readSafetensors(source.filePath("model.safetensors"));
    const std::string whole = "model.layers.0.self_attn.k_proj.weight";
    const std::string rows = "model.layers.1.mlp.experts.3.down_proj.weight";
    const std::string plain = "model.layers.1.self_attn.k_proj.weight";
    for (const std::string& name : {whole, rows, plain})
        tensors.at(name) = {"F8_E4M3", tensors.at(name).shape, f8Bytes(elements(tensors.at(name)))};
    tensors[whole + "_scale_inv"] = {"F32", {1}, raw(0.0371f)};
    const std::uint64_t count = tensors.at(rows).shape.front();
    tensors[rows + "_scale"] = {"F32", {count, 1}, numbers<float>(count, 1.0 / 50000)};
    QVERIFY(writeSafetensors(source.filePath("model.safetensors"), tensors));

    const QString out = m_dir.filePath("scaled");
    QCOMPARE(exportDiffers(source.path(), out, ids(golden.golden()["tokens"])), "");
    const ModelPtr model = opened(source.path());
    const auto planned = plannedExport(*model, {});
    QVERIFY(planned && planned->changes.size() == 2);
    const TypeChange& change = planned->changes[planned->changes[0].to == DType::F32 ? 0 : 1];
    QVERIFY(change.from == DType::F8_E4M3 && change.to == DType::F32 && !change.exact);
    QVERIFY(change.tensors == (std::vector<std::string>{whole, rows}));
    const QString halves = m_dir.filePath("scaled-bf16");
    QVERIFY(exportModel(*model, halves.toStdString(), {DType::BF16}));
    const double distance = [&] {
        const auto tokens = ids(golden.golden()["tokens"]);
        const Evaluation here = evaluate(model, {}, tokens);
        std::vector<float> reference;
        for (const std::uint32_t bits : here.logits)
            reference.push_back(std::bit_cast<float>(bits));
        return nmse(evaluate(opened(halves), {}, tokens).logits, reference);
    }();
    QVERIFY2(distance < 1e-3, qPrintable(QString::number(distance)));
}

QTEST_GUILESS_MAIN(TestExportTypes)
#include "tst_export_types.moc"
