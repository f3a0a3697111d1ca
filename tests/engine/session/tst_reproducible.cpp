// SPDX-License-Identifier: Apache-2.0
#include "sessiontools.h"

#include "api/export.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace colibri;
using namespace colibri::test;

namespace {
#if defined(__SANITIZE_THREAD__)
constexpr std::uint32_t threadCounts[]{3}; // the fewer threads have the fewer races, and each run is slow
#else
constexpr std::uint32_t threadCounts[]{1, 2, 3};
#endif
} // namespace

/// The same bits from every instruction set, thread count and batch, for each dtype of weights and type of cache.
class TestReproducible : public QObject {
    Q_OBJECT

private slots:
    void sameBits_data();
    void sameBits();
    void demoPrompts_data();
    void demoPrompts();
    void exportInF16GivesTheFoldersBits();

private:
    static std::vector<EngineOptions> variants(const EngineOptions& base, std::uint32_t whole);
};

std::vector<EngineOptions> TestReproducible::variants(const EngineOptions& base, std::uint32_t whole)
{
    std::vector<EngineOptions> all;
    for (const Isa isa : {Isa::Auto, Isa::Scalar, Isa::Avx2, Isa::Avx512})
        for (const std::uint32_t threads : threadCounts)
            for (const std::uint32_t batch : {1u, 7u, whole}) {
                EngineOptions options = base;
                options.isa = isa;
                options.threads = threads;
                options.batch = batch;
                all.push_back(options);
            }
    return all;
}

void TestReproducible::sameBits_data()
{
    QTest::addColumn<QString>("dtype");
    QTest::addColumn<int>("kv");
    QTest::addColumn<int>("activations");
    for (const char* dtype : {"f32", "f16", "bf16", "int8"})
        for (const KvType kv : {KvType::F32, KvType::F16})
            QTest::addRow("%s, %s cache", dtype, std::string(name(kv)).c_str())
                << dtype << int(kv) << int(Activations::Q8);
    QTest::newRow("int8, f32 activations") << "int8" << int(KvType::F32) << int(Activations::F32);
}

void TestReproducible::sameBits()
{
    QFETCH(QString, dtype);
    QFETCH(int, kv);
    QFETCH(int, activations);
    const OpenedModel source;
    const std::string out = source.folder.filePath("export").toStdString();
    const auto written = exportModel(*source.model, out, {dtypeNamed(dtype.toStdString())});
    QVERIFY2(written, written ? "" : written.error().message().c_str());
    const auto model = openModel(out);
    QVERIFY2(model, model ? "" : model.error().message().c_str());

    const std::vector<TokenId> tokens = someTokens(83, 101); // the attention sums of the last ones span two blocks
    EngineOptions options;
    options.kv = static_cast<KvType>(kv);
    options.activations = static_cast<Activations>(activations);
    EngineOptions scalar = options;
    scalar.numerics = Numerics::Scalar;
    scalar.threads = 1;
    const Evaluation oracle = evaluate(*model, scalar, tokens);
    QCOMPARE(oracle.error, std::string());
    QCOMPARE(oracle.logits.size(), std::size_t{83 * 101});
    int compared = 0;
    for (const EngineOptions& variant : variants(options, 83)) {
        const Evaluation result = evaluate(*model, variant, tokens);
        if (result.error.find("this machine does not have it") != std::string::npos)
            continue;
        QCOMPARE(result.error, std::string());
        QVERIFY2(result == oracle,
            qPrintable(
                QString("isa %1 threads %2 batch %3").arg(int(variant.isa)).arg(variant.threads).arg(variant.batch)));
        ++compared;
    }
    QVERIFY(compared >= 6 * static_cast<int>(std::size(threadCounts))); // Auto and Scalar exist everywhere
}

void TestReproducible::demoPrompts_data()
{
    QTest::addColumn<std::vector<TokenId>>("tokens");
    QFile file(COLIBRI_TEST_DATA "/demo/prompts.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonArray prompts = QJsonDocument::fromJson(file.readAll()).array();
    QCOMPARE(prompts.size(), 7);
    for (const QJsonValue& prompt : prompts) {
        std::vector<TokenId> tokens;
        for (const QJsonValue& id : prompt["token_ids"].toArray())
            tokens.push_back(static_cast<TokenId>(id.toInt()));
        QTest::newRow(qPrintable(prompt["name"].toString())) << tokens;
    }
}

void TestReproducible::demoPrompts()
{
    QFETCH(std::vector<TokenId>, tokens);
    const QByteArray shared = qgetenv("COLIBRI_SHARED");
    const auto model = openModel(shared.isEmpty() ? "demo" : shared.toStdString() + "/demo-model");
    QVERIFY2(model, model ? "" : model.error().message().c_str());
    EngineOptions scalar;
    scalar.numerics = Numerics::Scalar;
    scalar.threads = 1;
    const Evaluation oracle = evaluate(*model, scalar, tokens);
    QCOMPARE(oracle.error, std::string());
    QVERIFY(!oracle.logits.empty());
    for (const EngineOptions& variant : variants({}, static_cast<std::uint32_t>(tokens.size()))) {
        const Evaluation result = evaluate(*model, variant, tokens);
        if (result.error.find("this machine does not have it") == std::string::npos)
            QVERIFY2(result == oracle,
                qPrintable(QString("isa %1 threads %2 batch %3")
                               .arg(int(variant.isa))
                               .arg(variant.threads)
                               .arg(variant.batch)));
    }
}

void TestReproducible::exportInF16GivesTheFoldersBits()
{
    const OpenedModel source;
    const std::string out = source.folder.filePath("export").toStdString();
    QVERIFY(exportModel(*source.model, out, {DType::F16}));
    const auto model = openModel(out);
    QVERIFY(model);
    QCOMPARE((*model)->id(), source.model->id());
    const std::vector<TokenId> tokens = someTokens(40, 101);
    const Evaluation folder = evaluate(source.model, {}, tokens);
    QCOMPARE(folder.error, std::string());
    QVERIFY(evaluate(*model, {}, tokens) == folder);
}

QTEST_GUILESS_MAIN(TestReproducible)
#include "tst_reproducible.moc"
