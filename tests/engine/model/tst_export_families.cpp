// SPDX-License-Identifier: Apache-2.0
#include "exportdifference.h"

#include "support/goldenfolder.h"

#include <QTest>

#include <algorithm>

using namespace colibri;
using namespace colibri::test;

namespace {

constexpr const char* storedCases[]{"qwen3moe-f16", "qwen3moe-bf16", "qwen3moe-q8_0", "qwen3moe-q4_0",
    "qwen3moe-q4_0-split", "qwen3moe-q4_1", "qwen3moe-q5_0", "qwen3moe-q5_1", "qwen3moe-iq4_nl", "qwen3moe-mxfp4",
    "qwen3moe-q2_k", "qwen3moe-q3_k", "qwen3moe-q4_k", "qwen3moe-q4_k_m", "qwen3moe-q6_k", "qwen3moe-iq4_xs",
    "deepseek2-v3-q8_0", "gpt-oss-mxfp4"};

} // namespace

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

void TestExportFamilies::tokenizer_data()
{
    folder_data();
}

/// The texts of the golden data, encoded and decoded.
void TestExportFamilies::tokenizer()
{
    QFETCH(const QString, name);
    const GoldenCase golden(name);
    REQUIRE_CASE(golden);
    const QString out = m_dir.filePath("tokenizer-" + name);
    const ModelPtr source = opened(golden);
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
    const ModelPtr source = opened(golden);
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
    const ModelPtr source = opened(golden);
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

QTEST_GUILESS_MAIN(TestExportFamilies)
#include "tst_export_families.moc"
