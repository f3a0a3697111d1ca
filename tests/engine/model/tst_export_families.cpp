// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sessiontools.h"

#include "api/export.h"
#include "model/config_writer.h"
#include "support/ggufbytes.h"
#include "support/golden.h"
#include "support/goldenfolder.h"
#include "support/safetensorsfile.h"

#include <QDir>
#include <QDirIterator>
#include <QJsonArray>
#include <QTest>

#include <cmath>

using namespace colibri;
using namespace colibri::test;

namespace {

constexpr const char* plainCases[]{"mixtral-f32", "qwen2moe-f32", "qwen3moe-f32", "olmoe-f32", "deepseek2-lite-f32",
    "deepseek2-lite-kvb-f32", "deepseek2-v3-f32", "gpt-oss-f32"};
constexpr const char* storedCases[]{"qwen3moe-f16", "qwen3moe-bf16", "qwen3moe-q8_0", "qwen3moe-q4_0",
    "qwen3moe-q4_0-split", "qwen3moe-q4_1", "qwen3moe-q5_0", "qwen3moe-q5_1", "qwen3moe-iq4_nl", "qwen3moe-mxfp4",
    "qwen3moe-q2_k", "qwen3moe-q3_k", "qwen3moe-q4_k", "qwen3moe-q4_k_m", "qwen3moe-q6_k", "qwen3moe-iq4_xs",
    "deepseek2-v3-q8_0", "gpt-oss-mxfp4"};

std::vector<TokenId> ids(const QJsonValue& array)
{
    std::vector<TokenId> tokens;
    for (const QJsonValue value : array.toArray())
        tokens.push_back(static_cast<TokenId>(value.toInt()));
    return tokens;
}

ModelPtr opened(const QString& path)
{
    auto model = openModel(path.toStdString());
    if (!model)
        qWarning("%s", model.error().message().c_str());
    return model ? *model : ModelPtr();
}

/// A GGUF file, or of a split its first one.
QString modelFile(const GoldenCase& golden)
{
    return golden.folder() + "/" + QDir(golden.folder()).entryList({"*.gguf"}, QDir::Files, QDir::Name).value(0);
}

EngineOptions with(Activations activations)
{
    EngineOptions options;
    options.activations = activations;
    return options;
}

/// Bytes and number of the files below a folder whose names begin so.
struct Files {
    std::uint64_t bytes = 0;
    std::uint32_t count = 0;
};
Files filesIn(const QString& folder, const QString& start = {})
{
    Files files;
    for (QDirIterator each(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories); each.hasNext();) {
        each.next();
        if (!QDir(folder).relativeFilePath(each.filePath()).startsWith(start))
            continue;
        files.bytes += std::uint64_t(each.fileInfo().size());
        ++files.count;
    }
    return files;
}

/// What is wrong with the sizes that were told before the writing; empty: nothing.
QString wrongSizes(const ExportSize& planned, const ExportReport& report, const Model& exported, const QString& out)
{
    const Files all = filesIn(out);
    std::uint64_t shares = 0;
    for (const TypeShare& share : planned.types)
        shares += share.bytes;
    std::uint64_t tensors = 0;
    for (const TensorInfo& tensor : exported.tensors())
        tensors += tensor.size;
    const std::tuple<const char*, std::uint64_t, std::uint64_t> pairs[]{
        {"dense.bin", planned.denseBytes, filesIn(out, "dense.bin").bytes},
        {"experts", planned.expertBytes, filesIn(out, "experts/").bytes}, {"all", planned.totalBytes, all.bytes},
        {"report", report.bytesWritten, all.bytes}, {"files", planned.files, all.count},
        {"weights", planned.weights, exported.parameters()}, {"types", shares, tensors}};
    for (const auto& [what, told, found] : pairs)
        if (told != found)
            return QString("%1: told %2, is %3").arg(what).arg(told).arg(found);
    return {};
}

/// Whether an export of `source` to `out` is the same model; what differs, or empty.
QString exportDiffers(const QString& source, const QString& out, const std::vector<TokenId>& tokens)
{
    const ModelPtr model = opened(source);
    if (!model)
        return "the source does not open";
    const auto planned = plannedExport(*model, {});
    const auto report = exportModel(*model, out.toStdString(), {});
    if (!planned || !report)
        return QString::fromStdString((report ? planned.error() : report.error()).message());
    const ModelPtr exported = opened(out);
    if (!exported)
        return "the export does not open";
    if (const QString wrong = wrongSizes(*planned, *report, *exported, out); !wrong.isEmpty())
        return wrong;
    if (!exported->notes().empty())
        return QString::fromStdString(exported->notes().front());
    if (canonicalConfig(exported->config()) != canonicalConfig(model->config()))
        return "the configuration is " + QString::fromStdString(canonicalConfig(exported->config()));
    for (const Activations activations : {Activations::Q8, Activations::F32}) {
        const Evaluation here = evaluate(model, with(activations), tokens);
        if (!here.error.empty() || here.logits.empty())
            return "the source does not run: " + QString::fromStdString(here.error);
        if (!(evaluate(exported, with(activations), tokens) == here))
            return "the bits differ";
    }
    return {};
}

double nmse(std::span<const std::uint32_t> bits, std::span<const float> reference)
{
    double errors = 0;
    double squares = 0;
    for (std::size_t i = 0; i < bits.size() && i < reference.size(); ++i) {
        const double error = double(std::bit_cast<float>(bits[i])) - double(reference[i]);
        errors += error * error;
        squares += double(reference[i]) * double(reference[i]);
    }
    return bits.size() == reference.size() && squares > 0 ? errors / squares : INFINITY;
}

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

#define REQUIRE_CASE(golden)                                                                                           \
    if (!golden.exists())                                                                                              \
    QSKIP("COLIBRI_SHARED names no folder with golden data")

/// Exports of every family and type against their sources: the same bits when types are kept, the same numbers when
/// they are converted.
class TestExportFamilies : public QObject {
    Q_OBJECT

private slots:
    void kept_data();
    void kept();
    void folder_data();
    void folder();
    void sharedFolder();
    void tokenizer_data();
    void tokenizer();
    void blobCodes_data();
    void blobCodes();
    void converted_data();
    void converted();
    void otherTypes();
    void blocksApart();
    void scaled();

private:
    QTemporaryDir m_dir;
};

void TestExportFamilies::kept_data()
{
    QTest::addColumn<QString>("name");
    for (const char* const name : plainCases)
        QTest::newRow(name) << QString(name);
    for (const char* const name : storedCases)
        QTest::newRow(name) << QString(name);
}

void TestExportFamilies::kept()
{
    QFETCH(const QString, name);
    const GoldenCase golden(name);
    REQUIRE_CASE(golden);
    QCOMPARE(exportDiffers(modelFile(golden), m_dir.filePath("kept-" + name), ids(golden.golden()["tokens"])), "");
}

void TestExportFamilies::folder_data()
{
    QTest::addColumn<QString>("name");
    for (const char* const name : plainCases)
        QTest::newRow(name) << QString(name);
}

void TestExportFamilies::folder()
{
    QFETCH(const QString, name);
    const GoldenCase golden(name);
    REQUIRE_CASE(golden);
    const QTemporaryDir source;
    QCOMPARE(writeHuggingFaceFolder(golden, source.path()), QString());
    QCOMPARE(exportDiffers(source.path(), m_dir.filePath("folder-" + name), ids(golden.golden()["tokens"])), "");
}

void TestExportFamilies::sharedFolder()
{
    const QString source = qEnvironmentVariable("COLIBRI_SHARED") + "/golden-hf/qwen3moe-f32";
    if (!QDir(source).exists())
        QSKIP("COLIBRI_SHARED names no folder with golden data");
    QCOMPARE(exportDiffers(source, m_dir.filePath("shared"), someTokens(30, 320)), "");
    const ModelPtr before = opened(source);
    const ModelPtr after = opened(m_dir.filePath("shared"));
    const std::string text = "  Hello, wörld! 12345 \n\n def f(x):";
    const auto expected = before->tokenize(text);
    const auto found = after->tokenize(text);
    QVERIFY(expected && found && !expected->empty());
    QCOMPARE(*found, *expected);
}

/// The texts of the golden data, encoded and decoded.
void TestExportFamilies::tokenizer()
{
    QFETCH(const QString, name);
    const GoldenCase golden(name);
    REQUIRE_CASE(golden);
    const QString out = m_dir.filePath("tokenizer-" + name);
    const ModelPtr source = opened(modelFile(golden));
    QVERIFY(source && exportModel(*source, out.toStdString(), {}));
    const ModelPtr exported = opened(out);
    QVERIFY(exported && exported->hasTokenizer());
    const QJsonArray texts = golden.golden()["tokenize"].toArray();
    QVERIFY(!texts.isEmpty());
    for (const QJsonValue entry : texts) {
        const std::string text = entry["text"].toString().toStdString();
        const auto expected = source->tokenize(text);
        const auto found = exported->tokenize(text);
        QVERIFY(expected && found);
        QCOMPARE(*found, *expected);
        QCOMPARE(exported->detokenize(*found), source->detokenize(*expected));
    }
}

void TestExportFamilies::tokenizer_data()
{
    folder_data();
}

void TestExportFamilies::blobCodes_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("code");
    QTest::newRow("f16") << "qwen3moe-f16" << 1;
    QTest::newRow("bf16") << "qwen3moe-bf16" << 3;
    QTest::newRow("q4_0") << "qwen3moe-q4_0" << 16 + 2;
    QTest::newRow("q8_0") << "qwen3moe-q8_0" << 16 + 8;
    QTest::newRow("q6_k") << "qwen3moe-q6_k" << 16 + 14;
    QTest::newRow("iq4_xs") << "qwen3moe-iq4_xs" << 16 + 23;
    QTest::newRow("mxfp4") << "gpt-oss-mxfp4" << 16 + 39;
}

/// The header's code is 16 and ggml's number of the type; the bytes behind it are those of the GGUF file.
void TestExportFamilies::blobCodes()
{
    QFETCH(const QString, name);
    QFETCH(const int, code);
    const GoldenCase golden(name);
    REQUIRE_CASE(golden);
    const QString out = m_dir.filePath("code-" + name);
    const ModelPtr source = opened(modelFile(golden));
    QVERIFY(source && exportModel(*source, out.toStdString(), {}));
    QFile blob(out + "/experts/L01_E02.bin");
    QVERIFY(blob.open(QIODevice::ReadOnly));
    const QByteArray bytes = blob.readAll();
    QCOMPARE(int(static_cast<unsigned char>(bytes[10])), code);
    QCOMPARE(int(static_cast<unsigned char>(bytes[11])), 0);
    const auto stacked =
        std::ranges::find(source->tensors(), std::string("blk.1.ffn_gate_exps.weight"), &TensorInfo::name);
    QVERIFY(stacked != source->tensors().end());
    const auto size = qsizetype(stacked->size / stacked->shape.front());
    QFile file(modelFile(golden));
    QVERIFY(file.open(QIODevice::ReadOnly) && file.seek(qint64(stacked->offset) + 2 * size));
    QVERIFY(bytes.mid(64, size) == file.read(size));
}

void TestExportFamilies::converted_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("dtype");
    QTest::addColumn<double>("limit"); // of NMSE against a forward in float64 over the weights of the source
    constexpr std::pair<const char*, double> types[]{{"f32", 1e-9}, {"f16", 1e-4}, {"bf16", 1e-3}, {"int8", 1e-2}};
    for (const char* const name : storedCases)
        for (const auto& [dtype, limit] : types)
            QTest::addRow("%s to %s", name, dtype) << QString(name) << QString(dtype) << limit;
}

void TestExportFamilies::converted()
{
    QFETCH(const QString, name);
    QFETCH(const QString, dtype);
    QFETCH(const double, limit);
    const GoldenCase golden(name);
    REQUIRE_CASE(golden);
    const QString out = m_dir.filePath(name + "-as-" + dtype);
    const ModelPtr source = opened(modelFile(golden));
    QVERIFY(source);
    const ExportOptions options{dtypeNamed(dtype.toStdString())};
    const auto planned = plannedExport(*source, options);
    const auto report = exportModel(*source, out.toStdString(), options);
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    const ModelPtr exported = opened(out);
    QVERIFY(planned && exported);
    QCOMPARE(wrongSizes(*planned, *report, *exported, out), "");
    for (const TensorInfo& tensor : exported->tensors())
        QVERIFY2(tensor.shape.size() < 2 || tensor.dtype == *options.dtype || tensor.dtype == DType::F32,
            tensor.name.c_str());
    const Evaluation result = evaluate(exported, with(Activations::F32), ids(golden.golden()["tokens"]));
    const double distance = nmse(result.logits, golden.floats("numpy_logits"));
    qInfo("NMSE %.2g", distance);
    QVERIFY2(distance <= limit, result.error.c_str());
}

/// Types that version 1 does not have become the smallest of its own that holds them, or f32, and are named.
void TestExportFamilies::otherTypes()
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
void TestExportFamilies::blocksApart()
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
void TestExportFamilies::scaled()
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

QTEST_GUILESS_MAIN(TestExportFamilies)
#include "tst_export_families.moc"
