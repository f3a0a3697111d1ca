// SPDX-License-Identifier: Apache-2.0
#include "openedfolder.h"

#include "api/export.h"
#include "support/errorcheck.h"

#include <QJsonArray>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace colibri;
using namespace colibri::test;

/// Folders of 8-bit floats with scales. The numbers are those of a folder of the scaled weights, to the bit.
class TestScaled : public QObject {
    Q_OBJECT

private slots:
    void scaled_data();
    void scaled();
    void sameBits_data();
    void sameBits();
    void partsOfScales();
    void compressedTensors();
    void listed();
    void inTurn();
    void refusals_data();
    void refusals();
};

namespace {

bool isProjection(const std::string& name)
{
    return name.find("_proj") != std::string::npos || name.find(".experts.") != std::string::npos;
}
bool isMatrix(const std::string&)
{
    return true;
}

void setBlocks(WeightFolder& folder, int rows, int cols)
{
    folder.config["quantization_config"] = QJsonObject{
        {"quant_method", "fp8"}, {"activation_scheme", "dynamic"}, {"weight_block_size", QJsonArray{rows, cols}}};
}

/// The tiny folder in blocks of 48 x 40, which divide none of its matrices.
WeightFolder blockFolder()
{
    WeightFolder folder = plainFolder(tiny);
    toF8(folder, {false, 48, 40}, isProjection);
    setBlocks(folder, 48, 40);
    return folder;
}

} // namespace

struct ScaledCase {
    QString name;
    F8Recipe recipe;
    bool stack = false;
    bool everything = false; ///< embedding, router and head as well
};
Q_DECLARE_METATYPE(ScaledCase)

void TestScaled::scaled_data()
{
    QTest::addColumn<ScaledCase>("one");
    const auto row = [](const char* name, ScaledCase one) { QTest::newRow(name) << std::move(one); };
    row("blocks that divide nothing", {tiny, {false, 48, 40}});
    row("E5M2", {tiny, {true, 48, 40}});
    row("all matrices", {tiny, {false, 48, 40}, false, true});
    row("one scale", {tiny, {.suffix = "_scale"}});
    row("one scale without a dimension", {tiny, {.suffix = "_scale", .bare = true}});
    row("one for each row", {tiny, {.blockRows = 1, .suffix = "_scale"}});
    row("one for each row, without a second dimension", {tiny, {.blockRows = 1, .suffix = "_scale", .bare = true}});
    row("bf16 scales", {tiny, {.blockRows = 48, .blockCols = 40, .scaleType = "BF16"}});
    row("stacked, halves inside of blocks", {tiny, {false, 48, 40}, true});
    row("stacked, one scale for each expert", {tiny, {.suffix = "_scale"}, true});
    row("stacked, one for each row", {tiny, {.blockRows = 1, .suffix = "_scale"}, true});
    row("Mixtral", {"mixtral-f32", {false, 7, 33}});
    row("Mixtral, stacked", {"mixtral-f32", {true, 7, 33}, true});
    row("Qwen2", {"qwen2moe-f32", {false, 20, 24}, false, true});
    row("OLMoE", {"olmoe-f32", {true, 128, 128}, false, true});
    row("MLA, heads inside of blocks", {"deepseek2-v3-f32", {false, 28, 20}});
    row("MLA, one for each row", {"deepseek2-v3-f32", {.blockRows = 1, .suffix = "_scale"}});
    row("MLA without a rank, stacked", {"deepseek2-lite-f32", {false, 13, 12}, true});
    row("gpt-oss, attention", {"gpt-oss-f32", {false, 28, 20}});
}

/// A weight is its f8 times its scale, rounded to f32: then the numbers are those of a folder of these f32.
void TestScaled::scaled()
{
    QFETCH(ScaledCase, one);
    WeightFolder folder = plainFolder(one.name);
    REQUIRE_FOLDER(folder);
    if (one.stack)
        stackExperts(folder);
    const bool gptOss = one.name.startsWith("gpt-oss"); // its experts lie in turn
    const WeightFolder plain = toF8(folder, one.recipe, [&](const std::string& name) {
        return one.everything || (isProjection(name) && !(gptOss && name.find(".experts.") != std::string::npos));
    });
    if (one.recipe.blockRows > 1)
        setBlocks(folder, int(one.recipe.blockRows), int(one.recipe.blockCols));
    const OpenedFolder f32(plain);
    const OpenedFolder f8(folder);
    QCOMPARE(f32.failed, QString());
    QCOMPARE(f8.failed, QString());
    QVERIFY((*f8.model)->notes().empty());
    QVERIFY((*f8.model)->id() != (*f32.model)->id());
    const Evaluation expected = f32.evaluated();
    QCOMPARE(expected.error, std::string());
    QVERIFY(f8.evaluated() == expected);

    const std::string out = f8.dir.filePath("export").toStdString(); // which holds these f32
    const auto report = exportModel(**f8.model, out, {});
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    QVERIFY(!report->changes.empty() && report->changes.front().to == DType::F32 && !report->changes.front().exact);
    const auto exported = openModel(out);
    QVERIFY(exported);
    QVERIFY(evaluate(*exported, {}, someTokens(40, (*exported)->config().vocabSize)) == expected);
}

void TestScaled::sameBits_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow(tiny) << QString(tiny);
    QTest::newRow("deepseek2-v3-f32") << QString("deepseek2-v3-f32");
}

/// Threads, batches and instruction sets change no bit of f8 with scales.
void TestScaled::sameBits()
{
    QFETCH(QString, name);
    WeightFolder folder = plainFolder(name);
    REQUIRE_FOLDER(folder);
    toF8(folder, {false, 28, 20}, isMatrix);
    setBlocks(folder, 28, 20);
    const OpenedFolder opened(folder);
    QCOMPARE(opened.failed, QString());
    QCOMPARE(otherBits(*opened.model, {}, someTokens(40, (*opened.model)->config().vocabSize), {1, 7, 40}), QString());
}

/// Scales below the alignment of an f32 are copied, all others used where they lie.
void TestScaled::partsOfScales()
{
    WeightFolder folder = blockFolder();
    const OpenedFolder aligned(folder);
    QCOMPARE(aligned.failed, QString());
    QCOMPARE((*aligned.model)->memory().copiedBytes, std::uint64_t{0});
    folder.tensors["a"] = {"U8", {1}, QByteArray(1, '\0')}; // lies in front of all others
    const OpenedFolder odd(folder);
    QCOMPARE(odd.failed, QString());
    QVERIFY((*odd.model)->memory().copiedBytes > 0);
    QVERIFY(odd.evaluated() == aligned.evaluated());
    QCOMPARE((*odd.model)->id(), (*aligned.model)->id()); // what is not used does not count
}

/// Blocks as that format's configuration states them.
void TestScaled::compressedTensors()
{
    WeightFolder folder = blockFolder();
    const OpenedFolder expected(folder);
    const QJsonObject weights{{"strategy", "block"}, {"block_structure", QJsonArray{48, 40}}};
    folder.config["quantization_config"] = QJsonObject{{"quant_method", "compressed-tensors"},
        {"config_groups", QJsonObject{{"group_0", QJsonObject{{"weights", weights}}}}}};
    const OpenedFolder opened(folder);
    QCOMPARE(opened.failed, QString());
    QCOMPARE((*opened.model)->id(), (*expected.model)->id());
    QVERIFY(opened.evaluated() == expected.evaluated());
    const auto& origins = (*opened.model)->config().origins;
    const auto blocks = std::ranges::find(origins, "quantization.blocks", &RuleOrigin::rule);
    QVERIFY(blocks != origins.end());
    QCOMPARE(blocks->key, std::string("quantization_config.config_groups.group_0.weights.block_structure"));
}

/// Inputs are not rounded to 8 bits, so their scales are not used; what the configuration says of them is listed.
void TestScaled::listed()
{
    WeightFolder folder = blockFolder();
    FolderTensor one;
    one.setFloats({0.5f});
    folder.tensors["model.layers.0.self_attn.q_proj.input_scale"] = one;
    const OpenedFolder opened(folder);
    QCOMPARE(opened.failed, QString());
    const auto notes = (*opened.model)->notes();
    QCOMPARE(notes.size(), std::size_t{1});
    QVERIFY(notes.front().find("model.layers.0.self_attn.q_proj.input_scale is not used") != std::string::npos);
    const ModelConfig& config = (*opened.model)->config();
    QVERIFY(std::ranges::find(config.unusedKeys, "quantization_config.activation_scheme") != config.unusedKeys.end());
    const auto blocks = std::ranges::find(config.origins, "quantization.blocks", &RuleOrigin::rule);
    QVERIFY(blocks != config.origins.end());
    QCOMPARE(blocks->value, std::string("48 x 40"));
    QCOMPARE(blocks->key, std::string("quantization_config.weight_block_size"));
}

/// gpt-oss has rows and columns of its experts in turn, and gates and ups as well.
void TestScaled::inTurn()
{
    WeightFolder folder = plainFolder("gpt-oss-f32");
    REQUIRE_FOLDER(folder);
    toF8(folder, {}, isProjection);
    const OpenedFolder opened(folder);
    QCOMPARE(complaint(opened.model, Errc::Unsupported,
                 {"model.layers.0.mlp.experts.gate_up_proj", "_scale_inv", "rows and columns in turn"}),
        QString());
}

using Change = std::function<void(WeightFolder&)>;
Q_DECLARE_METATYPE(Change)

void TestScaled::refusals_data()
{
    QTest::addColumn<Change>("change");
    QTest::addColumn<int>("code");
    QTest::addColumn<QList<QByteArray>>("parts");
    const std::string weight = "model.layers.1.mlp.experts.2.up_proj.weight"; // 64 x 128: blocks [2][4]
    const std::string scales = weight + "_scale_inv";
    const auto row = [&](const char* name, Errc code, QList<QByteArray> parts, Change change) {
        QTest::newRow(name) << std::move(change) << int(code)
                            << (parts + QList<QByteArray>{QByteArray(weight.c_str())});
    };
    const auto safetensors = QByteArray("model.safetensors");
    row("missing", Errc::Mismatch, {safetensors, "weight_block_size", "neither"},
        [=](WeightFolder& f) { f.tensors.erase(scales); });
    row("of all rows", Errc::Mismatch, {safetensors, "shape is [1, 4]", "48 x 40", "need [2, 4]"},
        [=](WeightFolder& f) {
            f.tensors[scales].shape = {1, 4};
            f.tensors[scales].bytes.truncate(16);
        });
    row("turned", Errc::Mismatch, {safetensors, "shape is [4, 2]", "need [2, 4]"}, [=](WeightFolder& f) {
        f.tensors[scales].shape = {4, 2};
    });
    row("one where blocks are stated", Errc::Mismatch, {safetensors, "shape is [1]", "need [2, 4]"},
        [=](WeightFolder& f) {
            f.tensors[scales].shape = {1};
            f.tensors[scales].bytes.truncate(4);
        });
    row("blocks that are not stated", Errc::Mismatch, {safetensors, "shape is", "no weight_block_size"},
        [=](WeightFolder& f) {
            f.config.remove("quantization_config");
            for (auto& [name, tensor] : f.tensors) // all others have one
                if (QString::fromStdString(name).endsWith("_scale_inv") && name != scales) {
                    tensor.shape = {1};
                    tensor.bytes.truncate(4);
                }
        });
    const auto value = [=](float number) {
        return [=](WeightFolder& f) {
            std::vector<float> values = f.tensors[scales].floats();
            values[5] = number;
            f.tensors[scales].setFloats(values);
        };
    };
    row("NaN", Errc::OutOfRange, {safetensors, "value 5 is nan", "finite", "offset"}, value(NAN));
    row("infinite", Errc::OutOfRange, {safetensors, "value 5 is inf"}, value(INFINITY));
    row("of integers", Errc::Unsupported, {safetensors, "i32", "f32, f16 and bf16"},
        [=](WeightFolder& f) { f.tensors[scales].dtype = "I32"; });
    row("of powers", Errc::Unsupported, {safetensors, "f8_e8m0"}, [=](WeightFolder& f) {
        f.tensors[scales].dtype = "F8_E8M0";
        f.tensors[scales].bytes.truncate(8);
    });
    row("of f32 weights", Errc::Unsupported, {safetensors, "its dtype is f32", "_scale_inv"},
        [=](WeightFolder& f) { f.tensors[weight].setFloats(std::vector<float>(64 * 128)); });
    row("two", Errc::Mismatch, {safetensors, "both", "_scale_inv", "_scale "},
        [=](WeightFolder& f) { f.tensors[weight + "_scale"] = f.tensors[scales]; });
    const auto blocks = [](QJsonValue size) {
        return [size](WeightFolder& f) {
            f.config["quantization_config"] = QJsonObject{{"quant_method", "fp8"}, {"weight_block_size", size}};
        };
    };
    const auto config = [](const char* name, Change change, QList<QByteArray> parts, Errc code = Errc::OutOfRange) {
        QTest::newRow(name) << std::move(change) << int(code) << (QList<QByteArray>{"config.json"} + parts);
    };
    config("blocks of nothing", blocks(QJsonArray{0, 128}), {"weight_block_size", "two integers"});
    config("one extent", blocks(QJsonArray{128}), {"weight_block_size", "two integers"});
    config("no list", blocks(128), {"weight_block_size", "two integers"});
    config("blocks without end", blocks(QJsonArray{128, 4294967296.0}), {"weight_block_size", "two integers"});
    config(
        "two sizes",
        [](WeightFolder& f) {
            QJsonObject groups;
            for (const int size : {128, 64})
                groups[QString("group_%1").arg(size)] =
                    QJsonObject{{"weights", QJsonObject{{"block_structure", QJsonArray{size, size}}}}};
            f.config["quantization_config"] =
                QJsonObject{{"quant_method", "compressed-tensors"}, {"config_groups", groups}};
        },
        {"block_structure", "one size of blocks"}, Errc::Unsupported);
}

void TestScaled::refusals()
{
    QFETCH(Change, change);
    QFETCH(int, code);
    QFETCH(QList<QByteArray>, parts);
    WeightFolder folder = blockFolder();
    change(folder);
    const OpenedFolder opened(folder);
    QCOMPARE(complaint(opened.model, static_cast<Errc>(code), parts), QString());
}

QTEST_GUILESS_MAIN(TestScaled)
#include "tst_scaled.moc"
